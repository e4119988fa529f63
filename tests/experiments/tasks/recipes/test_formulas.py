"""Which phrases a text must have, may have and must not have; the vocabulary is made for these tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from neurologic.errors import DataError
from neurologic.experiments.tasks.recipes.everyday import EVERYDAY
from neurologic.experiments.tasks.recipes.everyday import NAMES as EVERYDAY_NAMES
from neurologic.experiments.tasks.recipes.formulas import (
    Ingredient,
    allowed_parts,
    formula,
    ingredients_of,
    is_allowed,
    others,
)
from neurologic.experiments.tasks.recipes.generic_names import generic_names
from neurologic.experiments.tasks.recipes.ingredient_lines import names_in
from neurologic.experiments.tasks.recipes.kitchen_words import PART_NAMES, PARTS
from neurologic.experiments.tasks.recipes.vocabulary import Vocabulary, parts_of, read_vocabulary
from neurologic.experiments.tasks.recipes.word_forms import Key, forms_of, key_of, singular
from neurologic.logic import check, occurs, to_clauses

NAMES = """
    almond almond_flour apple bacon bay_leaf bell_pepper black_pepper brown_sugar butter carrot
    cheddar_cheese cheese chicken chicken_breast chicken_broth cinnamon cooky cream cream_cheese
    diced_tomato egg egg_white flour fresh_basil garlic garlic_clove garlic_powder green_onion lemon
    lemon_juice milk olive olive_oil oil onion paper_cup peanut_butter pepper peanut pork red_bell_pepper
    roll salmon salmon_fillet salt scallion shrimp spaghetti strawberry sugar thyme tomato tomato_sauce
    vanilla vanilla_extract vegetable vegetable_oil walnut water
    beet beet_green bread_crumb cake_mix celery celery_root celery_seed chicken_stock coriander
    crescent_roll fresh_coriander graham_cracker graham_cracker_crumb green_bell_pepper ice_water
    italian_seasoning kosher_salt mustard mustard_green onion_ring pomegranate pomegranate_seed puff_pastry
    salad_dressing sole_fillet vegetable_broth zucchini
