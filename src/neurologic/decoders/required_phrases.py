"""Required phrases as the lexically constrained decoders see them: sequences of tokens to cover.

GBS, DBA, VDBA and CBS steer by the tokens of each phrase's usual spelling. Whether a phrase occurs is still
decided on the text: any tokenization counts, part of a longer word does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from neurologic.feasibility.compiled_constraint import CompiledConstraint
from neurologic.matching.clause_tracker import bits
from neurologic.matching.vocabulary import TokenIds
from neurologic.search.beam import Beam
from neurologic.search.hypothesis import Candidate, Hypothesis
from neurologic.search.score_matrix import ScoreMatrix

# A partly written phrase: its number and how many of its tokens the text has.
Progress = tuple[int, int]
# The tokens with which a hypothesis would begin or continue a phrase.
NextTokens = Callable[[Hypothesis], Iterable[int]]


class RequiredPhrases:
    """The phrases of a constraint without negatives, spelled in tokens."""

    def __init__(self, constraint: CompiledConstraint) -> None:
        self.constraint = constraint
        wanted = constraint.tracker.wanted
        self.tokens: dict[int, TokenIds] = {
            phrase: constraint.planner.usual_spelling(phrase) or () for phrase in bits(wanted)
        }

    @cached_property
    def total(self) -> int:
        """C: the number of tokens of all phrases."""
        return sum(map(len, self.tokens.values()))

    def present(self, text: Hypothesis | Candidate) -> int:
        """Return the bit set of the phrases in a text, with those that its end would settle."""
        return text.found | self.constraint.matcher.provisional(text.state)

    def unmet(self, text: Hypothesis | Candidate) -> Iterator[int]:
        """Yield the phrases that are not in the text."""
        present = self.present(text)
        return (phrase for phrase in self.tokens if not present >> phrase & 1)

    def covered(self, text: Hypothesis | Candidate, begun: Iterable[Progress] = ()) -> int:
        """Return how many constraint tokens a text covers: in whole phrases, and in the one it has begun."""
        present = self.present(text)
        whole = sum(len(tokens) for phrase, tokens in self.tokens.items() if present >> phrase & 1)
        return whole + max((done for phrase, done in begun if not present >> phrase & 1), default=0)


class RowScores(NamedTuple):
    """Log-likelihoods of a row's next token: of its likeliest tokens, and of others the decoder asks for."""

    likeliest: dict[int, float]
    others: dict[int, float]

    def logprob(self, token: int) -> float:
        """Return the log-likelihood of one of these tokens."""
        return self.likeliest[token] if token in self.likeliest else self.others[token]


def fetch(
    beams: Sequence[Beam], matrix: ScoreMatrix, count: int, next_tokens: Sequence[NextTokens]
) -> list[list[RowScores]]:
    """Return the `count` likeliest tokens of each input and row, and those of `next_tokens`."""
    likeliest = matrix.likeliest_of_rows(count)
    wanted = [
        [
            (row, token)
            for row, hypothesis in enumerate(beam.hypotheses)
            for token in sorted(set(of_input(hypothesis)) - rows[row].keys())
        ]
        for beam, of_input, rows in zip(beams, next_tokens, likeliest, strict=True)
    ]
    fetched = [[RowScores(row, {}) for row in rows] for rows in likeliest]
    for rows, places, values in zip(fetched, wanted, matrix.at(wanted), strict=True):
        for (row, token), logprob in zip(places, values, strict=True):
            rows[row].others[token] = logprob
    return fetched
