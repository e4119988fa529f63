"""The known ingredients."""

from __future__ import annotations

from pathlib import Path

import pytest

from neurologic.errors import DataError
from neurologic.experiments.tasks.recipes.formulas import (
    ingredients_of,
)
from neurologic.experiments.tasks.recipes.ingredient_lines import names_in
from neurologic.experiments.tasks.recipes.ingredient_vocabulary import Vocabulary, parts_of, read_vocabulary
from neurologic.experiments.tasks.recipes.word_forms import key_of


def test_parts_are_words_side_by_side() -> None:
    key = key_of("Extra-virgin Olive Oil")
    assert key == ("extra", "virgin", "olive", "oil")
    assert set(parts_of(key)) == {key[start:end] for end in range(1, 5) for start in range(end)}


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


def test_a_missing_vocabulary_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"there is no flavorgraph_nodes\.csv"):
        read_vocabulary(tmp_path / "recipes")
