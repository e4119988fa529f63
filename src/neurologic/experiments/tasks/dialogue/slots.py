"""The slots of both domains: the words that name them, and their values if there are only a few.

Collected from what people said in the train split; docs/experiments/dialogue.md says how often they fit.
"""

from __future__ import annotations

from collections.abc import Mapping

from neurologic.experiments.tasks.word_lists import phrase_list

_PLACE = phrase_list(
    """
    area, areas, part of town, part of the city, part of the town, part, neighborhood, neighbourhood,
    location, locations, where, what city
    """
)
# The words of a question for a slot, or of "you do not care about …".
NAMES: Mapping[str, tuple[str, ...]] = {
    "name": ("name", "called"),
    "type": ("hotel", "restaurant", "place"),
    "area": _PLACE,
    "near": (*_PLACE, "near", "nearby", "close to", "close by"),
    "pricerange": phrase_list(
        """
        price range, price ranges, price, prices, priced, pricing, budget, spend, how expensive, how much
        """
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

# The nouns among them that go with "any" and "all"; all have regular plurals.
_PLACES = ("area", "location", "part", "neighborhood", "neighbourhood")
_NOUNS: Mapping[str, tuple[str, ...]] = {
    "area": _PLACES,
    "near": _PLACES,
    "pricerange": ("price range", "price", "budget"),
    "price": ("price", "cost"),
    "food": ("food", "cuisine"),
    "goodformeal": ("meal",),
    "phone": ("phone number", "telephone number"),
    "address": ("address",),
    "postcode": ("postcode", "post code", "zip code"),
}

# Slots whose values are yes and no.
YES_OR_NO = ("dogsallowed", "kidsallowed", "hasinternet", "acceptscreditcards")

# The values of slots with a handful of them; only the data knows all values of the others.
PRICE_RANGES = phrase_list(
    """
    cheap, inexpensive, moderate, moderately, expensive, pricey, ultra high end, ultra-high-end, high-end
    """
)
MEALS = ("breakfast", "brunch", "lunch", "dinner")

# Slots that can have several values at once: "hayes valley or chinatown". In names and addresses, such words
# belong to the value.
_WITH_ALTERNATIVES = ("area", "near", "pricerange", "food", "goodformeal", "postcode")


def names_of(slot: str) -> tuple[str, ...]:
    """Return the words that name a slot; for an unknown one, its own name."""
    return NAMES.get(slot, (slot.replace("_", " "),))


def nouns_of(slot: str) -> list[tuple[str, str]]:
    """Return the nouns that name a slot, singular and plural.

    Yes/no slots have no noun: "any dogs" are dogs.

    >>> nouns_of("goodformeal"), nouns_of("view"), nouns_of("hasinternet")
    ([('meal', 'meals')], [('view', 'views')], [])
    """
    nouns = _NOUNS.get(slot, ()) if slot in NAMES else (slot.replace("_", " "),)
    return [(noun, f"{noun}es" if noun.endswith("s") else f"{noun}s") for noun in nouns]


def alternatives(slot: str, value: str) -> tuple[str, ...]:
    """Return the values that a value consists of.

    >>> alternatives("area", "soma or nob hill"), alternatives("name", "fresca and zarzuela")
    (('soma', 'nob hill'), ('fresca and zarzuela',))
    """
    return tuple(value.split(" or ")) if slot in _WITH_ALTERNATIVES else (value,)
