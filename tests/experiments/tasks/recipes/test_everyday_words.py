"""Everyday words follow their rule."""

from __future__ import annotations

import contextlib
from collections import Counter
from pathlib import Path

from neurologic.experiments.metrics import UnavailableError
from neurologic.experiments.tasks.recipes.fooddata_names import food_names
from neurologic.experiments.tasks.recipes.ingredient_vocabulary import read_vocabulary
from neurologic.experiments.tasks.recipes.kitchen_words import TABLES
from neurologic.experiments.tasks.recipes.recipe_files import read_recipes
from neurologic.experiments.tasks.recipes.word_forms import key_of

SHARE, LEAST = 0.3, 5  # as the comment of the tables has them


def test_everyday_words_follow_their_rule(real_data: Path) -> None:
    vocabulary = read_vocabulary(real_data)
    listed = {name: set(words) for name, words in TABLES["everyday"].items()}
    names = set(vocabulary.names)
    with contextlib.suppress(UnavailableError):  # words that only `extra` knows follow the rule as well
        names |= food_names()
    words = {key[0] for key in names if len(key) == 1}
    said: Counter[str] = Counter()
    elsewhere: Counter[str] = Counter()
    for recipe in read_recipes(real_data, "train"):
        given = {word for line in (recipe.title, *recipe.ingredients) for word in key_of(line)}
        for word in set(key_of(recipe.text)) & words:
            said[word] += 1
            elsewhere[word] += word not in given
    by_rule = {word for word in said if elsewhere[word] >= max(LEAST, SHARE * said[word])}
    assert by_rule <= listed["by_rule"] | listed["foods"]
    assert (listed["by_rule"] | listed["foods"]) & words <= by_rule
    assert not listed["by_hand"] & by_rule
    assert {" ".join(key) for key in vocabulary.names} >= listed["names"]
