"""Everyday words that are also names of food: they are no ingredients, neither to the formula nor to `extra`.

The rule: a name of one word is an everyday word if recipes say it though it is not in them. Looked at are
the directions of the train split that say the word, singular or plural. If in three of ten of them, and in
five or more, it is neither in a line of ingredients nor in the title, it means something else: "roll out the
dough", "bring to a boil", "pour the batter". `FOODS` are the words for which this would be wrong, since they
name food that a text can add: who writes "add the nuts" without nuts has added an ingredient.

`BY_HAND` has words that the rule does not reach: salt, which every kitchen has and most recipes list;
dishes that the ingredients become; and words whose other meaning is rarer in the data.

Names of more words are ingredients, whatever their words: puff pastry is no everyday word. The exceptions are
`NAMES`: water that every kitchen has, and batter and shells that the ingredients become.
"""

from __future__ import annotations

from neurologic.experiments.tasks.recipes.word_forms import Key
from neurologic.experiments.tasks.recipes.word_tables import word_set

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
    """Whether a name is an everyday word, or one of the few names that are as good as one."""
    return key in NAMES or (len(key) == 1 and key[0] in EVERYDAY)
