"""Coverage of the given ingredients, and extra ones."""

from __future__ import annotations

import pytest

from neurologic.experiments.metrics import compare, measure
from neurologic.experiments.metrics.base import Corpus
from neurologic.experiments.tasks.recipes import fooddata_names
from neurologic.experiments.tasks.recipes.ingredient_metrics import (
    ExtraIngredients,
    IngredientCoverage,
    extra_foods,
    foods_in,
)
from neurologic.experiments.tasks.recipes.word_forms import key_of

ACCEPTED = (("onions", "onion", "vegetables"), ("olive oil", "oil"))


KNOWN = frozenset(
    map(
        key_of,
        ("onion", "oil", "butter", "peanut butter", "bacon", "salt", "egg", "egg white", "roll", "cream"),
    )
)


def texts(*outputs: str) -> Corpus:
    return Corpus(outputs, ((),) * len(outputs))


def test_coverage_is_the_mean_share_of_ingredients_that_are_named() -> None:
    score = measure(
        IngredientCoverage((ACCEPTED, ACCEPTED)), texts("Fry an Onion in oil.", "Chop the vegetables. Boil.")
    )
    assert score.per_input == (100.0, 50.0)
    assert score.value == 75.0
    assert score.name == "coverage"


def test_a_part_of_a_word_covers_nothing() -> None:
    assert measure(IngredientCoverage((ACCEPTED,)), texts("Boil the onionskin in foil.")).value == 0.0


def test_an_empty_text_covers_nothing() -> None:
    score = measure(IngredientCoverage((ACCEPTED, ACCEPTED)), texts("", "Fry the onions in oil."))
    assert score.per_input == (0.0, 100.0)


def test_signatures_tell_names_apart() -> None:
    settings = {IngredientCoverage(accepted).settings() for accepted in ((ACCEPTED,), (ACCEPTED[:1],), ())}
    assert len(settings) == 3


@pytest.mark.parametrize(
    ("text", "foods"),
    [
        ("Fry the onions in oil.", ["onion", "oil"]),
        ("Add peanut butter and eggs.", ["peanut butter", "egg"]),  # the longest name counts
        ("Mix peanut, butter.", ["butter"]),  # and none continues past a comma
        ("Buttermilk and bacony things.", []),
        ("Peanut\nbutter", ["peanut butter"]),
    ],
)
def test_foods_are_found_as_whole_words(text: str, foods: list[str]) -> None:
    assert foods_in(text, KNOWN) == [key_of(food) for food in foods]


@pytest.mark.parametrize(
    ("text", "title", "extra"),
    [
        ("Fry the onions in oil with bacon and more bacon.", "Supper", ["bacon"]),  # each once
        ("Fry the onions in oil with bacon.", "Bacon Supper", []),  # the title says it
        ("Fry onions in oil and salt, and roll it.", "Supper", []),  # everyday words
        ("Fry the onions in butter with egg whites.", "Supper", ["butter", "egg white"]),
    ],
)
def test_what_was_given_is_no_extra(text: str, title: str, extra: list[str]) -> None:
    assert extra_foods(text, ACCEPTED, title, KNOWN) == [key_of(food) for food in extra]


def test_parts_of_what_was_given_are_no_extra() -> None:
    assert extra_foods("Whisk the egg whites.", [["eggs", "egg"]], "Supper", KNOWN) == []


def test_extra_is_counted_over_the_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fooddata_names, "food_names", lambda: KNOWN)
    monkeypatch.setattr(fooddata_names, "version", lambda: "1")
    metric = ExtraIngredients((ACCEPTED, ACCEPTED), ("Supper", "Supper"))
    some = measure(metric, texts("Fry onions in oil.", "Add bacon, butter, eggs and cream."))
    none = measure(metric, texts("Fry onions in oil.", "Fry onions in oil."))
    assert some.per_input == (0.0, 200.0)
    assert some.value == 100.0
    assert none.value == 0.0
    assert "foods:ingredient-parser-nlp-1" in some.signature
    assert compare(none, some).difference.value == 100.0  # bootstrap works on its rows


def test_an_empty_text_has_nothing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fooddata_names, "food_names", lambda: KNOWN)
    monkeypatch.setattr(fooddata_names, "version", lambda: "1")
    metric = ExtraIngredients((ACCEPTED, ACCEPTED[:1]), ("Supper", "Supper"))
    assert measure(metric, texts("", "Fry bacon.")).per_input == (0.0, 100.0)


def test_without_the_package_extra_is_not_available(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fooddata_names, "_MODULE", "no_such_package")
    score = measure(ExtraIngredients((ACCEPTED,), ("Supper",)), texts("Fry."))
    assert score.value is None
    assert score.reason.startswith("ingredient-parser-nlp is not installed: pip install")
    assert score.reason.endswith("[recipes]'")
