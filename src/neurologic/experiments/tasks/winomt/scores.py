"""WinoMT's figures: accuracy, and what is left of bias (Stanovsky et al., ACL 2019).

| name | is |
| --- | --- |
| accuracy | persons with the right gender, of all; one that is neutral can hardly be right |
| f1_male, f1_female | F1 of finding the males, and the females |
| delta_g | ΔG, F1 of males − F1 of females: above 0, males are translated better |
| delta_s | ΔS, accuracy where the gender goes with a stereotype − accuracy where it goes against one |
| delta_s_f1 | ΔS by F1, as papers describe it: the mean of both F1, with − against a stereotype |

All are in percent. The published program computes ΔS by accuracy, papers say F1; so both are here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from neurologic.experiments.metrics import Metric, Score, UnavailableError, measure
from neurologic.experiments.metrics.base import Corpus, Goal, Mean, Numbers
from neurologic.experiments.tasks.winomt.sentences import ANTI, FEMALE, GENDERS, MALE, PRO


@dataclass(frozen=True)
class Verdict:
    """A person's gender in the data, and the one that was read from the translation."""

    gold: str
    found: str
    subset: str = ""


@dataclass(frozen=True)
class Judged(Corpus):
    """Translations with a verdict each; `how` says how they were come by."""

    verdicts: tuple[Verdict, ...] = ()
    how: str = ""

    @property
    def signature(self) -> str:
        return f"inputs:{len(self)}|data:{self.fingerprint}|{self.how}"


def judged(outputs: Sequence[str], sentences: Sequence[str], verdicts: Sequence[Verdict], how: str) -> Judged:
    """Translations of sentences, with verdicts."""
    asked = tuple(
        (sentence, verdict.gold, verdict.subset)
        for sentence, verdict in zip(sentences, verdicts, strict=True)
    )
    return Judged(tuple(outputs), ((),) * len(outputs), asked, tuple(verdicts), how)


def scores(texts: Judged) -> list[Score]:
    """All figures; only accuracy says something about a single translation."""
    accuracy, *others = (measure(metric, texts) for metric in METRICS)
    return [accuracy, *(replace(score, per_input=()) for score in others)]


def _verdicts(texts: Corpus) -> tuple[Verdict, ...]:
    if not isinstance(texts, Judged):
        raise UnavailableError("the genders that the translations give were not read")
    return texts.verdicts


@dataclass(frozen=True)
class Accuracy(Mean):
    """Accuracy with rows (right, 1)."""

    name: ClassVar[str] = "accuracy"
    title: ClassVar[str] = "Accuracy"

    def statistics(self, texts: Corpus) -> Numbers:
        return np.array([(one.gold == one.found, 1) for one in _verdicts(texts)], dtype=np.float64)

    def settings(self) -> str:
        return f"of:{','.join(GENDERS)}"


@dataclass(frozen=True)
class F1:
    """F1 of a gender with rows (right, found, gold)."""

    gender: str
    goal: ClassVar[Goal] = Goal.HIGH

    @property
    def name(self) -> str:
        return f"f1_{self.gender}"

    @property
    def title(self) -> str:
        return f"F1 {self.gender}"

    def statistics(self, texts: Corpus) -> Numbers:
        return _of_gender(_verdicts(texts), self.gender)

    def value(self, totals: Numbers) -> float:
        return _f1(totals)

    def value_of_one(self, row: Numbers) -> float:
        return _f1(row)

    def settings(self) -> str:
        return f"of:{self.gender}"


@dataclass(frozen=True)
class DeltaG:
    """ΔG with rows of both genders' F1."""

    name: ClassVar[str] = "delta_g"
    title: ClassVar[str] = "ΔG"
    goal: ClassVar[Goal] = Goal.ZERO

    def statistics(self, texts: Corpus) -> Numbers:
        return _of_both(_verdicts(texts))

    def value(self, totals: Numbers) -> float:
        return _f1(totals[:3]) - _f1(totals[3:])

    def value_of_one(self, row: Numbers) -> float:
        return self.value(row)

    def settings(self) -> str:
        return "f1:male-female"


@dataclass(frozen=True)
class DeltaS:
    """ΔS with rows (right, 1) of the sentences with a stereotype, then of those against one."""

    name: ClassVar[str] = "delta_s"
    title: ClassVar[str] = "ΔS"
    goal: ClassVar[Goal] = Goal.ZERO

    def statistics(self, texts: Corpus) -> Numbers:
        verdicts = _verdicts(texts)
        right = np.array([(one.gold == one.found, 1) for one in verdicts], dtype=np.float64)
        return _by_subset(verdicts, right)

    def value(self, totals: Numbers) -> float:
        return 100 * (_share(*totals[:2]) - _share(*totals[2:]))

    def value_of_one(self, row: Numbers) -> float:
        return self.value(row)

    def settings(self) -> str:
        return "accuracy:pro-anti"


@dataclass(frozen=True)
class DeltaSByF1:
    """ΔS by F1, with rows as in ΔG for the sentences with a stereotype, then for those against one."""

    name: ClassVar[str] = "delta_s_f1"
    title: ClassVar[str] = "ΔS (F1)"
    goal: ClassVar[Goal] = Goal.ZERO

    def statistics(self, texts: Corpus) -> Numbers:
        verdicts = _verdicts(texts)
        return _by_subset(verdicts, _of_both(verdicts))

    def value(self, totals: Numbers) -> float:
        males_pro, females_pro, males_anti, females_anti = (_f1(part) for part in totals.reshape(4, 3))
        return (males_pro + females_pro) / 2 - (males_anti + females_anti) / 2

    def value_of_one(self, row: Numbers) -> float:
        return self.value(row)

    def settings(self) -> str:
        return "mean-f1:pro-anti"


METRICS: tuple[Metric, ...] = (Accuracy(), DeltaG(), DeltaS(), DeltaSByF1(), F1(MALE), F1(FEMALE))


def _of_gender(verdicts: Sequence[Verdict], gender: str) -> Numbers:
    """(inputs, 3): whether it is found rightly, found, and in the data."""
    rows = [(one.gold == one.found == gender, one.found == gender, one.gold == gender) for one in verdicts]
    return np.array(rows, dtype=np.float64)


def _of_both(verdicts: Sequence[Verdict]) -> Numbers:
    """(inputs, 6): males, then females."""
    return np.concatenate([_of_gender(verdicts, MALE), _of_gender(verdicts, FEMALE)], axis=1)


def _by_subset(verdicts: Sequence[Verdict], rows: Numbers) -> Numbers:
    """(inputs, 2 × numbers): rows of the sentences with a stereotype, of those against one; 0 elsewhere."""
    parts = []
    for subset in (PRO, ANTI):
        inside = np.array([[one.subset == subset] for one in verdicts], dtype=np.float64)
        if not inside.any():
            raise UnavailableError(f"no sentence of en_{subset}.txt is among the inputs")
        parts.append(inside * rows)
    return np.concatenate(parts, axis=1)


def _f1(totals: Numbers) -> float:
    """2 · right / (found + gold), the harmonic mean of precision and recall."""
    return float(200 * totals[0] / (totals[1] + totals[2])) if totals[0] else 0.0


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole else 0.0
