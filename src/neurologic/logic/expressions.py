"""Regular expressions as trees, and the plain definition of what they match.

An expression denotes a set of strings; groups capture nothing, and lazy or greedy makes no difference.
`expression_parser` reads expressions. `ends` is the definition that everything else must agree with: it is
polynomial whatever the expression, so no text makes it hang.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Literal

from neurologic.logic.character_sets import CharacterSet, contains


@dataclass(frozen=True, slots=True)
class Characters:
    """One character of a set; case is already ignored where the user asked for that."""

    ranges: CharacterSet


@dataclass(frozen=True, slots=True)
class Concatenation:
    """The parts one after the other; without parts, the empty string."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the parts."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """The part from `low` to `high` times; any number of times from `low` on where `high` is None."""

    part: Expression
    low: int
    high: int | None


@dataclass(frozen=True, slots=True)
class Anchor:
    """Nothing, but only at the start or at the very end of the text."""

    at: Literal["start", "end"]


Expression = Characters | Concatenation | Choice | Repeat | Anchor


def size(expression: Expression) -> int:
    """Return how many characters and anchors the expression has once repetitions are written out."""
    match expression:
        case Concatenation(parts) | Choice(parts):
            return max(1, sum(map(size, parts)))
        case Repeat(part, low, high):
            return max(1, low if high is None else high) * size(part)
    return 1


def matches(expression: Expression, text: str, *, whole: bool = False) -> bool:
    """Return whether the expression matches somewhere in a text or, if `whole`, all of it."""
    if whole:
        return len(text) in ends(expression, text, {0})
    return bool(ends(expression, text, set(range(len(text) + 1))))


def ends(expression: Expression, text: str, starts: Set[int]) -> Set[int]:
    """Return the places where matches end that begin at one of the places `starts`."""
    match expression:
        case Characters(ranges):
            return {place + 1 for place in starts if place < len(text) and contains(ranges, text[place])}
        case Anchor(at):
            return starts & {0 if at == "start" else len(text)}
        case Concatenation(parts):
            for part in parts:
                starts = ends(part, text, starts)
            return starts
        case Choice(parts):
            return set().union(*(ends(part, text, starts) for part in parts))
        case Repeat(part, low, high):
            for _ in range(low):
                starts = ends(part, text, starts)
            return _reached(
                lambda places: ends(part, text, places), starts, None if high is None else high - low
            )


def _reached(step: Callable[[Set[int]], Set[int]], starts: Set[int], steps: int | None) -> Set[int]:
    """Return the places that at most so many steps reach (None: any number)."""
    reached, newest = set(starts), starts
    while newest and steps != 0:
        newest = step(newest) - reached
        reached |= newest
        steps = None if steps is None else steps - 1
    return reached


def first_match(expression: Expression, text: str) -> tuple[int, int] | None:
    """Return the first place that matches, and the longest match there; None without a match.

    Halve the places, since looking at one after the other takes quadratic time.
    """
    if not matches(expression, text):
        return None
    low, high = 0, len(text)  # a match begins in this stretch, and none before it
    while low < high:
        middle = (low + high) // 2
        if ends(expression, text, set(range(low, middle + 1))):
            high = middle
        else:
            low = middle + 1
    return low, max(ends(expression, text, {low}))
