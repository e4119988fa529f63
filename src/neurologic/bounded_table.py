"""A table of remembered results that never grows beyond a bound.

When it is full it forgets everything and begins anew. That is crude, but it needs no bookkeeping per look-up,
and the tables of this package hold results that can always be worked out again: what is forgotten costs time,
never another answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class BoundedTable(dict[K, V]):
    """A dictionary of at most `most` entries, or of values that `weigh` at most `most` together.

    Safe to share between threads if read with `get`. The newest value is always kept.

    >>> table = BoundedTable[str, int](2)
    >>> for place, letter in enumerate("abc"):
    ...     table[letter] = place
    >>> dict(table)
    {'c': 2}
    """

    __slots__ = ("_weigh", "_weight", "most")

    def __init__(self, most: int, weigh: Callable[[V], int] | None = None) -> None:
        super().__init__()
        self.most = most
        self._weigh = weigh
        self._weight = 0

    def __setitem__(self, key: K, value: V) -> None:
        if self._weigh is None:
            is_full = len(self) >= self.most and key not in self
        else:
            more = self._weigh(value)
            is_full = self._weight + more > self.most
            self._weight = more if is_full else self._weight + more
        if is_full:
            self.clear()
        super().__setitem__(key, value)
