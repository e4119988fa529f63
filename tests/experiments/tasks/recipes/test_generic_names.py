"""Generic names of an ingredient."""

from __future__ import annotations

import pytest

from neurologic.experiments.tasks.recipes.generic_names import generic_names
from neurologic.experiments.tasks.recipes.ingredient_vocabulary import Vocabulary


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
