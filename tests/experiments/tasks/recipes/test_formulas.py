"""Which phrases a text must have, may have and must not have."""

from __future__ import annotations

from pathlib import Path

import pytest

from neurologic.experiments.tasks.recipes.formulas import (
    Ingredient,
    allowed_parts,
    forbidden_names,
    formula,
    ingredients_of,
    is_allowed,
)
from neurologic.experiments.tasks.recipes.ingredient_vocabulary import Vocabulary, read_vocabulary
from neurologic.experiments.tasks.recipes.kitchen_words import EVERYDAY, PART_NAMES, PARTS
from neurologic.experiments.tasks.recipes.recipe_files import read_recipes
from neurologic.experiments.tasks.recipes.word_forms import Key, forms_of, key_of
from neurologic.logic import check, occurs, to_clauses


def contains(outer: Key, inner: Key) -> bool:
    return f" {' '.join(inner)} " in f" {' '.join(outer)} "


def satisfied(text: str, lines: list[str], vocabulary: Vocabulary, title: str = "Supper") -> bool:
    must = formula(ingredients_of(lines, vocabulary), title, vocabulary)
    return all(report.satisfied for report in check(must, text))


def test_lines_become_ingredients_once(vocabulary: Vocabulary) -> None:
    lines = ["2 onions", "1 onion, sliced", "salt and pepper", "butter or olive oil", "1 ribbon"]
    found = ingredients_of(lines, vocabulary)
    assert [one.name for one in found] == ["onions", "salt", "pepper", "butter"]
    assert {"butter", "olive oil", "oil"} <= set(found[3].accepted)
    assert found[0].accepted[0] == "onions"
    assert {"onions", "onion", "vegetables"} <= set(found[0].accepted)


def test_plurals_in_is_are_known(vocabulary: Vocabulary) -> None:
    (found,) = ingredients_of(["2 small zucchinis"], vocabulary)
    assert {"zucchinis", "zucchini"} <= set(found.accepted)
    assert satisfied("Slice the zucchini.", ["2 small zucchinis"], vocabulary)


def test_every_ingredient_must_be_named_by_one_of_its_names(vocabulary: Vocabulary) -> None:
    lines = ["2 onions", "olive oil"]
    assert satisfied("Fry an onion in olive oil.", lines, vocabulary)
    assert satisfied("Fry the vegetables in OIL.", lines, vocabulary)
    assert not satisfied("Fry the onions.", lines, vocabulary)
    assert not satisfied("Fry the onionskin in oil.", lines, vocabulary)


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("Fry the onions in olive oil with bacon.", False),
        ("Fry the onions in olive oil and add a Tomato.", False),
        ("Fry the onions in olive oil and add tomatoes.", False),
        ("Fry the onions in olive oil, in vegetable oil.", False),
        ("Fry the onions in olive oil with an olive.", True),  # part of a given name
        ("Fry the onions in oil in water with salt, and roll them.", True),  # everyday words
        ("Fry the onions in oil, then serve the sauce.", True),
        ("Fry the onions in oil and rinse them in ice water.", True),
        ("Fry the onions in oil with Italian seasoning.", False),  # everyday words, but no everyday name
        ("Fry the onions in oil and wrap them in puff pastry.", False),
        ("Fry the onions in oil with a sole fillet.", False),
    ],
)
def test_other_ingredients_must_stay_away(text: str, allowed: bool, vocabulary: Vocabulary) -> None:
    assert satisfied(text, ["2 onions", "olive oil"], vocabulary) is allowed


def test_parts_of_a_given_ingredient_are_allowed(vocabulary: Vocabulary) -> None:
    assert satisfied("Whisk the egg whites with lemon juice.", ["2 eggs", "1 lemon"], vocabulary)
    assert not satisfied("Whisk the eggs with a lemon.", ["2 eggs"], vocabulary)
    # But not what is another ingredient in its own right.
    assert not satisfied("Add garlic and garlic powder.", ["1 clove garlic"], vocabulary)
    assert not satisfied("Chop the celery and the celery root.", ["celery"], vocabulary)
    assert not satisfied("Chop the celery. Add celery seeds.", ["celery"], vocabulary)
    assert not satisfied("Spread mustard on mustard greens.", ["mustard"], vocabulary)
    assert not satisfied("Stir the tomatoes into the tomato sauce.", ["4 tomatoes"], vocabulary)
    assert satisfied("Stir in the pomegranate seeds.", ["1 pomegranate"], vocabulary)
    assert satisfied("Trim the beet greens and boil the beets.", ["4 beets"], vocabulary)


