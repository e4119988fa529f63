"""Recipes for predicates: a text for each, with its formula, by the default model.

    python examples/predicates.py              # all recipes; some minutes on a laptop
    python examples/predicates.py 3 7          # only these

The page docs/guides/recipes.md shows what it prints.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import neurologic as nl


class Recipe(NamedTuple):
    """What somebody wants, as they would say it and as a formula."""

    wish: str
    prompt: str
    formula: str


RECIPES = (
    Recipe("exactly three sentences", "Write about a walk in the forest.", "sentences(3) & words(..45)"),
    Recipe(
        "start with the customer's name",
        "Thank a customer for an order.",
        'starts("Dear Ms Bell") & words(..30)',
    ),
    Recipe(
        "no sentence over 10 words", "Describe a garden.", "every(sentence, words(..10)) & sentences(2..3)"
    ),
    Recipe(
        "mention price before warranty",
        "Describe a kettle for a shop.",
        "order(price, warranty) & words(..30)",
    ),
    Recipe(
        "a date as YYYY-MM-DD",
        "Announce a concert and its date.",
        "some(word, fully(/20[1-4][0-9]-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9])/)) & words(..30)",
    ),
    Recipe("end with a question", "Invite a friend to dinner.", 'ends("?") & words(..20)'),
    Recipe(
        "product name in the first sentence, twice at most",
        "Write about the tent Nomad.",
        "first(sentence, Nomad) & !Nomad[times=3] & sentences(2)",
    ),
    Recipe(
        "fill in a template",
        "Write a short thank-you card.",
        r"fully(/Dear [A-Z][a-z]+, thank you for [a-z ,]+\./)",
    ),
    Recipe("the third word is never", "Give advice on saving money.", "nth(3, word, never) & words(..15)"),
    Recipe(
        "two facts in the same sentence",
        "Describe Lake Geneva.",
        "some(sentence, deep & swans) & every(sentence, words(8..)) & sentences(2)",
    ),
    Recipe("exactly 12 words", "Write one sentence about the sea.", "words(12)"),
    Recipe("80 to 100 characters", "Write a headline about a new bridge.", "characters(80..100)"),
    Recipe("two paragraphs", "Write about cats and dogs.", "paragraphs(2) & words(..45)"),
    Recipe("the last word is home", "Write about a long journey.", "last(word, home) & words(..20)"),
    Recipe(
        "every sentence begins with We",
        "Write a promise of a bakery.",
        "every(sentence, starts(We)) & sentences(2)",
    ),
    Recipe(
        "no word longer than 7 letters",
        "Explain why sleep is good.",
        "no(word, characters(8..)) & words(10..20)",
    ),
    Recipe("forbidden words", "Describe a cat.", "none(cat, cats, animal, pet) & words(..20)"),
    Recipe(
        "a word only inside a name",
        "Describe a holiday.",
        '!York[unless="New York"] & "New York" & words(..25)',
    ),
    Recipe("near each other", "Describe a rainy street.", "near(2, wet, umbrella) & words(..25)"),
    Recipe("a wish", "Write one sentence about the park.", "dog & words(..15) & prefer(frisbee, 3)"),
)


def main() -> None:
    """Write a text for each recipe, or for those with the given numbers."""
    lm = nl.load()
    chosen = [int(number) for number in sys.argv[1:]] or range(1, len(RECIPES) + 1)
    for number in chosen:
        recipe = RECIPES[number - 1]
        result = lm.generate(recipe.prompt, recipe.formula, max_new_tokens=64)
        verdict = "satisfied" if result.satisfied else "not satisfied"
        print(f"{number}. {recipe.wish}: {recipe.formula}", flush=True)
        print(f"   {recipe.prompt}")
        print(f"   {result.text!r}")
        print(f"   {verdict}, {result.forced} forced", flush=True)


if __name__ == "__main__":
    main()
