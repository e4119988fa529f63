"""Coverage of the given ingredients: the share of them that a text names, as a mean over the texts.

An ingredient is named by its name or a generic one, singular or plural, as a whole word in any case: by the
same phrases that the formula accepts. So a text that satisfies its formula covers all; the metric tells how
far texts without a formula come. What is done with an ingredient is not looked at.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

import numpy as np

from neurologic.experiments.metrics.base import Corpus, Mean, Numbers
from neurologic.logic import occurs

# For each ingredient of an input the phrases that count as it.
Accepted: TypeAlias = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class IngredientCoverage(Mean):
    """Coverage with rows (share of the ingredients, 1).

    accepted  per input
    """

    accepted: tuple[Accepted, ...] = field(default=(), repr=False)
    name: ClassVar[str] = "coverage"
    title: ClassVar[str] = "Coverage"

    def statistics(self, texts: Corpus) -> Numbers:
        rows = []
        for output, ingredients in zip(texts.outputs, self.accepted, strict=True):
            named = [any(occurs(phrase, output) for phrase in phrases) for phrases in ingredients]
            rows.append((sum(named) / len(named) if named else 1.0, 1.0))
        return np.array(rows, dtype=np.float64)

    def settings(self) -> str:
        return f"mean:inputs|match:word|case:fold|names:{digest_of(self.accepted)}"


def digest_of(names: object) -> str:
    """The names that a metric goes by, short enough for a signature."""
    return hashlib.sha256(repr(names).encode()).hexdigest()[:8]
