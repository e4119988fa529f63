"""Draw tokens from a model's distribution, with temperature, top-k and top-p truncation.

All chance comes from the beam of the input, so a seed gives the same text in any batch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from neurologic.search.beam import Beam, Rule
from neurologic.search.decoder import Decoder, Selection
from neurologic.search.score_matrix import MINUS_INFINITY, ScoreMatrix, to_host
from neurologic.search.settings import SearchSettings


def truncated(scores: torch.Tensor, settings: SearchSettings) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the distribution to draw from: log-probabilities and tokens, both [rows, n], likeliest first.

    `scores` [rows, vocabulary] need not be normalised. As in Hugging Face, the temperature acts first, then
    top-k, then top-p on what is left; the likeliest token always stays.
    """
    size = scores.shape[-1]
    values, tokens = scores.topk(min(settings.top_k or size, size), dim=-1)
    logprobs = torch.log_softmax(values / settings.temperature, dim=-1)
    logprobs = logprobs.nan_to_num(nan=MINUS_INFINITY)  # a row in which nothing is allowed
    if settings.top_p < 1:
        probabilities = logprobs.exp()
        before = probabilities.cumsum(dim=-1) - probabilities
        logprobs = logprobs.masked_fill(before >= settings.top_p, MINUS_INFINITY)
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


def keep_drawn(beams: Sequence[Beam], matrix: ScoreMatrix) -> ScoreMatrix:
    """Keep the scores of drawn candidates and of those that bring a wanted phrase forward; -inf elsewhere.

    Draw as many as a beam search looks at, twice the places of the beam. Candidates that bring a phrase
    forward need no luck, but must be among the likeliest alpha, as without drawing.
    """
    scores, settings = matrix.scores, beams[0].settings
    per_row = [math.ceil(2 * settings.num_beams / size) for size in matrix.sizes for _ in range(size)]
    drawn = draw(beams, matrix, max(per_row))  # [rows, most per row], the first drawn first
    late = torch.arange(drawn.shape[-1])[None] >= torch.tensor(per_row)[:, None]
    nothing = scores.shape[-1]  # an extra column for tokens that do not count
    drawn = drawn.masked_fill((drawn < 0) | late.to(drawn.device), nothing)
    kept = torch.zeros(len(per_row), nothing + 1, dtype=torch.bool, device=scores.device)
    kept = kept.scatter_(-1, drawn, True)[:, :nothing]
    rows, tokens = _advancing(beams, matrix)
    kept[rows, tokens] |= scores[rows, tokens] >= matrix.alpha_th(settings.alpha)[rows]
    return ScoreMatrix(scores.masked_fill(~kept, MINUS_INFINITY), matrix.sizes)


def _advancing(beams: Sequence[Beam], matrix: ScoreMatrix) -> tuple[torch.Tensor, torch.Tensor]:
    """Return rows and tokens of the cells that bring a wanted phrase forward."""
    cells: list[tuple[int, int]] = []
    for beam, first in zip(beams, matrix.first_rows, strict=True):
        for row, hypothesis in enumerate(beam.hypotheses, start=first):
            wanted = beam.constraint.status(hypothesis.state, hypothesis.found).wanted
            cells += [(row, token) for token in beam.constraint.advancing(hypothesis.state, wanted)]
    both = torch.tensor(cells, dtype=torch.long, device=matrix.device).reshape(-1, 2)
    return both[:, 0], both[:, 1]


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
