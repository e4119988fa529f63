"""Recipes (Kiddon et al., EMNLP 2016; experiment II of the paper): directions from a title and ingredients.

`recipe_files` reads recipes. `ingredient_lines` finds names in their lines, `ingredient_vocabulary` knows
which names are food, `generic_names` what else people call an ingredient, `word_forms` their singulars and
plurals, and `kitchen_words` reads the tables of words, `words.toml`. `formulas` and `prompts` make the
constraint on a text and the input of a model; `ingredient_metrics` (with `fooddata_names`) scores texts, and
`task` combines all this into an experiment.
"""

from __future__ import annotations

from neurologic.experiments.tasks.recipes.task import Recipes

__all__ = ["Recipes"]
