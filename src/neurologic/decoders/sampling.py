"""Drawing tokens from a model's distribution, with temperature, top-k and top-p truncation.

All chance comes from the beam of the input, so a seed gives the same text in any batch.
"""

from __future__ import annotations

import math

import torch

from neurologic.search.beam import Beam, Rule
from neurologic.search.decoder import Decoder, Selection
from neurologic.search.settings import SearchSettings


def truncated(scores: torch.Tensor, settings: SearchSettings) -> tuple[torch.Tensor, torch.Tensor]:
    """What is drawn from: log-probabilities [rows, n], likeliest first, and their tokens [rows, n].

    `scores` [rows, vocabulary] need not be normalised. As in Hugging Face, the temperature acts first, then
    top-k, then top-p on what is left; the likeliest token always stays.
    """
    size = scores.shape[-1]
    values, tokens = scores.topk(min(settings.top_k or size, size), dim=-1)
    logprobs = torch.log_softmax(values / settings.temperature, dim=-1)
    logprobs = logprobs.nan_to_num(nan=float("-inf"))  # a row in which nothing is allowed
    if settings.top_p < 1:
        probabilities = logprobs.exp()
        before = probabilities.cumsum(dim=-1) - probabilities
        logprobs = logprobs.masked_fill(before >= settings.top_p, float("-inf"))
    return logprobs, tokens


def draw(beam: Beam, scores: torch.Tensor, count: int) -> torch.Tensor:
    """`count` different tokens per row, [rows, count], drawn one after the other without putting back.

    The largest of log-probabilities with Gumbel noise are such a draw (Kool et al., ICML 2019). Where fewer
    tokens are possible, what is too much is marked by -1.
    """
    logprobs, tokens = truncated(scores, beam.settings)
    generator = torch.Generator().manual_seed(beam.random.getrandbits(62))
    uniform = torch.rand(logprobs.shape, generator=generator).to(logprobs.device).clamp_(1e-12, 1 - 1e-7)
    noisy = logprobs - torch.log(-torch.log(uniform))
    best, places = noisy.topk(min(count, noisy.shape[-1]), dim=-1)
    return tokens.gather(-1, places).masked_fill(best == float("-inf"), -1)


def keep_drawn(beam: Beam, scores: torch.Tensor) -> torch.Tensor:
    """`scores` of drawn candidates and of those that bring a wanted phrase forward; -inf for all others.

    As many are drawn as a beam search looks at, twice the places of the beam. Candidates that bring a phrase
    forward need no luck, but they have to be among the likeliest alpha, as without drawing.
    """
    settings = beam.settings
    per_row = math.ceil(2 * settings.num_beams / len(beam.hypotheses))
    drawn = draw(beam, scores, per_row)  # [rows, per_row]
    flat = scores.flatten()
    least = flat.topk(min(settings.alpha, flat.numel())).values[-1]
    kept = torch.zeros(scores.shape, dtype=torch.bool, device=scores.device)
    kept.scatter_(-1, drawn.clamp(min=0), drawn >= 0)
    for row, hypothesis in enumerate(beam.hypotheses):
        wanted = beam.constraint.status(hypothesis.state, hypothesis.found).wanted
        advancing = torch.tensor(
            beam.constraint.advancing(hypothesis.state, wanted), dtype=torch.long, device=scores.device
        )
        kept[row, advancing] |= scores[row, advancing] >= least
    return scores.masked_fill(~kept, float("-inf"))


class Sampler(Decoder):
    """Every row draws its next token; there are as many rows as texts are wanted."""

    rule = Rule.FREE
    processes_logits = True

    def step(self, beam: Beam, scores: torch.Tensor) -> Selection:
        rows = list(range(len(beam.hypotheses)))
        if beam.length == 0:  # all texts begin from the prompt's only row, each with a draw of its own
            rows = [0] * beam.settings.num_return_sequences
        scores = scores[rows]
        tokens = draw(beam, scores, 1)
        logprobs = scores.gather(-1, tokens.clamp(min=0))
        drawn = zip(rows, tokens[:, 0].tolist(), logprobs[:, 0].tolist(), strict=True)
        return Selection.of(
            [
                beam.consider(row, token, logprob)
                for row, token, logprob in drawn
                if token >= 0 and logprob > float("-inf")
            ]
        )
