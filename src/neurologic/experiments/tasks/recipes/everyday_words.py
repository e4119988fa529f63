"""Everyday words that are also names of food; neither the formula nor `ExtraIngredients` counts them as such.

The rule: take the directions of the train split that say a word, singular or plural. If in at least three of
ten of them, and in at least five, it is neither in a line of ingredients nor in the title, it means something
else: "roll out the dough", "bring to a boil", "pour the batter". `FOODS` are the exceptions, names of food
that a text can add: to write "add the nuts" without given nuts is to add an ingredient. A test checks the
lists against the data.

`BY_HAND` has words that the rule does not reach: salt, which every kitchen has and most recipes list;
dishes that the ingredients become; and words with another meaning that is rare in the data.

Names of several words are ingredients whatever their words: puff pastry is not an everyday word. The
exceptions are `NAMES`: water, and batter and shells that the ingredients become.
"""

from __future__ import annotations

from neurologic.experiments.tasks.recipes.word_forms import Key
from neurologic.experiments.tasks.word_lists import word_set

SHARE, LEAST = 0.3, 5

BY_RULE = word_set(
    """
    baking batter boil bone broiler brown caramel center cocktail cookie custard dessert dip dressing drink
    dripping fat flavoring food french frosting fryer glaze grain gravy grit ice icing juice kernel liquid
    marinade martini meal meringue mixed muffin palm pancake pastry patty pocket powdered process puree
    ready roast roll roux seal serve shake spot sprinkle starch stuffing toast top topping twist
    vinaigrette water whip
    """
)
FOODS = word_set(
    """
    alcohol berry breadcrumb candy fish fruit herb jelly margarine meat melon nut pasta spice vegetable
    """
)
BY_HAND = word_set(
    """
    american bar bitter blue breading brick brine cake casing dipper dock drum fillet flake flower frank
    green gum heart hop italian perch pie puff ramp replacement rose salad salt sauce seasoning seed skate
    smelt snow sole soup speck stew tart violet white
    """
)

EVERYDAY = BY_RULE | BY_HAND
NAMES = frozenset(
    {("ice", "water"), ("salt", "water"), ("pancake", "batter"), ("pastry", "shell"), ("tart", "shell")}
)


def is_everyday(key: Key) -> bool:
    """Tell whether a name is an everyday word, or one of `NAMES`."""
    return key in NAMES or (len(key) == 1 and key[0] in EVERYDAY)
