"""Dynamic beam allocation (Post & Vilar, NAACL 2018).

One beam of k hypotheses divides its places over the banks of grid search, one more than there are constraint
tokens. A bank with fewer candidates than places hands the rest to its neighbours. The candidates of a step
are the likeliest of the whole matrix (2k, since an end takes no place), the likeliest token of every
hypothesis, and the next token of every unmet phrase. A hypothesis tracks one phrase at a time: if it leaves
the phrase before its end, the phrase counts as not begun.

Costs O(N·k) model calls, whatever the number of constraints. Expresses required phrases only; neither
alternatives nor negatives.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from neurologic.decoders.banks import allocate, in_order
from neurologic.decoders.required_phrases import NextTokens, Progress, RequiredPhrases, fetch
from neurologic.search.beam import Beam
from neurologic.search.decoder import Decoder, Selection
from neurologic.search.hypothesis import Candidate, Hypothesis
from neurologic.search.score_matrix import MINUS_INFINITY, Cell, ScoreMatrix


class DynamicBeamAllocation(Decoder):
    """The memory of a hypothesis is its partly written phrase, None if there is none."""

    name = "dba"

    def choose(self, beams: Sequence[Beam], matrix: ScoreMatrix) -> list[Selection]:
        required = [RequiredPhrases(beam.constraint) for beam in beams]
        listed = proposals(beams, matrix, [partial(self._next_tokens, phrases) for phrases in required])
        return [self._select(*parts) for parts in zip(beams, required, listed, strict=True)]

    def _select(self, beam: Beam, phrases: RequiredPhrases, cells: Sequence[Cell]) -> Selection:
        banks: list[list[Candidate]] = [[] for _ in range(phrases.total + 1)]
        for cell in cells:
            candidate = beam.consider(*cell)
            if not candidate.fate:
                candidate.memory = self._track(phrases, beam.hypotheses[cell.row], candidate)
                begun = () if candidate.memory is None else (candidate.memory,)
                banks[phrases.covered(candidate, begun)].append(candidate)
        selection = Selection(considered=[candidate for bank in banks for candidate in bank])
        places = allocate(beam.settings.num_beams, [len(bank) for bank in banks])
        for bank, of_bank in zip(reversed(banks), reversed(places), strict=True):
            selection.fill(in_order(bank), of_bank)
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
        """Return the candidate's partly written phrase: the old one if it continues, else the first begun."""
        steps = [hypothesis.memory] if hypothesis.memory is not None else []
        steps += [(phrase, 0) for phrase in phrases.unmet(hypothesis)]
        for phrase, done in steps:
            tokens = phrases.tokens[phrase]
            if tokens[done] == candidate.token:
                return (phrase, done + 1) if done + 1 < len(tokens) else None
        return None


def proposals(
    beams: Sequence[Beam], matrix: ScoreMatrix, next_tokens: Sequence[NextTokens]
) -> list[list[Cell]]:
    """Return the candidates of each input in a step, in a fixed order."""
    # An end takes no place, so twice as many candidates are enough.
    likeliest = matrix.likeliest(2 * beams[0].settings.num_beams)
    of_rows = fetch(beams, matrix, 1, next_tokens)
    proposed = []
    for cells, rows in zip(likeliest, of_rows, strict=True):
        logprobs = {(row, token): logprob for row, token, logprob in cells}
        for row, scores in enumerate(rows):
            for token, logprob in (scores.likeliest | scores.others).items():
                logprobs[row, token] = logprob
        proposed.append(
            [Cell(*place, logprobs[place]) for place in sorted(logprobs) if logprobs[place] > MINUS_INFINITY]
        )
    return proposed
