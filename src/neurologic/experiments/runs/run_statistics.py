"""Statistics over the predictions of one system: verdicts, forced tokens, repetition, likelihood, cost.

Predictions without a text count in `refused` and `failed` only, so compare systems that wrote equally many.
Log-likelihoods are those of the search (`Result.logprob`): the model's own, unless a logits processor changes
scores. Masks (forbidden special tokens, n-gram blocking) do not change them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from neurologic.experiments.runs.diversity import FUNCTION_WORDS, distinct, repetition
from neurologic.experiments.runs.prediction import Prediction
from neurologic.experiments.tables import Cell, number_cell
from neurologic.logic import ClauseReport, Formula, check


@dataclass(frozen=True)
class Figures:
    """The figures of one system; shares are in percent, and None means nothing to count, or not known.

    formula            the rule that reduced formulas to what the decoder can express; "whole" without one
    texts              texts written
    refused            inputs with a formula that the decoder cannot express
    failed             inputs that failed otherwise
    clauses_satisfied  share of satisfied clauses, of those that require words if the caller names these
    broken             share of texts that break one of the other clauses
    texts_satisfied    share of texts that satisfy every clause
    log_likelihood     mean over texts of log-likelihood / tokens, end token included, in nats
    distinct_1, _2     different n-grams of words / n-grams, over all texts together
    repetition_1       1 − different words / words inside a text, without function words, mean over texts
    repetition_2       the same for pairs of words, function words included
    words              words per text
    seconds            seconds per text
    calls              per text: texts that the model read one token further (editing: sentences judged)
    reused             per text: look-ahead steps that needed no such call
    forced             share of texts with tokens forced by the payment plan
    cut_off            share of texts that ended at the limit of length or time
    """

    formula: str = ""
    texts: int = 0
    refused: int = 0
    failed: int = 0
    clauses_satisfied: float | None = None
    broken: float | None = None
    texts_satisfied: float | None = None
    log_likelihood: float | None = None
    distinct_1: float | None = None
    distinct_2: float | None = None
    repetition_1: float | None = None
    repetition_2: float | None = None
    words: float | None = None
    seconds: float | None = None
    calls: float | None = None
    reused: float | None = None
    forced: float | None = None
    cut_off: float | None = None

    @property
    def without_text(self) -> int:
        return self.refused + self.failed

    @property
    def texts_and_gaps(self) -> str:
        """The number of texts, and why some are missing.

        >>> Figures(texts=3, refused=2).texts_and_gaps, Figures(texts=5).texts_and_gaps
        ('3, refused: 2', '5')
        """
        gaps = {"refused": self.refused, "failed": self.failed}
        parts = [str(self.texts), *(f"{reason}: {count}" for reason, count in gaps.items() if count)]
        return ", ".join(parts)

    def to_json(self, names: Mapping[str, str]) -> dict[str, Any]:
        """Return some figures; `names` has the name in JSON and the attribute."""
        values = {name: getattr(self, attribute) for name, attribute in names.items()}
        return {
            name: round(value, 4) if isinstance(value, float) else value for name, value in values.items()
        }


@dataclass(frozen=True)
class Column:
    """A figure as a column of a table; `digits` after the point, None for a column of text."""

    heading: str
    meaning: str
    attribute: str
    digits: int | None

    def cell(self, figures: Figures) -> Cell:
        """Return the figure, "-" if there is none."""
        value = getattr(figures, self.attribute)
        return Cell(str(value or "-")) if self.digits is None or value is None else self.number_cell(figures)

    def number_cell(self, *systems: Figures) -> Cell:
        """Return the figures of one system or of two, n/a if there is none."""
        values = (getattr(figures, self.attribute) for figures in systems)
        return number_cell(*values, digits=self.digits or 0)


TEXTS_SATISFIED = Column("texts %", "texts with every clause satisfied", "texts_satisfied", 1)
FORCED = Column("forced %", "texts with tokens forced by the payment plan", "forced", 1)
REPETITION = Column("rep-1 %", "words that repeat one of the same text, without a, the, …", "repetition_1", 1)
SECONDS = Column("s/text", "seconds per text", "seconds", 2)


@lru_cache(maxsize=4096)  # several systems have the same inputs
def asking_clauses(formula: Formula | None) -> frozenset[str]:
    """Return the clauses that ask for words: those that an empty text does not satisfy."""
    clauses = check(formula, "", occurred=lambda phrase: False)
    return frozenset(clause.text for clause in clauses if not clause.satisfied)


def summarise(predictions: Sequence[Prediction], asking: Sequence[frozenset[str]] | None = None) -> Figures:
    """Return the figures of a system.

    `asking`: per prediction, the clauses that require words. If given, only these are counted as satisfied:
    thousands of forbidden words, which even an empty text avoids, would hide the rest.
    """
    written = [prediction for prediction in predictions if not prediction.error]
    refused = sum(prediction.refused for prediction in predictions)
    asked, others = _split_clauses(predictions, asking)
    outputs = [prediction.output for prediction in written]
    timed = [prediction for prediction in written if prediction.seconds is not None]
    results = [prediction.result for prediction in timed]
    return Figures(
        formula=_formula_labels(result.reduced for result in results),
        texts=len(written),
        refused=refused,
        failed=len(predictions) - len(written) - refused,
        clauses_satisfied=percent(clause.satisfied for clauses in asked for clause in clauses),
        broken=percent(not all(clause.satisfied for clause in clauses) for clauses in others if clauses),
        texts_satisfied=percent(not prediction.unmet for prediction in written if prediction.clauses),
        log_likelihood=mean(
            prediction.result.logprob / prediction.tokens for prediction in timed if prediction.tokens
        ),
        distinct_1=_in_percent(distinct(outputs, 1)),
        distinct_2=_in_percent(distinct(outputs, 2)),
        repetition_1=percent(repetition(output, 1, FUNCTION_WORDS) for output in outputs),
        repetition_2=percent(repetition(output, 2) for output in outputs),
        words=mean(len(output.split()) for output in outputs),
        seconds=mean(prediction.seconds for prediction in timed if prediction.seconds is not None),
        calls=mean(result.calls for result in results),
        reused=mean(result.reused for result in results),
        forced=percent(result.forced > 0 for result in results),
        cut_off=percent(prediction.cut_off for prediction in timed),
    )


def mean(values: Iterable[float]) -> float | None:
    """Return the mean, None without values."""
    listed = list(values)
    return sum(listed) / len(listed) if listed else None


def percent(values: Iterable[float]) -> float | None:
    """Return the mean of shares or truth values in percent, None without values."""
    return _in_percent(mean(values))


def _in_percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


_Verdicts = list[list[ClauseReport]]


def _split_clauses(
    predictions: Sequence[Prediction], asking: Sequence[frozenset[str]] | None
) -> tuple[_Verdicts, _Verdicts]:
    """Return per prediction the clauses that ask for words, and the others; all of them without `asking`."""
    if asking is None:
        return [list(prediction.clauses) for prediction in predictions], []
    asked, others = [], []
    for prediction, wanted in zip(predictions, asking, strict=True):
        asked.append([clause for clause in prediction.clauses if clause.text in wanted])
        others.append([clause for clause in prediction.clauses if clause.text not in wanted])
    return asked, others


def _formula_labels(labels: Iterable[str]) -> str:
    """Return the label of the reduction, with counts if inputs differ; "" if nothing is known."""
    counts = Counter(label or "whole" for label in labels)
    if len(counts) < 2:
        return next(iter(counts), "")
    return "; ".join(f"{label} ({count})" for label, count in counts.items())
