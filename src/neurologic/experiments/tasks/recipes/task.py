"""Recipes as a task of `neurologic eval` and `neurologic train`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurologic.experiments.tasks.base import Item, Option, Options
from neurologic.experiments.tasks.external_outputs import by_id, read_outputs
from neurologic.experiments.tasks.recipes import prompts
from neurologic.experiments.tasks.recipes.formulas import Ingredient, formula, ingredients_of
from neurologic.experiments.tasks.recipes.ingredient_vocabulary import Vocabulary, read_vocabulary
from neurologic.experiments.tasks.recipes.recipe_files import Recipe, read_recipes
from neurologic.experiments.tasks.reference_scores import PACKAGES, corpus_of, reference_scores

if TYPE_CHECKING:
    from neurologic.experiments.metrics import Score
    from neurologic.experiments.training import Pair


class Recipes:
    """Directions for a dish from its title and its ingredients (Kiddon et al., EMNLP 2016)."""

    name = "recipes"
    title = "Recipes"
    summary = "directions for a dish that use every given ingredient and no other"
    data = "folder with recipes as JSON lines or Markdown, and flavorgraph_nodes.csv in it or above it"
    packages: Mapping[str, str] = {**PACKAGES, "ingredient_parser": "recipes"}
    options: tuple[Option, ...] = (Option("prompt", "what the model reads", prompts.PROMPTS),)
    examples = """
  neurologic eval recipes --data DIR --sample 100 -o runs/recipes --decoders neurologic,beam,dba
  neurologic eval recipes --data DIR --prompt supervised --model trained/recipes -o runs/supervised
  neurologic eval recipes --data DIR --predictions outputs.txt
"""

    def settings(self, options: Options, decoder: str) -> dict[str, Any]:
        return prompts.settings(options["prompt"])

    def items(self, data: str | Path, split: str, options: Options) -> list[Item]:
        vocabulary = read_vocabulary(data)
        kind = options["prompt"]
        items = []
        for number, recipe, ingredients in _with_food(data, split, vocabulary):
            names = [ingredient.name for ingredient in ingredients]
            prompt = prompts.prompt_of(recipe.title, names, kind)
            items.append(
                Item(
                    id=f"{split}-{number}",
                    title=recipe.title,
                    prompt=prompt,
                    formula=formula(ingredients, recipe.title, vocabulary),
                    references=(recipe.text,) if recipe.text.strip() else (),
                    raw=isinstance(prompt, str),
                    opening=prompts.OPENING if kind in prompts.CONTINUED else "",
                    fields={
                        "title": recipe.title,
                        "ingredients": names,
                        "accepted": [list(ingredient.accepted) for ingredient in ingredients],
                    },
                )
            )
        return items

    def pairs(self, data: str | Path, split: str) -> list[Pair]:
        """Return a pair for every recipe that has directions."""
        from neurologic.experiments.training import Pair

        return [
            Pair(prompts.supervised(recipe.title, [found.name for found in ingredients]), recipe.text)
            for _, recipe, ingredients in _with_food(data, split, read_vocabulary(data))
            if recipe.text.strip()
        ]

    def outputs(self, path: Path, data: str | Path, split: str, items: Sequence[Item]) -> list[str]:
        """Read one output a line, for all recipes of the split or for the chosen ones."""
        ids = [f"{split}-{number}" for number, *_ in _with_food(data, split, read_vocabulary(data))]
        return read_outputs(path, items, [by_id("one per recipe with a known food", ids)])

    def measure(self, outputs: Sequence[str], items: Sequence[Item]) -> list[Score]:
        """Score by the metrics against the recipe's own directions, then by coverage and extra."""
        from neurologic.experiments.metrics import measure
        from neurologic.experiments.tasks.recipes.ingredient_metrics import (
            ExtraIngredients,
            IngredientCoverage,
        )

        texts = corpus_of(outputs, items)
        accepted = tuple(tuple(map(tuple, item.fields["accepted"])) for item in items)
        titles = tuple(item.title for item in items)
        return [
            *reference_scores(texts, items),
            measure(IngredientCoverage(accepted), texts),
            measure(ExtraIngredients(accepted, titles), texts),
        ]


def _with_food(
    data: str | Path, split: str, vocabulary: Vocabulary
) -> Iterator[tuple[int, Recipe, tuple[Ingredient, ...]]]:
    """Yield the recipes of a split that have a known food: number in the split, recipe, ingredients."""
    for number, recipe in enumerate(read_recipes(data, split), 1):
        if ingredients := ingredients_of(recipe.ingredients, vocabulary):
            yield number, recipe, ingredients
