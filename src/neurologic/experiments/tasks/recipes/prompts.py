"""What a model is asked: by the head of a recipe, after an example, by an instruction, or as it was trained.

The head of a recipe is a text that a language model goes on with, and so is nothing that it was trained for:
zero-shot. The default model writes far better recipes after it than after an instruction, which it answers
with a list of the ingredients or with praise of the dish. The example is a recipe of our own; an example is
supervision, if only of one text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neurologic.experiments.tasks.base import Prompt

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
    ZERO_SHOT: "a language model goes on with title, ingredients and the first step's number",
    ONE_SHOT: "the same after one whole recipe as an example",
    INSTRUCTED: "an instruct model sees an instruction with title and ingredients",
    SUPERVISED: '"title: a, b, c =", as models of "neurologic train recipes" are trained',
}

# 200 tokens are some 130 words and their numbers. Recipes repeat short phrases ("in a large bowl"), but
# hardly longer ones.
SETTINGS: dict[str, Any] = {"max_new_tokens": 200, "no_repeat_ngram_size": 4}

# A text of many steps has time: few candidates by likelihood, so that an ingredient waits for its place
# instead of being said at once, and all tiers by satisfied clauses, so that who waits is not dropped.
_KNOBS: dict[str, Any] = {"alpha": 32, "beta": 20, "lambda_": 0.25}

# A language model that goes on would begin the next recipe.
_OF_PROMPT: Mapping[str, Mapping[str, Any]] = {
    ZERO_SHOT: {"stop_strings": ("\n\n",)},
    ONE_SHOT: {"stop_strings": ("\n\n",)},
}


def settings(kind: str) -> dict[str, Any]:
    """How texts are written after a kind of prompt, unless the caller says otherwise."""
    return {**SETTINGS, **_KNOBS, **_OF_PROMPT.get(kind, {})}


def prompt_of(title: str, ingredients: Sequence[str], kind: str) -> Prompt:
    """The prompt of a recipe; one that is a text is to be sent as it is."""
    if kind == INSTRUCTED:
        asked = INSTRUCTION.format(title=title, ingredients=", ".join(ingredients))
        return [{"role": "user", "content": asked}]
    if kind == SUPERVISED:
        return supervised(title, ingredients)
    return (example() if kind == ONE_SHOT else "") + head(title, ingredients) + OPENING


def opening_of(kind: str) -> str:
    """The part of the prompt with which the output begins."""
    return OPENING if kind in (ZERO_SHOT, ONE_SHOT) else ""


def head(title: str, ingredients: Sequence[str]) -> str:
    """A recipe up to its directions."""
    return HEAD.format(title=title, ingredients=", ".join(ingredients))


def example() -> str:
    """A whole recipe, and the gap after it."""
    return f"{head(EXAMPLE_TITLE, EXAMPLE_INGREDIENTS)}{EXAMPLE_DIRECTIONS}\n\n"


def supervised(title: str, ingredients: Sequence[str]) -> str:
    """What a supervised model reads before it writes the directions.

    >>> supervised("Thanksgiving Beets", ["beets", "brown sugar", "vinegar"])
    'Thanksgiving Beets: beets, brown sugar, vinegar ='
    """
    return f"{title}: {', '.join(ingredients)} ="
