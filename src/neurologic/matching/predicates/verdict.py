"""The truth values of the predicates of a partial text."""

from __future__ import annotations

from typing import NamedTuple


class Verdict(NamedTuple):
    """What is known of the predicates of a partial text, as bit sets.

    true     would be true if the text ended here
    open     can still change
    missing  for each predicate that is not true, the phrases that bring it forward if written next
    """

    true: int = 0
    open: int = 0
    missing: tuple[int, ...] = ()


NO_VERDICT = Verdict()
