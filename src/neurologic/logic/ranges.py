"""Ranges of numbers: `12`, `10..20`, `..20`, `2..`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from neurologic.errors import FormulaError

MOST = 10_000  # the largest number of a range, a place or a distance

_WRITTEN = re.compile(r"(\d*)(\.\.)(\d*)|(\d+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Range:
    """How many: from `low` to `high`, both included; no upper bound where `high` is None."""

    low: int = 0
    high: int | None = None

    def __post_init__(self) -> None:
        checked_number("a range", self.low)
        if self.high is not None:
            checked_number("a range", self.high)
            if self.high < self.low:
                raise FormulaError(f"the range {self} is empty; write {self.high}..{self.low}")

    def __contains__(self, number: int) -> bool:
        return self.low <= number and (self.high is None or number <= self.high)

    def __str__(self) -> str:
        if self.low == self.high:
            return str(self.low)
        return f"{self.low or ''}..{self.high}" if self.high is not None else f"{self.low}.."


def read_range(text: str) -> Range:
    """Return the range that a text writes.

    >>> print(read_range("10..20"), read_range("..20"), read_range("2.."), read_range("12"))
    10..20 ..20 2.. 12
    """
    found = _WRITTEN.fullmatch(text.strip())
    if found is None or text.strip() == "..":
        raise FormulaError(f'"{text}" is not a range; write 12, 10..20, ..20 or 2..')
    low, dots, high, single = found.groups()
    if any(len(number or "") > len(str(MOST)) for number in (low, high, single)):
        raise FormulaError(f"a range needs whole numbers from 0 to {MOST:,}, not {text.strip()[:40]}")
    if dots is None:
        return Range(int(single), int(single))
    return Range(int(low or 0), int(high) if high else None)


def checked_number(what: str, number: object) -> None:
    """Refuse all but whole numbers from 0 to `MOST`."""
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= MOST:
        raise FormulaError(f"{what} needs whole numbers from 0 to {MOST:,}, not {number}")
