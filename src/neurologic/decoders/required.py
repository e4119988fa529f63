"""Required phrases as the lexically constrained decoders see them: sequences of tokens to be covered.

GBS, DBA, VDBA and CBS steer by tokens of each phrase's usual spelling. Whether a phrase is in the text is
judged by the text all the same: written in other tokens it counts, as a part of a longer word it does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TypeVar

from neurologic.constraint import CompiledConstraint
from neurologic.matching.clause_tracker import bits
from neurologic.matching.vocabulary import TokenIds
from neurologic.search.decoder import Selection
from neurologic.search.hypothesis import Candidate, Hypothesis
from neurologic.search.settings import SearchSettings

# A phrase under way: its number and how many of its tokens are written.
Progress = tuple[int, int]
Key = TypeVar("Key")


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


def fill_banks(banks: Mapping[Key, list[Candidate]], settings: SearchSettings) -> Selection:
    """Give every bank its places: `num_beams`, or with `rows` an equal share of these.

    Where there are more banks than rows, those with the likeliest candidates get one each.
    """
    order = sorted(banks, key=lambda bank: -max(candidate.logprob for candidate in banks[bank]))
    selection = Selection(considered=[candidate for bank in order for candidate in banks[bank]])
    each, more = divmod(settings.rows or 0, max(1, len(order)))
    for number, bank in enumerate(order):
        places = settings.num_beams if settings.rows is None else each + (number < more)
        fill(banks[bank], places, selection)
    return selection
