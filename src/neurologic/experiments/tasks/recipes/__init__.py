"""Recipes (Kiddon et al., EMNLP 2016; experiment II of the paper): directions from a title and ingredients.

`recipe_files` reads recipes. `ingredient_lines` makes names of their lines with the tables of
`kitchen_words`, and `vocabulary` knows which names are food; `generic_names` and `everyday` say by which
names an ingredient may go and which words are no ingredients. `formulas` has what a text must say and must
not, `prompts` what a model is asked; `coverage` and `extra` are metrics, and `task` makes an experiment of
it all.
"""

from __future__ import annotations

from neurologic.experiments.tasks.recipes.formulas import Ingredient, formula, ingredients_of
from neurologic.experiments.tasks.recipes.ingredient_lines import names_in
from neurologic.experiments.tasks.recipes.recipe_files import Recipe, read_recipes
from neurologic.experiments.tasks.recipes.task import Recipes
from neurologic.experiments.tasks.recipes.vocabulary import Vocabulary, read_vocabulary

__all__ = [
    "Ingredient",
    "Recipe",
    "Recipes",
    "Vocabulary",
    "formula",
    "ingredients_of",
    "names_in",
    "read_recipes",
    "read_vocabulary",
]
