"""Draw tokens from a model's distribution, with temperature, top-k, top-p and min-p truncation.

All chance comes from the beam of the input, so a seed gives the same text in any batch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from neurologic.search.beam import Beam
from neurologic.search.decoder import Decoder, Selection
from neurologic.search.rules import Rule
from neurologic.search.score_matrix import MINUS_INFINITY, ScoreMatrix, to_host
from neurologic.search.settings import SearchSettings


def truncated(
    scores: torch.Tensor, settings: SearchSettings, most: int | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the distribution to draw from: log-probabilities and tokens, both [rows, n], likeliest first.

    `scores` [rows, vocabulary] need not be normalised. As in Hugging Face, the temperature acts first, then
    top-k, top-p on what is left, and min-p; the likeliest token always stays. No more than the `most`
    likeliest tokens stay either.
    """
    size = scores.shape[-1]
    kept = min(settings.top_k or size, size)
    values, tokens = scores.topk(min(kept, most or size), dim=-1)
    whole = values if values.shape[-1] == kept else scores
    total = torch.logsumexp(whole / settings.temperature, dim=-1, keepdim=True)
    logprobs = values / settings.temperature - total
    logprobs = logprobs.nan_to_num(nan=MINUS_INFINITY)  # a row in which nothing is allowed
    if settings.top_p < 1:
        probabilities = logprobs.exp()
        before = probabilities.cumsum(dim=-1) - probabilities
        logprobs = logprobs.masked_fill(before >= settings.top_p, MINUS_INFINITY)
    if settings.min_p > 0:
        least = logprobs[:, :1] + math.log(settings.min_p)
        logprobs = logprobs.masked_fill(logprobs < least, MINUS_INFINITY)
    return logprobs, tokens


def draw(beams: Sequence[Beam], matrix: ScoreMatrix, count: int) -> torch.Tensor:
    """Draw `count` different tokens for each row without replacement, [rows, count].

    The largest log-probabilities with Gumbel noise are such a draw (Kool et al., ICML 2019). Where fewer
    tokens are possible, the rest is -1.
    """
    logprobs, tokens = truncated(matrix.scores, beams[0].settings)
    uniform = torch.cat(
        [_noise(beam, size, logprobs.shape[-1]) for beam, size in zip(beams, matrix.sizes, strict=True)]
    )
    noisy = logprobs - torch.log(-torch.log(uniform.to(logprobs.device)))
    best, places = noisy.topk(min(count, noisy.shape[-1]), dim=-1)
    return tokens.gather(-1, places).masked_fill(best == MINUS_INFINITY, -1)


def _noise(beam: Beam, rows: int, size: int) -> torch.Tensor:
    """Return random numbers of one input between 0 and 1, [rows, size]."""
    generator = torch.Generator().manual_seed(beam.random.getrandbits(62))
    return torch.rand(rows, size, generator=generator).clamp_(1e-12, 1 - 1e-7)


class Sampler(Decoder):
    """Every row draws its next token; there is a row for every text to return."""

    rule = Rule.FREE
    processes_logits = True

    def choose(self, beams: Sequence[Beam], matrix: ScoreMatrix) -> list[Selection]:
        # All texts begin from the prompt's only row, each with a draw of its own.
        matrix = matrix.repeated([1 if beam.length else beam.settings.num_return_sequences for beam in beams])
        drawn = draw(beams, matrix, 1)
        logprobs = matrix.scores.gather(-1, drawn.clamp(min=0))
        tokens, values = drawn[:, 0].tolist(), to_host(logprobs[:, 0])
        return [
            Selection.of(
                [
                    beam.consider(row if beam.length else 0, tokens[first + row], values[first + row])
                    for row in range(size)
                    if tokens[first + row] >= 0 and values[first + row] > MINUS_INFINITY
                ]
            )
            for beam, first, size in zip(beams, matrix.first_rows, matrix.sizes, strict=True)
        ]
