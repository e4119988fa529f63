"""A table of remembered results that never grows beyond a bound.

When it is full it forgets everything and begins anew. That is crude, but it needs no bookkeeping per look-up,
and the tables of this package hold results that can always be worked out again: what is forgotten costs time,
never another answer.
"""

from __future__ import annotations

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class BoundedTable(dict[K, V]):
    """A dictionary of at most `most` entries. Safe to share between threads if read with `get`.

    >>> table = BoundedTable[str, int](2)
    >>> for place, letter in enumerate("abc"):
    ...     table[letter] = place
    >>> dict(table)
    {'c': 2}
    """

    __slots__ = ("most",)

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def __setitem__(self, key: K, value: V) -> None:
        if len(self) >= self.most and key not in self:
            self.clear()
        super().__setitem__(key, value)
