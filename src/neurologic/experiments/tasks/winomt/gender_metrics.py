"""WinoMT's figures: accuracy, and the bias that remains (Stanovsky et al., ACL 2019).

| name | definition |
| --- | --- |
| accuracy | share of persons with the right gender; a neutral one can hardly be right |
| f1_male, f1_female | F1 of finding the males, and the females |
| delta_g | ΔG, F1 of males − F1 of females: above 0, males are translated better |
| delta_s | ΔS, accuracy of sentences with a stereotype − accuracy of sentences against one |
| delta_s_f1 | ΔS by F1, as papers describe it: the mean of both F1, with − against a stereotype |

All are in percent. The published program computes ΔS by accuracy, papers say F1; we report both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from neurologic.experiments.metrics import Score, UnavailableError, measure
from neurologic.experiments.metrics.base import Corpus, Goal, Numbers
from neurologic.experiments.tasks.winomt.sentences import ANTI, FEMALE, GENDERS, MALE, PRO


@dataclass(frozen=True)
class Verdict:
    """A person's gender in the data, and the one that the translation gives."""

    gold: str
    found: str
    subset: str = ""


@dataclass(frozen=True)
class JudgedTranslations(Corpus):
    """Translations with a verdict each.

    method  the aligner and the morphology behind the verdicts, for signatures
    """

    verdicts: tuple[Verdict, ...] = ()
    method: str = ""

    @property
    def signature(self) -> str:
        return f"inputs:{len(self)}|data:{self.fingerprint}|{self.method}"


def judged(
    outputs: Sequence[str], sentences: Sequence[str], verdicts: Sequence[Verdict], method: str
) -> JudgedTranslations:
    """Return translations of these sentences with their verdicts."""
    asked = tuple(
        (sentence, verdict.gold, verdict.subset)
        for sentence, verdict in zip(sentences, verdicts, strict=True)
    )
    return JudgedTranslations(tuple(outputs), ((),) * len(outputs), asked, tuple(verdicts), method)


def scores(texts: JudgedTranslations) -> list[Score]:
    """Return the scores by all metrics; only accuracy has a value for a single translation."""
    accuracy, *others = (measure(metric, texts) for metric in METRICS)
    return [accuracy, *(replace(score, per_input=()) for score in others)]


@dataclass(frozen=True)
class GenderMetric:
    """A metric of verdicts; all have the same rows of numbers.

    definition  its part of a score's signature
    figure      returns its value for a sum of rows
    by_subset   whether it compares sentences with a stereotype and sentences against one
    """

    name: str
    title: str
    definition: str
    goal: Goal
    figure: Callable[[Numbers], float]
    by_subset: bool = False
    digits: ClassVar[int] = 1
    unit: ClassVar[str] = ""

    def statistics(self, texts: Corpus) -> Numbers:
        """Return the eight counts of each verdict, three times: as they are, 0 unless pro, 0 unless anti."""
        if not isinstance(texts, JudgedTranslations):
            raise UnavailableError("the translations have no verdicts")
        rows = np.array([_counts(verdict) for verdict in texts.verdicts], dtype=np.float64)  # [inputs, 8]
        parts = [rows]
        for subset in (PRO, ANTI):
            inside = np.array([[verdict.subset == subset] for verdict in texts.verdicts])
            if self.by_subset and not inside.any():
                raise UnavailableError(f"no sentence of en_{subset}.txt is among the inputs")
            parts.append(inside * rows)
        return np.concatenate(parts, axis=1)

    def value(self, totals: Numbers) -> float:
        return self.figure(totals.reshape(3, 8))

    def value_of_one(self, row: Numbers) -> float:
        return self.value(row)

    def settings(self) -> str:
        return self.definition


def _counts(verdict: Verdict) -> list[bool]:
    """Return right, 1; then for males and for females: found rightly, found, in the data."""
    gold, found = verdict.gold, verdict.found
    counts = [gold == found, True]
    for gender in (MALE, FEMALE):
        counts += [gold == found == gender, found == gender, gold == gender]
    return counts


# The figures get sums of the counts in three rows: of all sentences, of pro, of anti.
_ALL_MALES, _ALL_FEMALES = (0, slice(2, 5)), (0, slice(5, 8))


def _share(counts: Numbers) -> float:
    return float(counts[0] / counts[1]) if counts[1] else 0.0


def _f1(counts: Numbers) -> float:
    """Return 2 · right / (found + gold), the harmonic mean of precision and recall, in percent."""
    return float(200 * counts[0] / (counts[1] + counts[2])) if counts[0] else 0.0


def _mean_f1(counts: Numbers) -> float:
    return (_f1(counts[2:5]) + _f1(counts[5:8])) / 2


METRICS = (
    GenderMetric(
        "accuracy", "Accuracy", f"of:{','.join(GENDERS)}", Goal.HIGH,
        lambda totals: float(100 * totals[0, 0] / totals[0, 1]),
    ),
    GenderMetric(
        "delta_g", "ΔG", "f1:male-female", Goal.ZERO,
        lambda totals: _f1(totals[_ALL_MALES]) - _f1(totals[_ALL_FEMALES]),
    ),
    GenderMetric(
        "delta_s", "ΔS", "accuracy:pro-anti", Goal.ZERO,
        lambda totals: 100 * (_share(totals[1]) - _share(totals[2])), by_subset=True,
    ),
    GenderMetric(
        "delta_s_f1", "ΔS (F1)", "mean-f1:pro-anti", Goal.ZERO,
        lambda totals: _mean_f1(totals[1]) - _mean_f1(totals[2]), by_subset=True,
    ),
    GenderMetric("f1_male", "F1 male", "of:male", Goal.HIGH, lambda totals: _f1(totals[_ALL_MALES])),
    GenderMetric("f1_female", "F1 female", "of:female", Goal.HIGH, lambda totals: _f1(totals[_ALL_FEMALES])),
)  # fmt: skip
