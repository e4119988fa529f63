"""Phrases that say a fact, as alternatives of a clause.

A speaker says a name, an address or a number as the data has it; a few values have other spellings ("2" and
"two", "street" and "st"). A yes or no is a verb with its object ("allows dogs", "does not allow dogs"), in
the forms that people used in the train split. Phrases match in any case: "Hotel Kabuki" is "hotel kabuki".

Paraphrases of values are not here: a hotel that is "pricey" is not "expensive".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from neurologic.experiments.tasks.dialogue.acts import NO, YES
from neurologic.experiments.tasks.dialogue.slots import names_of, nouns_of
from neurologic.experiments.tasks.word_lists import phrase_list

NUMBERS = phrase_list("zero, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve")

# A word in a value of the data, and another spelling of it.
_SPELLINGS = (("street", "st"), ("avenue", "ave"), ("boulevard", "blvd"), ("blvd", "boulevard"))

_PLACE_CONTEXTS = phrase_list(
    """
    in {}, in the {}, near {}, near the {}, close to {}, close to the {}, around {}, {} area, {} neighborhood,
    {} district, area of {}, area of the {}
    """
)
_POSTCODES = ("postcode", "post code", "postal code", "zip code", "zipcode")
# The words around a value that tell it from a part of another value.
_CONTEXTS: Mapping[str, Sequence[str]] = {
    "area": _PLACE_CONTEXTS,
    "near": _PLACE_CONTEXTS,
    "food": phrase_list(
        """
        serves {}, serve {}, serving {}, offers {}, {} food, {} cuisine, {} dishes, a {} restaurant,
        food or {}
        """
    ),
    "goodformeal": phrase_list(
        "good for {}, for {}, serves {}, serve {}, serving {}, have {}, eat {}, a {} place"
    ),
    "pricerange": phrase_list(
        """
        in the {}, {} price range, {} price, {} prices, {} priced, {} range, is {}, are {}, price range is {},
        a {} hotel, an {} hotel, {} hotels, a {} restaurant, an {} restaurant, {} restaurants, a {} place,
        an {} place, {} places
        """
    ),
    "price": phrase_list("costs {}, cost {}, price is {}, price of {}, prices are {}, for {}, from {}"),
    "phone": phrase_list(
        """
        phone number {}, phone number is {}, number is {}, phone is {}, telephone number {}, call {},
        phone {}, them at {}, it at {}
        """
    ),
    "address": phrase_list("at {}, address {}, address is {}, address of {}"),
    "postcode": tuple(f"{name} {rest}" for name in _POSTCODES for rest in ("{}", "is {}", "of {}")),
    "count": phrase_list(
        """
        there are {}, there is {}, found {}, have {}, {} hotel, {} hotels, {} restaurant, {} restaurants,
        {} place, {} places
        """
    ),
    "name": phrase_list(
        """
        {} is, {} are, {} has, {} serves, {} offers, {} allows, {} accepts, {} costs, {} does, {} doesn't,
        called {}, named {}, name is {}, try {}, try the {}
        """
    ),
}

QUESTION = phrase_list(
    """
    what, which, where, how, would you, do you, did you, does it, are you, were you, is there, is that, is it,
    can i, can you, could i, could you, may i, shall i, should, confirm, so you, you want, you would like,
    you do not care, right, correct
    """
)
NOTHING_FOUND = phrase_list(
    """
    no, not, none, nothing, 0, zero, cannot, can't, couldn't, didn't, isn't, aren't, don't, doesn't, unable
    """
)
# For acts with a fact that is itself a denial: its "not" does not say that there is nothing.
NOTHING_FOUND_BESIDE_A_DENIAL = phrase_list(
    """
    there are no, there is no, there's no, there are not any, there aren't any, there is not a, there isn't a,
    there is not any, there isn't any, no hotel, no hotels, no restaurant, no restaurants, no place,
    no places, no match, no matches, no matching, no results, none, nothing, 0 hotels, 0 restaurants,
    0 places, zero hotels, zero restaurants, cannot find, can't find, can not find, could not find,
    couldn't find, did not find, didn't find, do not find, don't find, not found, haven't found,
    unable to find, not have any hotels, not have any restaurants, not have any places, not know of any,
    don't have any hotels, don't have any restaurants, don't have any places, don't know of any
    """
)
THERE_ARE = phrase_list(
    """
    there are, there is, there's, i have, i've, we have, we've, i found, we found, have found, found, listed,
    available, match, matches, to choose from, to pick from, i know of, serve, allow, accept, offer
    """
)
ONLY_ONE = phrase_list("only, no other, other than, except, besides, just, nothing else, sole")
# Words that would deny a fact, and words that would do so in an act with a fact that is itself a denial.
DENIAL = phrase_list(
    """
    not, no, never, without, nor, neither, cannot, can't, isn't, aren't, doesn't, don't, won't, unable
    """
)
DENIAL_BESIDE_A_DENIAL = phrase_list(
    """
    is not, isn't, not in, not near, not located, not serve, doesn't serve, not good, not the, not a, not an,
    not only, no hotels, no restaurants, no places, nor, neither
    """
)
GOODBYE = phrase_list(
    """
    goodbye, good bye, good-bye, bye, byebye, farewell, thank you, thanks, have a nice, have a good,
    have a great, have a wonderful, enjoy, see you
    """
)
ANYTHING_MORE = phrase_list(
    """
    is there anything else, anything else i can, anything else you, you with anything else,
    need anything else, want anything else, like anything else, know anything else, what else, how else,
    anything more, any more, need more, more information, more help, any other, further, any thing else,
    something else, additional
    """
)
_INDIFFERENT = phrase_list(
    """
    not care, don't care, not matter, doesn't matter, don't matter, not mind, don't mind, not an issue,
    is not an issue, isn't an issue, no preference, regardless, any kind, any type
    """
)
_UNKNOWN = phrase_list(
    """
    do not know, don't know, not sure, unsure, unknown, no information, not known, do not have, don't have,
    not available, is not available, isn't available, is not known, not have any information, cannot say,
    can't say, not listed, is not listed
    """
)


def indifference(slot: str) -> tuple[str, ...]:
    """Return phrases for "all values of this slot will do".

    >>> indifference("price")[-4:]
    ('any cost', 'any costs', 'all costs', 'various costs')
    """
    said = ((f"any {one}", f"any {many}", f"all {many}", f"various {many}") for one, many in nouns_of(slot))
    return (*_INDIFFERENT, *(phrase for phrases in said for phrase in phrases))


def ignorance(slot: str) -> tuple[str, ...]:
    """Return phrases for "I do not know the value": "no phone number" for a phone, "no area" for an area."""
    return (*_UNKNOWN, *(f"no {singular}" for singular, _ in nouns_of(slot)))


def absence(slot: str) -> tuple[str, ...]:
    """Return phrases for a no that look as if there were no place at all.

    >>> absence("hasinternet")[:2]
    ('there are no internet', 'there are no free internet')
    """
    things = [phrase for phrase in yes_or_no(slot, NO) if phrase.startswith("no ")]
    return tuple(_combined(("there are", "there is", "there's"), things))


def spellings(slot: str, value: str) -> tuple[str, ...]:
    """Return a value as the data has it, then its other spellings.

    >>> spellings("count", "2"), spellings("pricerange", "moderate")
    (('2', 'two'), ('moderate', 'moderately'))
    >>> spellings("address", "25 mason street"), spellings("price", "22 euro")
    (('25 mason street', '25 mason st'), ('22 euro', '22 euros'))
    """
    found = [value]
    if slot == "count" and value.isdecimal() and int(value) < len(NUMBERS):
        found.append(NUMBERS[int(value)])
    elif slot == "type":
        found += [f"{value}s", "place", "places"]
    elif slot == "address":
        found += [value.replace(" .", sign) for sign in (".", ",", "")]
        for word, other in _SPELLINGS:
            found += [" ".join(other if part == word else part for part in form.split()) for form in found]
    elif slot == "price":
        plural = f"{value}s" if value.endswith(("euro", "dollar")) else value
        found.append(plural)
        if value.startswith("between "):
            found += [form.removeprefix("between ").replace(" and ", " to ") for form in (value, plural)]
    elif slot == "pricerange":
        found += ["moderately"] if value == "moderate" else []
        found += [value.replace(" ", "-"), value.replace("high end", "high-end")]
    elif slot == "food":
        found += [value.replace("sea food", "seafood"), value.replace("n f", "n-f")]
    return tuple(dict.fromkeys(found))


def in_context(slot: str, values: Iterable[str]) -> tuple[str, ...]:
    """Return values with the words before or after them, for a value that is part of another one.

    A text with "Inn on Castro" does not say that it is in Castro.

    >>> in_context("food", ["thai"])[:3], in_context("stars", ["4"])
    (('serves thai', 'serve thai', 'serving thai'), ('stars 4', 'stars is 4', 'stars are 4', '4 stars'))
    """
    named = [f"{name} {rest}" for name in names_of(slot) for rest in ("{}", "is {}", "are {}")]
    contexts = _CONTEXTS.get(slot) or (*named, *(f"{{}} {name}" for name in names_of(slot)))
    return tuple(context.format(value) for value in values for context in contexts)


def yes_or_no(slot: str, value: str) -> tuple[str, ...]:
    """Return phrases for a yes or no.

    >>> yes_or_no("hasinternet", "yes")[:3], yes_or_no("dogsallowed", "no")[:2]
    (('has internet', 'has the internet', 'has an internet'), ('not allow dogs', "doesn't allow dogs"))
    """
    return _YES_OR_NO[slot][value]


def yes_beside_a_no(slot: str, *, plural: bool = False) -> tuple[str, ...]:
    """Return phrases for a yes that an earlier "not" cannot negate; `plural` adds verbs of several places.

    "It does not allow dogs or have internet" contains "have internet", and says the contrary.

    >>> "has internet" in yes_beside_a_no("hasinternet"), "have internet" in yes_beside_a_no("hasinternet")
    (True, False)
    """
    verbs = {*_SINGULAR_VERBS, *(_PLURAL_VERBS if plural else ())}
    phrases = yes_or_no(slot, YES)
    return tuple(phrase for phrase in phrases if phrase.split()[0] in verbs or _STATE.search(phrase))


def yes_with_plural_verb(slot: str) -> tuple[str, ...]:
    """Return phrases for a yes with a verb that an earlier "not" may negate as well: "have internet"."""
    return tuple(phrase for phrase in yes_or_no(slot, YES) if phrase.split()[0] in _PLURAL_VERBS)


def yes_with_singular_verb(slot: str) -> tuple[str, ...]:
    """Return phrases for a yes that occur in no phrase for a no, as "dogs are allowed" does."""
    return tuple(phrase for phrase in yes_or_no(slot, YES) if phrase.split()[0] in _SINGULAR_VERBS)


def _combined(*parts: Iterable[str]) -> list[str]:
    return [" ".join(words) for words in product(*parts)]


def _negated(verbs: Iterable[str], objects: Iterable[str]) -> list[str]:
    """Return verbs with an object, negated; "not" also covers "does not", "do not" and "will not"."""
    negations = ("not", "doesn't", "don't", "won't")
    return [f"{no} {verb} {thing}" for verb, thing in product(verbs, objects) for no in negations]


def _guests(plural: Sequence[str], singular: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return phrases for guests that a place allows or not: dogs, children."""
    verbs = ("allow", "accept", "permit", "welcome")
    states = ("allowed", "welcome", "accepted", "permitted")
    friendly = [form for guest in singular for form in (f"{guest} friendly", f"{guest}-friendly")]
    verb_forms = (*(f"{verb}s" for verb in verbs), *verbs, "allowing", "accepting", "permitting", "welcoming")
    return {
        YES: (
            *_combined(verb_forms, plural),
            *_combined(plural, ("are", "is"), states),
            *friendly,
            *_combined(plural, ("allowed",)),
        ),
        NO: (
            *_negated(verbs, plural),
            *_combined(plural, ("are not", "aren't"), states),
            *_combined(("no", "prohibits", "prohibit", "forbids", "forbid"), plural),
            *_combined(("not",), friendly),
        ),
    }


