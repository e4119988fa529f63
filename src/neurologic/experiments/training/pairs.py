"""Pairs of texts, and which of them are trained on: a fixed part, the same on every machine.

Sources are put into an order that depends on their text alone (by a hash), so that a smaller fraction is
contained in every larger one, whatever the order of the file. All targets of a source stay together. The
sources that are held out come last in that order and are in no fraction, not even in the whole.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

# Never more than this share is held out: with few pairs, each is needed.
_MOST_HELD_OUT = 0.1


@dataclass(frozen=True)
class Pair:
    """What a model reads, and what it is to write; an empty source if it is to read nothing."""

    source: str
    target: str


@dataclass(frozen=True)
class Sample:
    """The pairs to train on, and those kept apart."""

    training: tuple[Pair, ...]
    held_out: tuple[Pair, ...]

    def to_json(self) -> dict[str, Any]:
        """What tells these pairs from others, for the folder of a training."""
        return {
            "pairs": len(self.training),
            "held_out_pairs": len(self.held_out),
            "fingerprint": self._fingerprint(),
        }

    def _fingerprint(self) -> str:
        """A hash of all texts in their order."""
        digest = hashlib.sha256()
        for part in (self.training, self.held_out):
            for pair in part:
                for text in (pair.source, pair.target):
                    digest.update(f"{len(text)}:{text}".encode())
            digest.update(b"|")
        return digest.hexdigest()


def sample(pairs: Sequence[Pair], fraction: float = 1.0, held_out: int = 0) -> Sample:
    """A fraction of the sources with all of their pairs, and `held_out` other sources.

    At least one source is trained on, and at most a tenth of them is held out. A pair without a target is
    left out.
    """
    by_source: dict[str, list[Pair]] = {}
    for pair in pairs:
        if not pair.target.strip():
            continue
        by_source.setdefault(pair.source or pair.target, []).append(pair)
    order = sorted(by_source, key=_place)
    apart = min(held_out, math.floor(_MOST_HELD_OUT * len(order)))
    known = order[: len(order) - apart]
    # Rounded first, since 0.3 * 10 is a little more than 3.
    taken = known[: math.ceil(round(fraction * len(known), 9))]
    return Sample(
        tuple(pair for source in taken for pair in by_source[source]),
        tuple(pair for source in order[len(known) :] for pair in by_source[source]),
    )


def _place(source: str) -> bytes:
    return hashlib.sha256(source.encode()).digest()
