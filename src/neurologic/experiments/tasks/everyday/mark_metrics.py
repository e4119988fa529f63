"""Count the texts that show the marks of a bad text (see `neurologic.marks`), and those that show none.

A text is *failure-free* if it shows no mark. An input without a text is not failure-free, but shows no mark
either: the shares of marks and of failure-free texts need not add up to 100 in any case, as one text may show
several marks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from neurologic.experiments.metrics import Metric, Score, UnavailableError, measure
from neurologic.experiments.metrics.base import Corpus, Goal, Mean, Numbers
from neurologic.experiments.tasks.base import Item, WrittenText
from neurologic.logic import to_clauses
from neurologic.marks import MARKS, find_marks


@dataclass(frozen=True)
class MarkedTexts(Corpus):
    """Texts as they were written, white space included, with the kinds of marks that each shows.

    data  eight digits that change with prompts and formulas
    """

    marks: tuple[frozenset[str], ...] = ()
    data: str = ""

    @property
    def signature(self) -> str:
        return f"inputs:{len(self)}|data:{self.data}"


def marked_texts(texts: Sequence[WrittenText], items: Sequence[Item]) -> MarkedTexts:
    """Return texts with their marks."""
    asked = [(item.id, str(item.prompt), str(item.formula)) for item in items]
    marks = tuple(_kinds(text, item) for text, item in zip(texts, items, strict=True))
    return MarkedTexts(
        outputs=tuple(text.text for text in texts),
        references=((),) * len(texts),
        marks=marks,
        data=hashlib.sha256(repr(asked).encode()).hexdigest()[:8],
    )


def _kinds(written: WrittenText, item: Item) -> frozenset[str]:
    clauses = () if item.formula is None else to_clauses(item.formula)
    found = find_marks(written.text, clauses, prompt=str(item.prompt), truncated=written.cut_off)
    return frozenset(mark.kind for mark in found)


def mark_scores(texts: MarkedTexts) -> list[Score]:
    """Return the share of failure-free texts, then that of each mark."""
    metrics: list[Metric] = [FailureFree(), *(MarkShare(kind.name) for kind in MARKS)]
    return [measure(metric, texts) for metric in metrics]


@dataclass(frozen=True)
class FailureFree(Mean):
    """The share of texts without a mark, with rows (0 or 1, 1)."""

    name: ClassVar[str] = "failure_free"
    title: ClassVar[str] = "failure-free"

    def statistics(self, texts: Corpus) -> Numbers:
        pairs = zip(texts.outputs, _marks(texts), strict=True)
        return np.array([(float(bool(output.strip()) and not marks), 1.0) for output, marks in pairs])

    def settings(self) -> str:
        return f"marks:{','.join(kind.name for kind in MARKS)}"


@dataclass(frozen=True)
class MarkShare(Mean):
    """The share of texts that show one mark, with rows (0 or 1, 1); lower is better."""

    kind: str
    goal: ClassVar[Goal] = Goal.LOW

    @property
    def name(self) -> str:
        return f"mark_{self.kind.replace(' ', '_').replace('-', '_')}"

    @property
    def title(self) -> str:
        return self.kind

    def statistics(self, texts: Corpus) -> Numbers:
        return np.array([(float(self.kind in marks), 1.0) for marks in _marks(texts)])

    def settings(self) -> str:
        return f"mark:{self.kind}"


def _marks(texts: Corpus) -> tuple[frozenset[str], ...]:
    if not isinstance(texts, MarkedTexts):
        raise UnavailableError("the texts have not been searched for marks")
    return texts.marks