def test_what_the_title_says_is_allowed(vocabulary: Vocabulary) -> None:
    assert satisfied("Melt the butter for the shrimps.", ["butter"], vocabulary, title="Mock Shrimp")
    assert not satisfied("Melt the butter for the shrimps.", ["butter"], vocabulary, title="Butter Sauce")


def test_the_whole_formula_agrees_with_its_definition(vocabulary: Vocabulary) -> None:
    """Every known name alone in a text: forbidden unless all known names in it are allowed by a rule."""
    ingredients = ingredients_of(["black pepper", "2 lemons", "chicken broth"], vocabulary)
    must = formula(ingredients, "Cheese Supper", vocabulary)
    given = [key_of(phrase) for one in ingredients for phrase in one.accepted] + [key_of("Cheese Supper")]

    def may_be_said(key: Key) -> bool:
        shorter = [key[:end] for end in range(1, len(key) + 1) if all(word in PARTS for word in key[end:])]
        shorter += [key[:-1]] if " ".join(key) in PART_NAMES else []
        everyday = " ".join(key) in EVERYDAY
        return everyday or any(contains(outer, inner) for outer in given for inner in shorter)

    allowed = {key: may_be_said(key) for key in vocabulary.names}
    assert 10 < sum(allowed.values()) < len(allowed) - 10
    for key, name in vocabulary.names.items():
        alone = all(report.satisfied for report in check(must, name) if report.text.startswith("!"))
        assert alone == all(ok for part, ok in allowed.items() if contains(key, part)), name


def test_no_forbidden_name_holds_another(vocabulary: Vocabulary) -> None:
    ingredients = ingredients_of(["2 onions"], vocabulary)
    found = forbidden_names(ingredients, "Supper", vocabulary)
    assert ("flour",) in found
    assert ("almond", "flour") not in found
    assert not any(contains(outer, inner) for outer in found for inner in found if outer != inner)
    # With flour given, almond flour is still kept out: by the word almond.
    must = formula(ingredients_of(["flour"], vocabulary), "Supper", vocabulary)
    assert not all(report.satisfied for report in check(must, "Take flour, almond flour."))


def test_names_to_keep_out_are_found_as_by_looking_at_all(vocabulary: Vocabulary) -> None:
    for lines in (["2 onions"], ["black pepper", "chicken broth"], ["flour", "butter", "peanut butter"]):
        ingredients = ingredients_of(lines, vocabulary)
        allowed = allowed_parts([phrase for one in ingredients for phrase in one.accepted], "Salmon Rolls")
        forbidden = {key for key in vocabulary.names if not is_allowed(key, allowed)}
        shortest = {key for key in forbidden if forbidden.isdisjoint(vocabulary.inside[key])}
        found = forbidden_names(ingredients, "Salmon Rolls", vocabulary)
        assert set(found) == shortest
        assert len(found) == len(shortest)


def test_a_formula_can_hold_whatever_is_given(vocabulary: Vocabulary) -> None:
    """No accepted phrase of a given ingredient has a forbidden phrase in it."""
    for given in vocabulary.names.values():
        ingredients = ingredients_of([given], vocabulary)
        forbidden = [
            form
            for key in forbidden_names(ingredients, "", vocabulary)
            for form in forms_of(vocabulary.names[key])
        ]
        for phrase in (phrase for one in ingredients for phrase in one.accepted):
            assert not [one for one in forbidden if occurs(one, phrase)], (given, phrase)


def test_clauses_are_one_per_ingredient_and_form(vocabulary: Vocabulary) -> None:
    ingredients = (Ingredient("onions", ("onions", "onion")),)
    clauses = to_clauses(formula(ingredients, "", vocabulary))
    assert clauses[0].text == "onions | onion"
    assert all(clause.text.startswith("!") for clause in clauses[1:])


def test_people_mention_what_they_list(real_data: Path) -> None:
    """Most ingredients of the recipes are named in their own directions: the names are those people say."""
    vocabulary = read_vocabulary(real_data)
    shares = []
    for recipe in read_recipes(real_data, "train")[:150]:
        ingredients = ingredients_of(recipe.ingredients, vocabulary)
        found = check(" & ".join(f"({_written(one.accepted)})" for one in ingredients), recipe.text)
        shares.append(sum(report.satisfied for report in found) / len(found))
    assert sum(shares) / len(shares) > 0.9


def _written(phrases: tuple[str, ...]) -> str:
    return " | ".join(f'"{phrase}"' for phrase in phrases)
