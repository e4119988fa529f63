"""Required phrases as the lexically constrained decoders see them: sequences of tokens to be covered.

GBS, DBA, VDBA and CBS steer by tokens of each phrase's usual spelling. Whether a phrase is in the text is
judged by the text all the same: written in other tokens it counts, as a part of a longer word it does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from neurologic.feasibility.constraint import CompiledConstraint
from neurologic.matching.clause_tracker import bits
from neurologic.matching.vocabulary import TokenIds
from neurologic.search.beam import Beam
from neurologic.search.decoder import Selection
from neurologic.search.hypothesis import Candidate, Hypothesis
from neurologic.search.score_matrix import ScoreMatrix
from neurologic.search.settings import SearchSettings

# A phrase under way: its number and how many of its tokens are written.
Progress = tuple[int, int]
# The tokens with which a hypothesis would begin a phrase or go on with one.
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
        """C: the tokens of all phrases."""
        return sum(map(len, self.tokens.values()))

    def present(self, one: Hypothesis | Candidate) -> int:
        """Bit set of the phrases in a text, those included that its end would settle."""
        return one.found | self.constraint.matcher.provisional(one.state)

    def unmet(self, one: Hypothesis | Candidate) -> Iterator[int]:
        """The phrases that are not in the text."""
        present = self.present(one)
        return (phrase for phrase in self.tokens if not present >> phrase & 1)

    def covered(self, one: Hypothesis | Candidate, under_way: Iterable[Progress] = ()) -> int:
        """How many constraint tokens a text covers: of the phrases in it, and of the one under way."""
        present = self.present(one)
        whole = sum(len(tokens) for phrase, tokens in self.tokens.items() if present >> phrase & 1)
        return whole + max((done for phrase, done in under_way if not present >> phrase & 1), default=0)


class RowScores(NamedTuple):
    """What a row's hypothesis may be continued with: its likeliest tokens, and those asked for besides."""

    likeliest: dict[int, float]
    others: dict[int, float]

    def logprob(self, token: int) -> float:
        """The log-likelihood of a token that was fetched."""
        return self.likeliest[token] if token in self.likeliest else self.others[token]


def fetch(
    beams: Sequence[Beam], matrix: ScoreMatrix, count: int, next_tokens: Sequence[NextTokens]
) -> list[list[RowScores]]:
    """Per input and row the `count` likeliest tokens and the tokens that lead on with a phrase."""
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


def fill(candidates: Iterable[Candidate], places: int, selection: Selection) -> None:
    """Give the likeliest candidates the places of one bank; an end takes one only as a finished text."""
    taken = 0
    for rank, candidate in enumerate(in_order(candidates)):
        if candidate.ends and rank < places:
            candidate.fate = "finished"
            selection.ending.append(candidate)
        elif not candidate.ends and taken < places:
            candidate.fate = "selected"
            selection.running.append(candidate)
            taken += 1
        else:
            candidate.fate = "not selected"


def in_order(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Likeliest first; equal ones in a fixed order."""
    return sorted(candidates, key=lambda one: (-one.logprob, one.row, one.token))


def fill_banks(banks: Sequence[list[Candidate]], settings: SearchSettings) -> Selection:
    """Give every bank, the least covered first, `num_beams` places; with `rows` a share of these."""
    places = [settings.num_beams] * len(banks)
    if settings.rows is not None and banks:
        places = allocate(settings.rows, [len(bank) for bank in banks])
    selection = Selection(considered=[candidate for bank in banks for candidate in bank])
    for bank, of_bank in zip(banks, places, strict=True):
        fill(bank, of_bank, selection)
    return selection


def allocate(k: int, available: list[int]) -> list[int]:
    """Places per bank: equal shares, the rest to the fullest-covered banks; what a bank cannot fill goes on.

    >>> allocate(8, [9, 9, 9])
    [2, 3, 3]
    >>> allocate(8, [9, 9, 1])
    [2, 5, 1]
    """
    each, more = divmod(k, len(available))
    wanted = [each + (bank >= len(available) - more) for bank in range(len(available))]
    places = [min(pair) for pair in zip(wanted, available, strict=True)]
    for bank, share in enumerate(wanted):
        spare = max(0, share - available[bank])
        # Nearest banks first, of two equally near ones the one that covers more.
        for other in sorted(range(len(available)), key=lambda one: (abs(one - bank), -one)):
            handed = min(spare, available[other] - places[other])
            places[other] += handed
            spare -= handed
    return places
