"""The texts to score, the protocol of a metric, and a score.

Every metric here is a function of *sums*: each input gives a row of numbers, and the score follows from the
sum of the rows. For a mean the row is (value, 1), for BLEU it is the counts of n-grams. So the score of any
selection of inputs costs one addition, which makes `metrics.bootstrap` fast.

A metric that lacks a package, Java or the concepts gives n/a and the reason; it never substitutes a different
score. Wrong data is an error: counts that do not match, or an input without references.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from neurologic import __version__
from neurologic.errors import DataError
from neurologic.experiments.metrics.commongen_tokens import normalised, tokenised
from neurologic.experiments.metrics.optional_packages import UnavailableError

Numbers = NDArray[np.float64]
Texts = tuple[str, ...]


@dataclass(frozen=True)
class Corpus:
    """Outputs with their references, white space normalised; `corpus` makes one from unchecked data.

    concepts  per input the words that its output should use, for coverage
    """

    outputs: Texts
    references: tuple[Texts, ...]
    concepts: tuple[Texts, ...] | None = None

    def __len__(self) -> int:
        return len(self.outputs)

    @cached_property
    def output_tokens(self) -> tuple[Texts, ...]:
        """The outputs in the tokens of CommonGen's scorer."""
        return tuple(map(tokenised, self.outputs))

    @cached_property
    def reference_tokens(self) -> tuple[tuple[Texts, ...], ...]:
        """The references in the tokens of CommonGen's scorer."""
        return tuple(tuple(map(tokenised, references)) for references in self.references)

    @cached_property
    def fingerprint(self) -> str:
        """Eight hexadecimal digits that change with the references and the concepts, not with the outputs."""
        return hashlib.sha256(repr((self.references, self.concepts)).encode()).hexdigest()[:8]

    @property
    def signature(self) -> str:
        """The number of inputs, of references per input, and the fingerprint."""
        counts = {len(references) for references in self.references}
        span = str(min(counts)) if len(counts) == 1 else f"{min(counts)}-{max(counts)}"
        return f"inputs:{len(self)}|refs:{span}|data:{self.fingerprint}"


def corpus(
    outputs: Sequence[str],
    references: Sequence[Sequence[str]],
    concepts: Sequence[Sequence[str]] | None = None,
) -> Corpus:
    """Check the texts and normalise white space: a newline would end an output in some formats.

    >>> corpus(["A dog\\nruns ."], [["The dog runs.", "A dog ran."]]).outputs
    ('A dog runs .',)
    """
    if not len(outputs):
        raise DataError("there are no outputs to score")
    return Corpus(
        _normalised("outputs", outputs),
        _lists("references", references, len(outputs)),
        None if concepts is None else _lists("concepts", concepts, len(outputs)),
    )


def _lists(kind: str, lists: Sequence[Sequence[str]], inputs: int) -> tuple[Texts, ...]:
    """Return the references or concepts of all inputs, at least one for each."""
    if isinstance(lists, str):
        raise DataError(f"the {kind} are one text; give a list of texts per input")
    if len(lists) != inputs:
        raise DataError(f"there are {inputs} outputs, but {kind} for {len(lists)} inputs")
    for number, texts in enumerate(lists, 1):
        if not len(texts):
            raise DataError(f"input {number} has no {kind}")
    return tuple(_normalised(f"{kind} of input {number}", texts) for number, texts in enumerate(lists, 1))


def _normalised(kind: str, texts: Sequence[str]) -> Texts:
    if isinstance(texts, str):  # also a sequence, but of characters
        raise DataError(f"the {kind} are one text; give a list of texts")
    for number, text in enumerate(texts, 1):
        if not isinstance(text, str):
            raise DataError(f"{kind}: number {number} must be a string, not {text!r}")
    return tuple(map(normalised, texts))