_HAVE = ("have", "offer", "provide", "include")
_ACCESS = ("access to the internet", "access to internet")
_INTERNET = ("internet", "the internet", "an internet", "free internet")
_CARDS = ("credit cards", "credit card", "any credit cards")

_YES_OR_NO: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "dogsallowed": _guests(("dogs", "pets"), ("dog", "pet")),
    "kidsallowed": _guests(("kids", "children"), ("kid", "child")),
    "hasinternet": {
        YES: (
            *_combined(("has", "have", "having"), (*_INTERNET, *_ACCESS)),
            *_combined(("offers", "provides", "includes", *_HAVE[1:]), (*_INTERNET, *_ACCESS)),
            *_combined(("with", "offering", "providing", "including", "free"), ("internet",)),
            *_combined(("internet",), ("access", "connection", "service", "is available")),
            *_ACCESS,
        ),
        NO: (
            *_negated(_HAVE, (*_INTERNET, "any internet")),
            *_negated(("have", "offer"), _ACCESS),
            *_combined(
                ("no", "without", "lacks", "lack"),
                ("internet", "free internet", "available internet", *_ACCESS),
            ),
            *("internet is not available", "internet isn't available"),
        ),
    },
    "acceptscreditcards": {
        YES: (
            *_combined(("accepts", "accept", "accepting", "takes", "take", "taking"), _CARDS[:2]),
            *("credit cards are accepted", "credit card payments", "pay by credit card"),
            *("pay with a credit card", "pay with credit cards", "pay with credit card"),
        ),
        NO: (
            *_negated(("accept", "take", "allow"), _CARDS),
            *("no credit cards", "no credit card"),
            *("credit cards are not accepted", "credit cards aren't accepted"),
        ),
    },
}
_SINGULAR_VERBS = phrase_list("allows, accepts, permits, welcomes, has, offers, provides, includes, takes")
_PLURAL_VERBS = phrase_list("allow, accept, permit, welcome, have, offer, provide, include, take")
_STATE = re.compile(r"\b(is|are|friendly)\b")