"""
CATEGORIES = {
    "onion": "Plant/Vegetable",
    "carrot": "Plant/Vegetable",
    "basil": "Plant/Vegetable",
    "apple": "Fruit",
    "salmon": "Seafood",
    "shrimp": "Seafood",
    "pork": "Meat/Animal Product",
    "egg": "Meat/Animal Product",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("food")
    rows = [f"{number},{name},,ingredient,no_hub" for number, name in enumerate(NAMES.split())]
    rows.append("99,hexanal,6184,compound,food")
    (path / "flavorgraph_nodes.csv").write_text("\n".join(["node_id,name,id,node_type,is_hub", *rows]))
    pairs = [f"{name},{category}" for name, category in CATEGORIES.items()]
    (path / "flavorgraph_ingr2category_616.csv").write_text("\n".join(["ingredient,category", *pairs]))
    return path


@pytest.fixture(scope="module")
def vocabulary(folder: Path) -> Vocabulary:
    return read_vocabulary(folder)


def contains(outer: Key, inner: Key) -> bool:
    return f" {' '.join(inner)} " in f" {' '.join(outer)} "


def satisfied(text: str, lines: list[str], vocabulary: Vocabulary, title: str = "Supper") -> bool:
    must = formula(ingredients_of(lines, vocabulary), title, vocabulary)
    return all(report.satisfied for report in check(must, text))


# -- forms ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("onions", "onion"), ("tomatoes", "tomato"), ("leaves", "leaf"), ("berries", "berry"),
        ("radishes", "radish"), ("cookies", "cookie"), ("cooky", "cookie"), ("chiles", "chili"),
        ("molasses", "molasses"), ("hummus", "hummus"), ("asparagus", "asparagus"), ("peas", "pea"),
        ("rice", "rice"), ("confectioners'", "confectioner"), ("halves", "half"), ("swiss", "swiss"),
        ("cherries", "cherry"), ("potatoes", "potato"), ("anchovies", "anchovy"), ("zucchinis", "zucchini"),
        ("kiwis", "kiwi"), ("chilis", "chili"), ("broccolis", "broccoli"), ("raviolis", "ravioli"),
        ("coulis", "coulis"), ("cassis", "cassis"), ("pastis", "pastis"), ("this", "this"),
    ],
)  # fmt: skip
def test_a_plural_has_a_singular(plural: str, one: str) -> None:
    assert singular(plural) == one


def test_a_name_comes_in_the_singular_and_the_plural() -> None:
    assert set(forms_of("onions")) == set(forms_of("onion")) == {"onion", "onions"}
    assert set(forms_of("bay leaves")) == {"bay leaf", "bay leaves"}  # and no leafs
    assert {"crème fraîche", "crème fraiche", "creme fraiche"} <= set(forms_of("creme fraiche"))
    assert set(forms_of("jalapeño")) >= {"jalapeño", "jalapeno", "jalapenos"}
    assert forms_of("onions")[0] == "onions"
    assert set(forms_of("zucchinis")) == set(forms_of("zucchini")) == {"zucchini", "zucchinis"}
    assert set(forms_of("broccolis")) >= {"broccoli", "broccolis"}
    assert forms_of("coulis") == ("coulis",)


def test_parts_are_words_side_by_side() -> None:
    key = key_of("Extra-virgin Olive Oil")
    assert key == ("extra", "virgin", "olive", "oil")
    assert all(contains(key, part) for part in parts_of(key))
    assert ("olive", "oil") in set(parts_of(key))
    assert ("extra", "oil") not in set(parts_of(key))


# -- the vocabulary -------------------------------------------------------------------------------


def test_names_are_cleaned_and_known_once(vocabulary: Vocabulary) -> None:
    assert ("tomato",) in vocabulary.names
    assert ("diced", "tomato") not in vocabulary.names
    assert ("garlic", "clove") not in vocabulary.names
    assert ("basil",) in vocabulary.names
    assert ("cookie",) in vocabulary.names
    assert not any("cup" in key or "hexanal" in key for key in vocabulary.names)


@pytest.mark.parametrize(
    ("name", "food"),
    [
        ("onions", "onions"),
        ("red bell peppers", "red bell peppers"),
        ("roma tomatoes", "tomatoes"),
        ("acme cheddar cheese", "cheddar cheese"),
        ("chicken flavor bouillon", "chicken"),
        ("almond accents", "almond"),
        ("chicken breast tenderloins", "chicken breast"),
        ("milk powder", "milk"),
        ("special equipment", None),
    ],
)
def test_the_known_food_in_a_name_is_found(name: str, food: str | None, vocabulary: Vocabulary) -> None:
    assert vocabulary.food_in(name) == food


def test_a_missing_vocabulary_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"there is no flavorgraph_nodes\.csv"):
        read_vocabulary(tmp_path / "recipes")


# -- generic names --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "generic"),
    [
        ("olive oil", ["oil"]),
        ("cheddar cheese", ["cheese"]),
        ("red bell pepper", ["bell pepper", "pepper"]),
        ("chicken breast", ["chicken"]),
        ("garlic powder", ["garlic"]),
        ("vanilla extract", ["vanilla"]),
        ("spaghetti", ["pasta", "noodle"]),
        ("onions", ["vegetable"]),
        ("scallions", ["green onion", "spring onion"]),
        ("salmon", ["fish", "seafood"]),
        ("shrimp", ["seafood", "shellfish", "prawn"]),
        ("basil", ["herb"]),
        ("walnuts", ["nut"]),
        ("garlic", ["garlic clove"]),
        ("bread crumbs", ["breadcrumb"]),
        ("fresh coriander", ["cilantro", "coriander", "herb"]),
        ("coriander seeds", ["coriander", "spice"]),
        ("ginger root", ["ginger"]),
        ("kosher salt", ["salt"]),
    ],
)
def test_an_ingredient_goes_by_generic_names(name: str, generic: list[str], vocabulary: Vocabulary) -> None:
    assert set(generic) <= set(generic_names(name, vocabulary))


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("peanut butter", "butter"),
        ("garlic powder", "powder"),
        ("egg", "meat"),
        ("shrimp", "fish"),
        ("basil", "vegetable"),
        ("strawberries", "vegetable"),
        ("bay leaf", "leaf"),
        ("garlic", "spice"),
        ("red bell pepper", "spice"),
        ("corn syrup", "vegetable"),
        ("spinach", "green"),
        ("graham cracker crumbs", "breadcrumb"),  # a synonym is one of the whole name
        ("graham cracker crumbs", "bread crumb"),
        ("bread crumbs", "crumb"),
        ("coriander", "cilantro"),  # the spice
        ("coriander", "herb"),
        ("fresh coriander", "coriander seed"),
        ("crescent rolls", "roll"),  # everyday words say nothing
        ("cake mix", "cake"),
        ("salad dressing", "dressing"),
        ("celery root", "celery"),
        ("tomato sauce", "tomato"),
    ],
)
def test_what_misleads_is_no_generic_name(name: str, other: str, vocabulary: Vocabulary) -> None:
    assert other not in generic_names(name, vocabulary)


# -- formulas -------------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("line", "foods"),
    [
        ("1 cup vegetable or chicken broth", ["vegetable broth", "chicken broth"]),
        ("1 tablespoon vegetable or olive oil", ["vegetable oil", "olive oil"]),
        ("2 red or green bell peppers", ["red bell peppers", "green bell peppers"]),
        ("1 cup vegetable, chicken, or beef broth", ["vegetable broth", "chicken broth"]),
        ("butter or olive oil", ["butter", "olive oil"]),  # there is no butter oil
        ("eggs or 4 egg whites", ["eggs", "egg whites"]),  # the same word again: nothing is left out
        ("lemon juice or milk", ["lemon juice", "milk"]),
    ],
)
def test_alternatives_may_share_their_end(line: str, foods: list[str], vocabulary: Vocabulary) -> None:
    (alternatives,) = names_in(line)
    assert vocabulary.foods_in(alternatives)[: len(foods)] == foods
    assert [one.name for one in ingredients_of([line], vocabulary)] == foods[:1]


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
        shorter += [key[:-1]] if key in PART_NAMES else []
        everyday = key in EVERYDAY_NAMES or " ".join(key) in EVERYDAY
        return everyday or any(contains(outer, inner) for outer in given for inner in shorter)

    allowed = {key: may_be_said(key) for key in vocabulary.names}
    assert 10 < sum(allowed.values()) < len(allowed) - 10
    for key, name in vocabulary.names.items():
        alone = all(report.satisfied for report in check(must, name) if report.text.startswith("!"))
        assert alone == all(ok for part, ok in allowed.items() if contains(key, part)), name


def test_no_forbidden_name_holds_another(vocabulary: Vocabulary) -> None:
    ingredients = ingredients_of(["2 onions"], vocabulary)
    found = others(ingredients, "Supper", vocabulary)
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
        found = others(ingredients, "Salmon Rolls", vocabulary)
        assert set(found) == shortest
        assert len(found) == len(shortest)


def test_a_formula_can_hold_whatever_is_given(vocabulary: Vocabulary) -> None:
    """No accepted phrase of a given ingredient has a forbidden phrase in it."""
    for name in vocabulary.names.values():
        ingredients = ingredients_of([name], vocabulary)
        forbidden = [
            form for key in others(ingredients, "", vocabulary) for form in forms_of(vocabulary.names[key])
        ]
        for phrase in (phrase for one in ingredients for phrase in one.accepted):
            assert not [one for one in forbidden if occurs(one, phrase)], (name, phrase)


def test_clauses_are_one_per_ingredient_and_form(vocabulary: Vocabulary) -> None:
    ingredients = (Ingredient("onions", ("onions", "onion")),)
    clauses = to_clauses(formula(ingredients, "", vocabulary))
    assert clauses[0].text == "onions | onion"
    assert all(clause.text.startswith("!") for clause in clauses[1:])
