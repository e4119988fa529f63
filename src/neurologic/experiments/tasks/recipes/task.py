"""Recipes as a task of `neurologic eval` and `neurologic train`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurologic.experiments.tasks.base import (
    PACKAGES,
    Item,
    Option,
    Options,
    lines_of_outputs,
    without_references,
)
from neurologic.experiments.tasks.recipes import prompts
from neurologic.experiments.tasks.recipes.formulas import Ingredient, formula, ingredients_of
from neurologic.experiments.tasks.recipes.recipe_files import Recipe, read_recipes
from neurologic.experiments.tasks.recipes.vocabulary import Vocabulary, read_vocabulary

if TYPE_CHECKING:
    from neurologic.experiments.metrics import Score
    from neurologic.experiments.training import Pair

_EXAMPLES = """
  neurologic eval recipes --data DIR --sample 100 -o runs/recipes --decoders neurologic,beam,dba
  neurologic eval recipes --data DIR --prompt supervised --model trained/recipes -o runs/supervised
  neurologic eval recipes --data DIR --predictions outputs.txt
"""


class Recipes:
    """Directions for a dish from its title and its ingredients (Kiddon et al., EMNLP 2016)."""

    name = "recipes"
    title = "Recipes"
    summary = "directions for a dish that use every given ingredient and no other"
    data = "folder with recipes as JSON lines or Markdown, and flavorgraph_nodes.csv in it or above it"
    packages: Mapping[str, str] = {**PACKAGES, "ingredient_parser": "recipes"}
    options: tuple[Option, ...] = (Option("prompt", "what the model is asked", prompts.PROMPTS),)
    examples = _EXAMPLES

    def settings(self, options: Options, decoder: str) -> dict[str, Any]:
        return prompts.settings(options["prompt"])

    def items(self, data: str | Path, split: str, options: Options) -> list[Item]:
        vocabulary = read_vocabulary(data)
        items = []
        for number, recipe, ingredients in _with_food(data, split, vocabulary):
            names = [ingredient.name for ingredient in ingredients]
            prompt = prompts.prompt_of(recipe.title, names, options["prompt"])
            items.append(
                Item(
                    id=_id(split, number),
                    title=recipe.title,
                    prompt=prompt,
                    formula=formula(ingredients, recipe.title, vocabulary),
                    references=(recipe.text,) if recipe.text.strip() else (),
                    raw=isinstance(prompt, str),
                    opening=prompts.opening_of(options["prompt"]),
                    fields={
                        "title": recipe.title,
                        "ingredients": names,
                        "accepted": [list(ingredient.accepted) for ingredient in ingredients],
                    },
                )
            )
        return items

    def pairs(self, data: str | Path, split: str) -> list[Pair]:
        """The directions of every recipe that has some, after the prompt of supervised models."""
        from neurologic.experiments.training import Pair

        vocabulary = read_vocabulary(data)
        found = []
        for _, recipe, ingredients in _with_food(data, split, vocabulary):
            if recipe.text.strip():
                names = [ingredient.name for ingredient in ingredients]
                found.append(Pair(prompts.supervised(recipe.title, names), recipe.text))
        return found

    def outputs(self, path: Path, data: str | Path, split: str, items: Sequence[Item]) -> list[str]:
        """One output a line, for all recipes of the split or for the chosen ones."""
        everything = [_id(split, number) for number, *_ in _with_food(data, split, read_vocabulary(data))]
        counts = {len(everything): "one a recipe with a known food"}
        counts.setdefault(len(items), "one for each of the chosen inputs")
        found = lines_of_outputs(path, counts)
        if len(found) == len(items):
            return found
        of_id = dict(zip(everything, found, strict=True))
        return [of_id[item.id] for item in items]

    def measure(self, outputs: Sequence[str], items: Sequence[Item]) -> list[Score]:
        """ROUGE-L, BLEU, METEOR, CIDEr, SPICE against the recipe's own directions; coverage and extra."""
        from neurologic.experiments.metrics import METRICS, Corpus, Score, measure
        from neurologic.experiments.metrics.tokens import normalised
        from neurologic.experiments.tasks.recipes.coverage import IngredientCoverage
        from neurologic.experiments.tasks.recipes.extra import ExtraIngredients

        missing = without_references(items)
        references = tuple(tuple(map(normalised, item.references)) for item in items)
        texts = Corpus(tuple(map(normalised, outputs)), references)
        accepted = tuple(tuple(map(tuple, item.fields["accepted"])) for item in items)
        own = (
            IngredientCoverage(accepted),
            ExtraIngredients(accepted, tuple(item.title for item in items)),
        )
        against_references = [metric for name, metric in METRICS.items() if name != IngredientCoverage.name]
        return [
            Score(metric, None, reason=missing) if missing else measure(metric, texts)
            for metric in against_references
        ] + [measure(metric, texts) for metric in own]


def _with_food(
    data: str | Path, split: str, vocabulary: Vocabulary
) -> Iterator[tuple[int, Recipe, tuple[Ingredient, ...]]]:
    """The recipes of a split with a known food: their number in it, themselves, their ingredients."""
    for number, recipe in enumerate(read_recipes(data, split), 1):
        if ingredients := ingredients_of(recipe.ingredients, vocabulary):
            yield number, recipe, ingredients


def _id(split: str, number: int) -> str:
    return f"{split}-{number}"
