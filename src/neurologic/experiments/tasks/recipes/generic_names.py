"""Generic names of an ingredient: "oil" for olive oil, "vegetable" for onions.

In this order:

1. The ends of its name that are known foods themselves, down to the last word: bell pepper and pepper for a
   red bell pepper.
2. If the last word is a part or a preparation (chicken breast, garlic powder, egg yolks), the words before
   it: chicken, garlic, egg.
3. Synonyms (scallions, green onions), and its family (spaghetti: pasta), from tables of our own.
4. The kitchen's word for its FlavorGraph category (Fruit: fruit), except in the wrong entries that we saw.

Everyday words are not generic names. Names are in the singular here; formulas add the plurals.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from neurologic.experiments.tasks.recipes.everyday_words import is_everyday
from neurologic.experiments.tasks.recipes.ingredient_vocabulary import Vocabulary
from neurologic.experiments.tasks.recipes.kitchen_words import PARTS, PREPARATIONS
from neurologic.experiments.tasks.recipes.word_forms import Key, key_of
from neurologic.experiments.tasks.word_lists import phrase_list, word_set

# The last word misleads: peanut butter is not butter.
_MISLEADING = frozenset(
    tuple(name.split())
    for name in phrase_list(
        """
        peanut butter, almond butter, apple butter, cocoa butter, ice cream, hot dog, water chestnut,
        cream of tartar, root beer, corn dog, corn syrup, fish sauce, condensed milk, ginger ale, lemon grass,
        pot pie
        """
    )
)

_SYNONYMS = (
    ("garlic", "garlic clove"),
    ("scallion", "green onion", "spring onion"),
    ("cilantro", "fresh coriander", "coriander leaf", "fresh coriander leaf"),
    ("coriander", "coriander seed"),
    ("anise", "anise seed", "aniseed"),
    ("caraway", "caraway seed"),
    ("cardamom", "cardamom seed"),
    ("cumin", "cumin seed"),
    ("sesame", "sesame seed"),
    ("poppy", "poppy seed"),
    ("ginger", "ginger root", "gingerroot"),
    ("chickpea", "garbanzo bean", "garbanzo"),
    ("confectioners' sugar", "powdered sugar", "icing sugar"),
    ("breadcrumb", "bread crumb"),
    ("cornstarch", "corn starch"),
    ("heavy cream", "whipping cream", "heavy whipping cream"),
    ("hot sauce", "hot pepper sauce"),
    ("shrimp", "prawn"),
    ("ketchup", "catsup"),
    ("eggplant", "aubergine"),
    ("zucchini", "courgette"),
    ("beet", "beetroot"),
    ("all-purpose flour", "all purpose flour"),
    ("half-and-half", "half and half"),
    ("phyllo", "filo"),
    ("mayonnaise", "mayo"),
)

_FAMILIES = {
    "pasta": "angel hair, bow tie, farfalle, fettuccine, fettuccini, fusilli, gnocchi, lasagna, linguine, "
    "linguini, macaroni, manicotti, orzo, penne, ravioli, rigatoni, rotini, spaghetti, "
    "tagliatelle, tortellini, vermicelli, ziti",
    "noodle": "angel hair, fettuccine, lasagna, linguine, macaroni, penne, ramen, soba, spaghetti, udon, "
    "vermicelli",
    "cheese": "asiago, brie, camembert, cheddar, cotija, emmental, feta, fontina, gorgonzola, gouda, "
    "gruyere, havarti, manchego, mascarpone, monterey jack, mozzarella, parmesan, parmigiano, pecorino, "
    "provolone, queso fresco, ricotta, romano, roquefort, stilton, velveeta",
    "herb": "basil, bay leaf, chervil, chive, cilantro, coriander leaf, dill, dill weed, fresh coriander, "
    "marjoram, mint, oregano, parsley, rosemary, sage, savory, tarragon, thyme, lemongrass",
    "spice": "allspice, anise, anise seed, black pepper, caraway seed, cardamom, cardamom seed, cayenne, "
    "cayenne pepper, celery seed, chili powder, cinnamon, clove, coriander, coriander powder, "
    "coriander seed, cumin, cumin seed, curry powder, dill seed, fennel seed, ginger, mace, "
    "mustard seed, nutmeg, paprika, pepper, red pepper flake, saffron, turmeric, white pepper",
    "bean": "cannellini, chickpea, garbanzo, lentil, pinto, soybean",
    "nut": "almond, cashew, hazelnut, macadamia, peanut, pecan, pine nut, pistachio, walnut",
    "lettuce": "arugula, iceberg, romaine",
    "leafy green": "arugula, chard, collard, kale, lettuce, mesclun, romaine, spinach, watercress",
    "berry": "blackberry, blueberry, cranberry, raspberry, strawberry",
    "fruit": "clementine, currant, fig, strawberry, tangerine",
    "vegetable": "mushroom, plum tomato, cauliflower, winter squash, corn, green bean",
    "shellfish": "clam, crab, crayfish, lobster, mussel, oyster, scallop, shrimp, prawn",
    "pepper": "jalapeno, habanero, serrano, poblano, chipotle",
    "liquor": "bourbon, brandy, cognac, gin, rum, tequila, vodka, whiskey, whisky",
}

# Members only as a whole name: other foods end in these words (garlic cloves, bell peppers).
_BY_ITSELF = frozenset({("clove",), ("pepper",), ("corn",), ("coriander",)})
_PEPPERS = frozenset({("black", "pepper"), ("white", "pepper"), ("cayenne", "pepper")})
_SAID_AFTER = PARTS | {"bean", "noodle", "nut", "pasta", "pepper"}

# Everyday words that are nothing but food: kosher salt is salt.
_STAPLES = ("salt", "water")

# FlavorGraph's categories that have a name in kitchens, and their members that nobody calls so.
_CATEGORIES = {
    "Fruit": "fruit",
    "Meat/Animal Product": "meat",
    "Plant/Vegetable": "vegetable",
    "Seafood": "seafood",
}
_NO_FISH = word_set(
    """
    abalone caviar clam conch crab crayfish cuttlefish kelp kombu lobster moss mussel oyster prawn scallop
    shrimp snail squid
    """
)
_NOT_OF_CATEGORY = word_set(
    """
    agar agave broth capsicum cassia caviar cayenne cinnamon clementine cocoa coriander currant egg fig
    ginger hop horseradish kelp kombu lovage moss mustard oil paprika pawpaw peppermint relish saffron
    semolina seed snail spirulina stick stock strawberry tangerine tea teff tempeh turmeric vanilla white
    yolk zest
    """
)


@lru_cache(maxsize=65536)
def generic_names(name: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return other names for a known food ("cheddar cheese"), without its own."""
    found = [
        *_ends(name, vocabulary),
        *_synonyms(name),
        *_families(name),
        *_categories(name, vocabulary),
    ]
    own = key_of(name)
    return tuple(
        other
        for other in dict.fromkeys(found)
        if (key_of(other) != own or other not in name)
        and (other in _STAPLES or not is_everyday(key_of(other)))  # "roll" does not name crescent rolls
    )


