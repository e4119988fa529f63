"""Finished texts of a sampler: weighted particles, of which chance picks the texts to return.

The search keeps particles (see `decoders.particles`). Each finished one has a weight, and a text comes back
with a probability in proportion to it, not because it is the likeliest. Satisfied texts still come first, and
a truncated text comes back only where no other has finished.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from neurologic.search.finished_texts import ENDINGS, FinishedTexts
from neurologic.search.hypothesis import Finished
from neurologic.search.settings import SearchSettings

_TRUNCATED = ENDINGS["length"]


@dataclass(frozen=True, slots=True)
class Particle:
    """The sampler's note on a text.

    count     how many particles have this text; they share a row of the model
    weight    the logarithm of the weight of each
    deferred  the part of `weight` that resampling leaves out for now, with the opposite sign
    natural   the probability of paying tokens, summed up over the steps so far
    steps     the number of these steps
    """

    count: int
    weight: float = 0.0
    deferred: float = 0.0
    natural: float = 0.0
    steps: int = 0

    @property
    def mass(self) -> float:
        """The logarithm of the weight of all its particles."""
        return self.weight + math.log(self.count)


class DrawnTexts(FinishedTexts):
    """All finished texts, in an order drawn by their weights without putting back."""

    def __init__(self, settings: SearchSettings, chance: random.Random) -> None:
        super().__init__(settings)
        self._chance = chance
        self._drawn: list[tuple[tuple[int, bool, float], Finished]] = []

    def add(self, text: Finished) -> None:
        """Keep the text, in a place that chance gives it.

        In the order of log-weight plus Gumbel noise, the first text is a draw by weight, and so is each
        following one among those that are left (Kool et al., ICML 2019).
        """
        noise = -math.log(-math.log(max(self._chance.random(), 1e-12)))
        truncated = ENDINGS[text.ending] == _TRUNCATED
        self._drawn.append(((-text.satisfied, truncated, -mass(text) - noise), text))
        self._drawn.sort(key=lambda drawn: drawn[0])
        self._texts = [text for _, text in self._drawn]

    def particles(self) -> list[Particle]:
        """Return the notes on all finished texts."""
        return [text.memory for text in self._texts if isinstance(text.memory, Particle)]

    def enough(self, best_running: float, length: int, limit: int, all_satisfied: int) -> bool:
        """Never stop before the last particle: which text comes back depends on all weights."""
        return False


def mass(text: Finished) -> float:
    """Return the logarithm of a text's weight; 0 if no sampler wrote it."""
    return text.memory.mass if isinstance(text.memory, Particle) else 0.0
