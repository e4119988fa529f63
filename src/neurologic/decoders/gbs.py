"""Grid beam search (Hokamp & Liu, ACL 2017).

There is a bank of k hypotheses for every number of covered constraint tokens. A hypothesis is *open*, and
then writes any token or begins an unmet phrase, or *closed*: inside a phrase, which it must continue. Texts
end in the last bank, which covers everything.

Costs O(N·k·C) model calls for C constraint tokens, which need C + 1 banks. Expresses required phrases only;
neither alternatives nor negatives. `rows` sets the number of hypotheses for all banks together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from neurologic.decoders.banks import fill_banks
from neurologic.decoders.required_phrases import Progress, RequiredPhrases, RowScores, fetch
from neurologic.matching.vocabulary import TokenIds
from neurologic.search.beam import Beam
from neurologic.search.decoder import Decoder, Selection
from neurologic.search.hypothesis import Candidate, Hypothesis
from neurologic.search.score_matrix import MINUS_INFINITY, ScoreMatrix


class GridBeamSearch(Decoder):
    """The memory of a hypothesis is its partly written phrase, None if it is open."""

    name = "gbs"

    def choose(self, beams: Sequence[Beam], matrix: ScoreMatrix) -> list[Selection]:
        required = [RequiredPhrases(beam.constraint) for beam in beams]
        # An end takes no place, hence twice as many.
        most = 2 * (beams[0].settings.rows or beams[0].settings.num_beams)
        listed = fetch(beams, matrix, most, [partial(self._next_tokens, phrases) for phrases in required])
        return [self._select(*parts) for parts in zip(beams, required, listed, strict=True)]

    def _select(self, beam: Beam, phrases: RequiredPhrases, rows: Sequence[RowScores]) -> Selection:
        grid: dict[int, list[Candidate]] = {}
        for candidate in self._propose(beam, phrases, rows):
            begun = () if candidate.memory is None else (candidate.memory,)
            grid.setdefault(phrases.covered(candidate, begun), []).append(candidate)
        return fill_banks([grid[bank] for bank in sorted(grid)], beam.settings)

    def _propose(
        self, beam: Beam, phrases: RequiredPhrases, rows: Sequence[RowScores]
    ) -> Iterator[Candidate]:
        """Yield the candidates that generate, start and continue: the three moves in the grid."""
        seen: set[tuple[TokenIds, int, Progress | None]] = set()
        for row, (hypothesis, scores) in enumerate(zip(beam.hypotheses, rows, strict=True)):
            if hypothesis.memory is not None:
                phrase, done = hypothesis.memory
                steps = [(phrases.tokens[phrase][done], self._after(phrases, phrase, done + 1))]
            else:
                # A token that starts a phrase may also appear without starting it: "a new … New York".
                steps = [(token, None) for token in scores.likeliest]
                for phrase in phrases.unmet(hypothesis):
                    steps.append((phrases.tokens[phrase][0], self._after(phrases, phrase, 1)))
            for token, memory in steps:
                logprob = scores.logprob(token)
                if logprob > MINUS_INFINITY and (hypothesis.tokens, token, memory) not in seen:
                    seen.add((hypothesis.tokens, token, memory))
                    candidate = beam.consider(row, token, logprob)
                    if not candidate.fate:
                        candidate.memory = memory
                        yield candidate

    def _next_tokens(self, phrases: RequiredPhrases, hypothesis: Hypothesis) -> Iterable[int]:
        if hypothesis.memory is not None:
            phrase, done = hypothesis.memory
            return (phrases.tokens[phrase][done],)
        return (phrases.tokens[phrase][0] for phrase in phrases.unmet(hypothesis))

    def _after(self, phrases: RequiredPhrases, phrase: int, done: int) -> Progress | None:
        return (phrase, done) if done < len(phrases.tokens[phrase]) else None