class Goal(Enum):
    """Which values of a metric are good."""

    HIGH = "higher is better"
    LOW = "lower is better"
    ZERO = "nearer to 0 is better"

    def distance(self, value: Any) -> Any:
        """Return a number that is smaller for better values; for an array, one per value."""
        return {Goal.HIGH: -value, Goal.LOW: value, Goal.ZERO: abs(value)}[self]


class Metric(Protocol):
    """A metric; one frozen data class per file implements it."""

    @property
    def name(self) -> str:
        """The name in files: "bleu_4"."""
        ...

    @property
    def title(self) -> str:
        """The name in papers: "BLEU-4"."""
        ...

    @property
    def goal(self) -> Goal:
        """Which values are good."""
        ...

    @property
    def digits(self) -> int:
        """How many digits after the point tables show."""
        ...

    @property
    def unit(self) -> str:
        """The unit of its values for a reader of a table, "" for percent."""
        ...

    def statistics(self, texts: Corpus) -> Numbers:
        """Return a row of numbers per input, whose sum gives the score; raise `UnavailableError` for n/a."""
        ...

    def value(self, totals: Numbers) -> float:
        """Return the score of a sum of rows, as tables show it: in percent, CIDEr × 10."""
        ...

    def value_of_one(self, row: Numbers) -> float:
        """Return the score of a single input."""
        ...

    def settings(self) -> str:
        """Return all that decides the score besides the texts, as "key:value|key:value"."""
        ...


@dataclass(frozen=True)
class Mean:
    """Base of the metrics that are means, with rows (value between 0 and 1, weight)."""

    goal: ClassVar[Goal] = Goal.HIGH
    digits: ClassVar[int] = 1
    unit: ClassVar[str] = ""

    def value(self, totals: Numbers) -> float:
        return float(100 * totals[0] / totals[1])

    def value_of_one(self, row: Numbers) -> float:
        return self.value(row)


@dataclass(frozen=True)
class Score:
    """The score of some outputs under a metric.

    value       as tables show it, None for n/a
    per_input   the value of every input alone, in their order; smoothed for BLEU
    signature   the metric, the data and the settings: only scores of equal signatures can be compared
    reason      why there is no value
    statistics  [inputs, numbers]: the rows, from which the score of any selection of inputs follows
    """

    metric: Metric
    value: float | None
    per_input: tuple[float, ...] = ()
    signature: str = ""
    reason: str = ""
    statistics: Numbers | None = field(default=None, repr=False, compare=False)

    @property
    def name(self) -> str:
        return self.metric.name

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.metric.title} n/a ({self.reason})"
        return f"{self.metric.title} {self.value:.{self.metric.digits}f} ({self.signature})"

    def of(self, places: Sequence[int], part: str) -> Score:
        """Return the score of some of the inputs; `part` is their name in the signature."""
        if self.statistics is None:
            return self
        rows = self.statistics[list(places)]
        return replace(
            self,
            value=self.metric.value(rows.sum(axis=0)),
            per_input=tuple(self.per_input[place] for place in places) if self.per_input else (),
            signature=f"{self.signature}|part:{part}|inputs:{len(places)}",
            statistics=rows,
        )

    def worst(self) -> list[int]:
        """Return the indices of all inputs, the worst first, ties in their order."""
        return sorted(
            range(len(self.per_input)), key=lambda index: -self.metric.goal.distance(self.per_input[index])
        )

    def to_json(self) -> dict[str, Any]:
        """Return the score for a JSON document; `value` is null for n/a, and `reason` then says why."""
        line = {"name": self.name, "value": self.value, "signature": self.signature}
        return line | ({"reason": self.reason} if self.reason else {})


def measure(metric: Metric, texts: Corpus) -> Score:
    """Return the score of a metric, or n/a with the reason."""
    try:
        rows = metric.statistics(texts)
        signature = f"{metric.name}|{texts.signature}|{metric.settings()}|neurologic:{__version__}"
    except UnavailableError as error:
        return Score(metric, None, reason=str(error))
    value = metric.value(rows.sum(axis=0))
    return Score(metric, value, tuple(map(metric.value_of_one, rows)), signature, statistics=rows)
