"""Dynamic beam allocation (Post & Vilar, NAACL 2018).

One beam of k hypotheses, whose places are divided over the banks of grid search: as many banks as there are
constraint tokens, and one. A bank with fewer candidates than places hands the rest to its neighbours. The
candidates of a step are the likeliest of the whole matrix (2k, since an end takes no place), for every
hypothesis its likeliest token, and the next token of every unmet phrase. One phrase is tracked at a time: if
it is left before its end, it counts as not begun.

Costs O(N·k) model calls, whatever the number of constraints. Expresses required phrases only; neither
alternatives nor negatives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch

from neurologic.decoders.required import Progress, RequiredPhrases, allocate, fill
from neurologic.search.beam import Beam
from neurologic.search.decoder import Decoder, Selection
from neurologic.search.hypothesis import Candidate, Hypothesis

NextTokens = Callable[[Hypothesis], Iterable[int]]


class DynamicBeamAllocation(Decoder):
    """A hypothesis remembers the phrase that it is inside of, None if there is none."""

    name = "dba"

    def step(self, beam: Beam, scores: torch.Tensor) -> Selection:
        phrases = RequiredPhrases(beam.constraint)
        banks: list[list[Candidate]] = [[] for _ in range(phrases.total + 1)]
        for row, token, logprob in proposals(beam, scores, lambda one: self._next_tokens(phrases, one)):
            candidate = beam.consider(row, token, logprob)
            if not candidate.fate:
                candidate.memory = self._track(phrases, beam.hypotheses[row], candidate)
                under_way = () if candidate.memory is None else (candidate.memory,)
                banks[phrases.covered(candidate, under_way)].append(candidate)
        selection = Selection(considered=[candidate for bank in banks for candidate in bank])
        places = allocate(beam.settings.num_beams, [len(bank) for bank in banks])
        for bank, of_bank in zip(reversed(banks), reversed(places), strict=True):
            fill(bank, of_bank, selection)
        return selection

    def _next_tokens(self, phrases: RequiredPhrases, hypothesis: Hypothesis) -> Iterable[int]:
        if hypothesis.memory is not None:
            phrase, done = hypothesis.memory
            yield phrases.tokens[phrase][done]
        for phrase in phrases.unmet(hypothesis):
            yield phrases.tokens[phrase][0]

    def _track(
        self, phrases: RequiredPhrases, hypothesis: Hypothesis, candidate: Candidate
    ) -> Progress | None:
        """The phrase that the candidate is inside of: the one before it went on, else the first begun."""
        steps = [hypothesis.memory] if hypothesis.memory is not None else []
        steps += [(phrase, 0) for phrase in phrases.unmet(hypothesis)]
        for phrase, done in steps:
            tokens = phrases.tokens[phrase]
            if tokens[done] == candidate.token:
                return (phrase, done + 1) if done + 1 < len(tokens) else None
        return None


def proposals(beam: Beam, scores: torch.Tensor, next_tokens: NextTokens) -> list[tuple[int, int, float]]:
    """Row, token and log-likelihood of the candidates of a step."""
    size = scores.shape[-1]
    flat = scores.reshape(-1)
    # An end takes no place, so that twice as many candidates are enough.
    chosen = set(flat.topk(min(2 * beam.settings.num_beams, flat.numel())).indices.tolist())
    chosen |= {row * size + token for row, token in enumerate(scores.argmax(dim=-1).tolist())}
    for row, hypothesis in enumerate(beam.hypotheses):
        chosen |= {row * size + token for token in next_tokens(hypothesis)}
    indices = sorted(chosen)
    logprobs = flat[torch.tensor(indices, device=flat.device)].tolist()
    return [
        (index // size, index % size, logprob)
        for index, logprob in zip(indices, logprobs, strict=True)
        if logprob > float("-inf")
    ]
