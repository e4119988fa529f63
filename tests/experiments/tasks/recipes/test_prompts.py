"""Prompts of recipes."""

from __future__ import annotations

from pathlib import Path

from neurologic.experiments.tasks.recipes import prompts
from neurologic.experiments.tasks.recipes.formulas import ingredients_of
from neurologic.experiments.tasks.recipes.ingredient_vocabulary import read_vocabulary
from neurologic.logic import check


def test_one_shot_shows_a_recipe_that_obeys_its_own_formula(real_data: Path) -> None:
    asked = prompts.prompt_of("Milk Rice", ["rice", "milk"], "one-shot")
    assert prompts.EXAMPLE_DIRECTIONS in asked
    assert asked.endswith(prompts.prompt_of("Milk Rice", ["rice", "milk"], "zero-shot"))
    vocabulary = read_vocabulary(real_data)
    from neurologic.experiments.tasks.recipes.formulas import formula

    ingredients = ingredients_of(prompts.EXAMPLE_INGREDIENTS, vocabulary)
    assert [one.name for one in ingredients] == list(prompts.EXAMPLE_INGREDIENTS)
    must = formula(ingredients, prompts.EXAMPLE_TITLE, vocabulary)
    assert [report.text for report in check(must, prompts.EXAMPLE_DIRECTIONS) if not report.satisfied] == []
