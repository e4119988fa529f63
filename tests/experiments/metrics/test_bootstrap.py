"""The paired bootstrap: cases whose outcome is known, and a plain one beside it."""

import numpy as np
import pytest

from neurologic.errors import DataError
from neurologic.experiments.metrics import (
    Bleu,
    Coverage,
    Difference,
    Goal,
    Interval,
    Score,
    compare,
    corpus,
    interval,
    measure,
)


def coverage(values):
    """A score of the mean of some values between 0 and 1."""
    rows = np.array([(value, 1.0) for value in values])
    metric = Coverage()
    value = metric.value(rows.sum(axis=0))
    return Score(metric, value, tuple(100 * value for value in values), "same", statistics=rows)


def test_equal_systems_do_not_differ():
    score = coverage([0.1, 0.5, 0.9, 0.3] * 10)
    found = compare(score, score)
    assert found.p_value == 1
    assert (found.difference.value, found.difference.low, found.difference.high) == (0, 0, 0)


def test_systems_that_differ_by_chance_only():
    generator = np.random.default_rng(1)
    found = compare(coverage(generator.random(200)), coverage(generator.random(200)))
    assert found.p_value > 0.05
    assert found.difference.low < 0 < found.difference.high


def test_a_system_that_is_better_everywhere():
    values = np.random.default_rng(2).random(50) / 2
    found = compare(coverage(values), coverage(values + 0.25), draws=999)
    assert found.p_value == 1 / 1000
    assert found.difference.low == pytest.approx(25)
    assert found.difference.high == pytest.approx(25)
    assert compare(coverage(values + 0.25), coverage(values)).difference.value == pytest.approx(-25)


class Bias(Coverage):
    """Good where it is 0, in whatever direction it departs."""

    goal = Goal.ZERO


def test_as_far_from_zero_on_the_other_side_is_not_better():
    values = np.random.default_rng(4).random(100)

    def bias(sign, shift=0.0):
        rows = np.array([(sign * value + shift, 1.0) for value in values])
        return Score(Bias(), Bias().value(rows.sum(axis=0)), (), "same", statistics=rows)

    opposite = compare(bias(-1), bias(1))
    assert (opposite.gain, opposite.p_value) == (pytest.approx(0), 1)
    assert opposite.difference.low > 0  # that they differ is sure
    assert compare(bias(-1), bias(1, -0.4)).p_value < 0.01
    assert compare(bias(-1), bias(1, -0.4)).gain == pytest.approx(40)


def test_the_interval_of_a_mean_is_that_of_the_normal_distribution():
    values = np.random.default_rng(3).random(400)
    found = interval(coverage(values), draws=4000)
    half = 1.96 * 100 * values.std() / 20
    assert found.value == pytest.approx(100 * values.mean())
    assert found.high - found.value == pytest.approx(half, rel=0.1)
    assert found.value - found.low == pytest.approx(half, rel=0.1)


def test_p_is_what_the_normal_distribution_says():
    """Differences of mean 2 standard errors: p = 0.0455."""
    generator = np.random.default_rng(4)
    differences = generator.normal(size=400)
    differences = (differences - differences.mean()) / differences.std() + 2 / 20
    first = generator.random(400)
    found = compare(coverage(first), coverage(first + differences), draws=10_000)
    assert found.p_value == pytest.approx(0.0455, abs=0.01)


def test_bleu_is_drawn_as_a_corpus_and_not_as_a_mean():
    pytest.importorskip("spacy")
    pytest.importorskip("sacrebleu")
    outputs = ["a dog runs", "a cat sat on it", "two men", "a dog runs far", "the cat sat"]
    references = [["a dog runs"], ["the cat sat on it"], ["two men walk"], ["a dog ran far"], ["the cat sat"]]
    score = measure(Bleu(3), corpus(outputs, references))

    def drawn(places):
        texts = corpus([outputs[place] for place in places], [references[place] for place in places])
        return measure(Bleu(3), texts).value

    generator = np.random.default_rng(5)
    how_often = generator.multinomial(5, [0.2] * 5, size=50)
    expected = [drawn(np.repeat(range(5), times)) for times in how_often]
    found = interval(score, draws=50, seed=5)
    assert found.value == drawn(range(5))
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(expected, [2.5, 97.5])))


def test_the_same_seed_gives_the_same_draws():
    generator = np.random.default_rng(6)
    first, second = coverage(generator.random(30)), coverage(generator.random(30))
    assert compare(first, second, draws=150) == compare(first, second, draws=150)
    assert compare(first, second, seed=1) != compare(first, second, seed=2)
    assert compare(first, second, draws=150).signature == (
        "same|bootstrap:paired|draws:150|seed:0|interval:95"
    )


def test_what_cannot_be_compared():
    some, single = coverage([0.5, 0.7]), coverage([0.5])
    with pytest.raises(DataError, match="at least two inputs"):
        compare(single, single)
    with pytest.raises(DataError, match="Coverage has no value to draw from: no concepts"):
        compare(some, Score(Coverage(), None, reason="no concepts"))
    with pytest.raises(DataError, match="cannot be compared: same and other"):
        compare(some, Score(Coverage(), 50.0, signature="other", statistics=some.statistics))
    with pytest.raises(DataError, match="draws must be at least 1"):
        compare(some, some, draws=0)


def test_as_json():
    line = compare(coverage([0.0, 1.0]), coverage([0.0, 1.0]), draws=10).to_json()
    assert line["first"][0] == line["second"][0] == 50
    assert line["difference"] == [0, 0, 0]
    assert line["p_value"] == 1


@pytest.mark.parametrize(
    ("goal", "first", "second", "gain"),
    [
        (Goal.HIGH, 10, 12, 2),
        (Goal.LOW, 10, 12, -2),
        (Goal.ZERO, 10, -4, 6),
        (Goal.ZERO, 1, -4, -3),
    ],
)
def test_what_is_gained_depends_on_the_goal(goal, first, second, gain):
    values = [Interval(value, value, value) for value in (first, second, second - first)]
    assert Difference("some", *values, 0.01, "", goal).gain == gain
