"""Pairs of texts, and a reproducible sample of them to train on.

Sources are sorted by a hash of their text, so that every larger fraction contains the smaller ones, whatever
the order of the file. All targets of a source stay together. Held-out sources come last in that order, and no
fraction contains them, not even 1.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

# Hold out at most this share: with few pairs, training needs each.
_MOST_HELD_OUT = 0.1


@dataclass(frozen=True)
class Pair:
    """A text that a model reads, which may be empty, and the text that it should write."""

    source: str
    target: str


@dataclass(frozen=True)
class Sample:
    """The pairs to train on, and the held-out ones."""

    training: tuple[Pair, ...]
    held_out: tuple[Pair, ...]

    def to_json(self) -> dict[str, Any]:
        """Identify the pairs, for the manifest of a training."""
        return {
            "pairs": len(self.training),
            "held_out_pairs": len(self.held_out),
            "fingerprint": self._fingerprint(),
        }

    def _fingerprint(self) -> str:
        """Return a hash of all texts in their order."""
        digest = hashlib.sha256()
        for part in (self.training, self.held_out):
            for pair in part:
                for text in (pair.source, pair.target):
                    digest.update(f"{len(text)}:{text}".encode())
            digest.update(b"|")
        return digest.hexdigest()


def sample(pairs: Sequence[Pair], fraction: float = 1.0, held_out: int = 0) -> Sample:
    """Choose a fraction of the sources with all of their pairs, and `held_out` other sources.

    The fraction has at least one source, and at most a tenth of all is held out. Pairs without a target are
    left out.
    """
    by_source: dict[str, list[Pair]] = {}
    for pair in pairs:
        if pair.target.strip():
            by_source.setdefault(pair.source or pair.target, []).append(pair)
    order = sorted(by_source, key=lambda source: hashlib.sha256(source.encode()).digest())
    available = len(order) - min(held_out, math.floor(_MOST_HELD_OUT * len(order)))
    # Round first, because 0.3 * 10 is a little more than 3.
    taken = math.ceil(round(fraction * available, 9))
    return Sample(
        tuple(pair for source in order[:taken] for pair in by_source[source]),
        tuple(pair for source in order[available:] for pair in by_source[source]),
    )
