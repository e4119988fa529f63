"""WinoMT's figures from verdicts."""

from __future__ import annotations

import numpy as np
import pytest

from neurologic.experiments.metrics import UnavailableError, compare, interval
from neurologic.experiments.metrics.base import Corpus
from neurologic.experiments.tasks.winomt.gender_metrics import METRICS, Verdict, judged, scores

# gold, found, subset: 4 males (3 found), 4 females (2 found), 2 neutral.
VERDICTS = [
    Verdict(gold, found, subset)
    for gold, found, subset in (
        ("male", "male", "pro"),
        ("male", "male", "pro"),
        ("male", "male", "anti"),
        ("male", "unknown", "anti"),
        ("female", "female", "pro"),
        ("female", "female", "anti"),
        ("female", "male", "anti"),
        ("female", "male", "anti"),
        ("neutral", "male", ""),
        ("neutral", "female", ""),
    )
]


def texts(verdicts=VERDICTS):
    return judged(["x"] * len(verdicts), ["y"] * len(verdicts), verdicts, "how")


def values(verdicts=VERDICTS):
    return {score.name: score.value for score in scores(texts(verdicts))}


def test_the_figures_by_hand():
    found = values()
    assert found["accuracy"] == pytest.approx(50.0)  # 5 of 10, the neutral ones counted
    assert found["f1_male"] == pytest.approx(100 * 2 * (3 / 6) * (3 / 4) / (3 / 6 + 3 / 4))
    assert found["f1_female"] == pytest.approx(100 * 2 * (2 / 3) * (2 / 4) / (2 / 3 + 2 / 4))
    assert found["delta_g"] == pytest.approx(found["f1_male"] - found["f1_female"])
    assert found["delta_s"] == pytest.approx(100 - 100 * 2 / 5)
    # With the stereotype both F1 are 100; against it 3 males are found and 1 is right of 2, 1 female of 3.
    anti = (100 * 2 * (1 / 3) * (1 / 2) / (1 / 3 + 1 / 2) + 100 * 2 * 1 * (1 / 3) / (1 + 1 / 3)) / 2
    assert found["delta_s_f1"] == pytest.approx(100 - anti)


def test_the_names_are_those_of_the_contract():
    names = ["accuracy", "delta_g", "delta_s", "delta_s_f1", "f1_male", "f1_female"]
    assert [metric.name for metric in METRICS] == names


def test_f1_is_the_harmonic_mean_whatever_the_counts():
    random = np.random.default_rng(0)
    kinds = ["male", "female", "neutral", "unknown"]
    for _ in range(50):
        verdicts = [
            Verdict(kinds[random.integers(3)], kinds[random.integers(4)], ["pro", "anti"][place % 2])
            for place in range(12)
        ]
        right = sum(one.gold == one.found == "male" for one in verdicts)
        precision = right / max(1, sum(one.found == "male" for one in verdicts))
        recall = right / max(1, sum(one.gold == "male" for one in verdicts))
        expected = 200 * precision * recall / (precision + recall) if right else 0
        assert values(verdicts)["f1_male"] == pytest.approx(expected)


def test_without_stereotypes_there_is_no_delta_s():
    found = scores(texts([Verdict("male", "male")] * 3))
    missing = {score.name: score.reason for score in found if score.value is None}
    assert list(missing) == ["delta_s", "delta_s_f1"]
    assert "no sentence of en_pro.txt" in missing["delta_s"]


def test_only_accuracy_is_about_single_translations():
    accuracy, *others = scores(texts())
    assert accuracy.per_input[:4] == (100, 100, 100, 0)
    assert not any(score.per_input for score in others)


def test_two_systems_can_be_compared():
    better = [Verdict(one.gold, one.gold, one.subset) for one in VERDICTS]
    for first, second in zip(scores(texts()), scores(texts(better)), strict=True):
        found = compare(first, second, draws=50)
        assert found.difference.value == pytest.approx(second.value - first.value)
        assert interval(first, draws=50).low <= first.value <= interval(first, draws=50).high


def test_metrics_of_texts_without_verdicts_are_not_available():
    for metric in METRICS:
        with pytest.raises(UnavailableError, match="no verdicts"):
            metric.statistics(Corpus(("x",), (("y",),)))
