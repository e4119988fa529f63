"""The slots of both domains: the words that name them, and the words of those with a closed set of values.

Collected from what people said in the train split; see docs/dialogue.md for how often that fits.
"""

from __future__ import annotations

from collections.abc import Mapping

# What a question for a slot, or "you do not care about …", is recognised by.
_PLACE = (
    *("area", "areas", "part of town", "part of the city", "part of the town", "part", "neighborhood"),
    *("neighbourhood", "location", "locations", "where", "what city"),
)
NAMES: Mapping[str, tuple[str, ...]] = {
    "name": ("name", "called"),
    "type": ("hotel", "restaurant", "place"),
    "area": _PLACE,
    "near": (*_PLACE, "near", "nearby", "close to", "close by"),
    "pricerange": (
        *("price range", "price ranges", "price", "prices", "priced", "pricing", "budget", "spend"),
        *("how expensive", "how much"),
    ),
    "price": ("price", "prices", "cost", "costs", "how much"),
    "food": ("food", "foods", "cuisine", "cuisines", "to eat", "serve", "serves"),
    "goodformeal": ("meal", "meals", "breakfast", "brunch", "lunch", "dinner"),
    "phone": ("phone number", "phone", "telephone", "telephone number"),
    "address": ("address", "located"),
    "postcode": ("postcode", "post code", "postal code", "zip code", "zipcode"),
    "count": ("how many", "number"),
    "dogsallowed": ("dogs", "dog", "pets", "pet"),
    "kidsallowed": ("kids", "kid", "children", "child"),
    "hasinternet": ("internet",),
    "acceptscreditcards": ("credit cards", "credit card", "cards", "card"),
}

# Those of them that go with "any" and "all", for one and for several.
_PLACES = (
    *(("area", "areas"), ("location", "locations"), ("part", "parts"), ("neighborhood", "neighborhoods")),
    ("neighbourhood", "neighbourhoods"),
)
_NOUNS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "area": _PLACES,
    "near": _PLACES,
    "pricerange": (("price range", "price ranges"), ("price", "prices"), ("budget", "budgets")),
    "price": (("price", "prices"), ("cost", "costs")),
    "food": (("food", "foods"), ("cuisine", "cuisines")),
    "goodformeal": (("meal", "meals"),),
    "phone": (("phone number", "phone numbers"), ("telephone number", "telephone numbers")),
    "address": (("address", "addresses"),),
    "postcode": (("postcode", "postcodes"), ("post code", "post codes"), ("zip code", "zip codes")),
}

# Slots whose values are yes and no.
YES_OR_NO = ("dogsallowed", "kidsallowed", "hasinternet", "acceptscreditcards")

# The values of slots that have a handful of them; of the others only the data knows all.
PRICE_RANGES = (
    *("cheap", "inexpensive", "moderate", "moderately", "expensive", "pricey"),
    *("ultra high end", "ultra-high-end", "high-end"),
)
MEALS = ("breakfast", "brunch", "lunch", "dinner")

# Slots whose values can be several at once: "hayes valley or chinatown". In names and addresses such words
# belong to the value.
_SEVERAL = ("area", "near", "pricerange", "food", "goodformeal", "postcode")


def names_of(slot: str) -> tuple[str, ...]:
    """The words that name a slot; of an unknown one, its own name."""
    return NAMES.get(slot, (slot.replace("_", " "),))


def nouns_of(slot: str) -> tuple[tuple[str, str], ...]:
    """The nouns that name a slot, for one and for several; a yes or no has none ("any dogs" are dogs).

    >>> nouns_of("goodformeal"), nouns_of("view"), nouns_of("hasinternet")
    ((('meal', 'meals'),), (('view', 'views'),), ())
    """
    name = slot.replace("_", " ")
    return _NOUNS.get(slot, () if slot in NAMES else ((name, f"{name}s"),))


def parts_of(slot: str, value: str) -> tuple[str, ...]:
    """The values that a value consists of.

    >>> parts_of("area", "soma or nob hill"), parts_of("name", "fresca and zarzuela")
    (('soma', 'nob hill'), ('fresca and zarzuela',))
    """
    return tuple(value.split(" or ")) if slot in _SEVERAL else (value,)
