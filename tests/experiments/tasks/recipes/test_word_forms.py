"""Singular and plural of names of food."""

from __future__ import annotations

import pytest

from neurologic.experiments.tasks.recipes.word_forms import forms_of, singular


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
