"""Cardinalities: how many of several formulas hold.

They count different phrases (or sub-formulas) that hold, never how often a phrase occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from neurologic.errors import FormulaError
from neurologic.logic.formula import Atom, Formula, Phrase, Predicate


@dataclass(frozen=True, slots=True)
class Count(Formula):
    """How many *different* parts hold, compared with `n`; a part that is listed twice counts once."""

    n: int
    parts: tuple[Formula, ...]
    name = ""
    reachable = True  # whether n may not exceed the number of parts

    def __post_init__(self) -> None:
        # Two spellings of one phrase are one phrase: at_most(1, red, Red) must not forbid "red".
        different: dict[Hashable, Formula] = {}
        for part in self.parts:
            different.setdefault(part.key if isinstance(part, (Phrase, Predicate)) else part, part)
        parts = tuple(different.values())
        if not parts:
            raise FormulaError(f"{self.name} needs at least one phrase to count")
        if isinstance(self.n, bool) or not isinstance(self.n, int) or self.n < 0:
            raise FormulaError(f"{self.name} needs a whole number from 0 on first, not {self.n!r}")
        if self.reachable and self.n > len(parts):
            raise FormulaError(
                f"{self.name}({self.n}, …) can never hold: it counts {len(parts)} different parts"
                + ("; several places of one phrase are dog[times=2]" if len(parts) == 1 else "")
            )
        object.__setattr__(self, "parts", parts)
        Formula.__post_init__(self)

    @property
    def operands(self) -> tuple[Formula, ...]:
        return self.parts

    def count(self, occurred: Callable[[Atom], bool]) -> int:
        """Return how many parts hold."""
        return sum(part.holds(occurred) for part in self.parts)

    def __str__(self) -> str:
        return f"{self.name}({self.n}, {', '.join([str(part) for part in self.parts])})"


@dataclass(frozen=True, slots=True)
class AtLeast(Count):
    """`n` or more parts hold."""

    name = "at_least"

    def holds(self, occurred: Callable[[Atom], bool]) -> bool:
        return self.count(occurred) >= self.n


@dataclass(frozen=True, slots=True)
class AtMost(Count):
    """`n` or fewer parts hold."""

    name = "at_most"
    reachable = False

    def holds(self, occurred: Callable[[Atom], bool]) -> bool:
        return self.count(occurred) <= self.n


@dataclass(frozen=True, slots=True)
class Exactly(Count):
    """Exactly `n` parts hold."""

    name = "exactly"

    def holds(self, occurred: Callable[[Atom], bool]) -> bool:
        return self.count(occurred) == self.n
