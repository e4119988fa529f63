"""Choose inputs of a split: all, the first few, or a fixed sample."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

SEED = 0


@dataclass(frozen=True)
class Subset:
    """A choice of inputs; give at most one of the two numbers.

    limit   take the first `limit` inputs
    sample  draw this many at random, always the same ones; a larger sample contains every smaller one
    """

    limit: int | None = None
    sample: int | None = None

    def of(self, items: Sequence[T]) -> list[T]:
        """Return the chosen items in their order.

        >>> [Subset(sample=size).of("abcdef") for size in (2, 3)]
        [['c', 'e'], ['b', 'c', 'e']]
        """
        if self.sample is None:
            return list(items[: self.limit])
        places = list(range(len(items)))
        random.Random(SEED).shuffle(places)
        return [items[place] for place in sorted(places[: self.sample])]

    def __str__(self) -> str:
        if self.sample is not None:
            return f"sample:{self.sample}|sample_seed:{SEED}"
        return "all" if self.limit is None else f"first:{self.limit}"