def _ends(name: str, vocabulary: Vocabulary) -> Iterator[str]:
    """Yield the known ends of a name, and the known names before its parts and preparations."""
    words = name.split()
    if key_of(name)[-3:] in _MISLEADING or key_of(name)[-2:] in _MISLEADING:
        return
    for start in range(1, len(words)):
        end = " ".join(words[start:])
        if key_of(end) in vocabulary.names and not (start == len(words) - 1 and _is_preparation(words[-1])):
            yield end
    for end_of_first in range(len(words) - 1, 0, -1):
        if not _is_preparation(words[end_of_first]):
            break
        first = " ".join(words[:end_of_first])
        if key_of(first) in vocabulary.names:
            yield first
            yield from _ends(first, vocabulary)


def _is_preparation(word: str) -> bool:
    return not PREPARATIONS.isdisjoint(key_of(word)[-1:])


def _synonyms(name: str) -> Iterator[str]:
    own = key_of(name)
    for group in _SYNONYMS:
        if own in map(key_of, group):
            yield from group


def _families(name: str) -> Iterator[str]:
    own = key_of(name)
    for family in _FAMILIES:
        if any(_is_in(member, own) for member in _members(family)):
            yield family


@lru_cache(maxsize=64)
def _members(family: str) -> tuple[Key, ...]:
    return tuple(map(key_of, _FAMILIES[family].split(", ")))


def _is_in(member: Key, own: Key) -> bool:
    """Tell whether a name is a member's: "lemon thyme", "thyme leaves", "spaghetti noodles"."""
    if member in _BY_ITSELF:
        return own == member
    start, rest = own[: len(member)], own[len(member) :]
    return own[-len(member) :] == member or (start == member and all(word in _SAID_AFTER for word in rest))


def _categories(name: str, vocabulary: Vocabulary) -> Iterator[str]:
    own = key_of(name)
    ends = (own[start:] for start in range(len(own)))
    category = next((vocabulary.categories[end] for end in ends if end in vocabulary.categories), None)
    if category in _CATEGORIES and not _is_exempt(own):
        yield _CATEGORIES[category]
        if category == "Seafood" and own[-1] not in _NO_FISH:
            yield "fish"


def _is_exempt(own: Key) -> bool:
    """Tell whether a food does not go by the name of its category."""
    if own[-1] in _NOT_OF_CATEGORY or own[-2:] in _PEPPERS:
        return True
    return any(_is_in(member, own) for member in _members("herb"))
