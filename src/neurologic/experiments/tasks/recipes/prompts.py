"""Prompts of recipes: a recipe's head, the same after an example, an instruction, or a trained model's input.

A language model continues the head of a recipe without being trained for it: zero-shot. The default model
writes far better recipes after it than after an instruction, which it answers with a list of the ingredients
or with praise of the dish. We wrote the example recipe ourselves; an example is supervision, if only by one
text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neurologic.experiments.tasks.base import Prompt, chat

INSTRUCTION = (
    "Write the cooking directions for {title}. Use all of these ingredients and no others: {ingredients}. "
    "Write one paragraph of about 100 words."
)
HEAD = "{title}\n\nIngredients: {ingredients}.\n\nDirections:\n"
OPENING = "1."

EXAMPLE_TITLE = "Warm Lentil Supper"
EXAMPLE_INGREDIENTS = ("green lentils", "carrots", "butter", "red wine vinegar", "walnuts", "parsley", "salt")
EXAMPLE_DIRECTIONS = (
    "1. Rinse the lentils and put them into a saucepan.\n"
    "2. Cover with cold water, bring to a boil, and simmer for 20 minutes until just tender. Drain well.\n"
    "3. Meanwhile, melt the butter in a large skillet over medium heat. Add the carrots and cook, stirring "
    "often, until they begin to brown, about 8 minutes.\n"
    "4. Stir in the lentils, the vinegar and a pinch of salt, and heat through.\n"
    "5. Remove from the heat, fold in the walnuts, and sprinkle with parsley. Serve warm."
)

ZERO_SHOT, ONE_SHOT, INSTRUCTED, SUPERVISED = "zero-shot", "one-shot", "instruction", "supervised"

PROMPTS: Mapping[str, str] = {
    ZERO_SHOT: "a language model continues title, ingredients and the first step's number",
    ONE_SHOT: "the same after one whole recipe as an example",
    INSTRUCTED: "an instruct model sees an instruction with title and ingredients",
    SUPERVISED: '"title: a, b, c =", as models of "neurologic train recipes" are trained',
}

# Prompts that end in the first step's number; the model continues them.
CONTINUED = (ZERO_SHOT, ONE_SHOT)

# 200 tokens are some 130 words and the steps' numbers. Recipes repeat short phrases ("in a large bowl"), but
# hardly longer ones. A text of many steps has time: a small alpha keeps few candidates by likelihood, so that
# an ingredient waits for its place, and beta keeps all groups of satisfied clauses, so that the search does
# not drop a hypothesis that waits.
SETTINGS: dict[str, Any] = {
    "max_new_tokens": 200,
    "no_repeat_ngram_size": 4,
    "alpha": 32,
    "beta": 20,
    "lambda_": 0.25,
}


def settings(kind: str) -> dict[str, Any]:
    """Return the default settings after a kind of prompt."""
    # Without a stop, a language model would begin the next recipe.
    return {**SETTINGS, **({"stop_strings": ("\n\n",)} if kind in CONTINUED else {})}


def prompt_of(title: str, ingredients: Sequence[str], kind: str) -> Prompt:
    """Return the prompt of a recipe; a text goes to the model as it is."""
    if kind == INSTRUCTED:
        return chat(INSTRUCTION.format(title=title, ingredients=", ".join(ingredients)))
    if kind == SUPERVISED:
        return supervised(title, ingredients)
    example = f"{_head(EXAMPLE_TITLE, EXAMPLE_INGREDIENTS)}{EXAMPLE_DIRECTIONS}\n\n"
    return (example if kind == ONE_SHOT else "") + _head(title, ingredients) + OPENING


def _head(title: str, ingredients: Sequence[str]) -> str:
    """Return a recipe up to its directions."""
    return HEAD.format(title=title, ingredients=", ".join(ingredients))


def supervised(title: str, ingredients: Sequence[str]) -> str:
    """Return the input of a model that `neurologic train recipes` trained.

    >>> supervised("Thanksgiving Beets", ["beets", "brown sugar", "vinegar"])
    'Thanksgiving Beets: beets, brown sugar, vinegar ='
    """
    return f"{title}: {', '.join(ingredients)} ="
