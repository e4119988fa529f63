"""The forms in which a speaker says a fact, as alternatives of a clause.

A name, an address or a number is said as the data has it; a few values have other spellings ("2" and "two",
"street" and "st"). A yes or no is a verb with its object ("allows dogs", "does not allow dogs"), in the
forms that people used in the train split. Matching ignores case, so that "Hotel Kabuki" is "hotel kabuki".

Not here are paraphrases of values: a hotel that is "pricey" is not "expensive".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import product

from neurologic.experiments.tasks.dialogue.acts import NO, YES
from neurologic.experiments.tasks.dialogue.slots import names_of, nouns_of

NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    "twelve",
)

# Words of values with other spellings, in both directions of none: the first is the data's.
_SHORT = (("street", "st"), ("avenue", "ave"), ("boulevard", "blvd"), ("blvd", "boulevard"))

_HERE = (
    *("in {}", "in the {}", "near {}", "near the {}", "close to {}", "close to the {}", "around {}"),
    *("{} area", "{} neighborhood", "{} district", "area of {}", "area of the {}"),
)
_CODES = ("postcode", "post code", "postal code", "zip code", "zipcode")
# What stands around a value that is part of another one.
_AROUND_A_VALUE: dict[str, Sequence[str]] = {
    "area": _HERE,
    "near": _HERE,
    "food": (
        *("serves {}", "serve {}", "serving {}", "offers {}", "{} food", "{} cuisine", "{} dishes"),
        *("a {} restaurant", "food or {}"),
    ),
    "goodformeal": (
        *("good for {}", "for {}", "serves {}", "serve {}", "serving {}", "have {}", "eat {}", "a {} place"),
    ),
    "pricerange": (
        *("in the {}", "{} price range", "{} price", "{} prices", "{} priced", "{} range", "is {}", "are {}"),
        *(
            "price range is {}",
            "a {} hotel",
            "an {} hotel",
            "{} hotels",
            "a {} restaurant",
            "an {} restaurant",
        ),
        *("{} restaurants", "a {} place", "an {} place", "{} places"),
    ),
    "price": ("costs {}", "cost {}", "price is {}", "price of {}", "prices are {}", "for {}", "from {}"),
    "phone": (
        *("phone number {}", "phone number is {}", "number is {}", "phone is {}", "telephone number {}"),
        *("call {}", "phone {}", "them at {}", "it at {}"),
    ),
    "address": ("at {}", "address {}", "address is {}", "address of {}"),
    "postcode": tuple(f"{code} {more}" for code in _CODES for more in ("{}", "is {}", "of {}")),
    "count": (
        *("there are {}", "there is {}", "found {}", "have {}", "{} hotel", "{} hotels", "{} restaurant"),
        *("{} restaurants", "{} place", "{} places"),
    ),
    "name": (
        *("{} is", "{} are", "{} has", "{} serves", "{} offers", "{} allows", "{} accepts", "{} costs"),
        *("{} does", "{} doesn't", "called {}", "named {}", "name is {}", "try {}", "try the {}"),
    ),
}

QUESTION = (
    *("what", "which", "where", "how", "would you", "do you", "did you", "does it", "are you", "were you"),
    *("is there", "is that", "is it", "can i", "can you", "could i", "could you", "may i", "shall i"),
    *("should", "confirm", "so you", "you want", "you would like", "you do not care", "right", "correct"),
)
NOTHING_FOUND = (
    *("no", "not", "none", "nothing", "0", "zero", "cannot", "can't", "couldn't", "didn't", "isn't"),
    *("aren't", "don't", "doesn't", "unable"),
)
# Beside a fact that is itself a denial, whose "not" does not say that there is nothing.
NOTHING_FOUND_BESIDE_A_DENIAL = (
    *("there are no", "there is no", "there's no", "there are not any", "there aren't any", "there is not a"),
    *("there isn't a", "there is not any", "there isn't any", "no hotel", "no hotels", "no restaurant"),
    *("no restaurants", "no place", "no places", "no match", "no matches", "no matching", "no results"),
    *("none", "nothing", "0 hotels", "0 restaurants", "0 places", "zero hotels", "zero restaurants"),
    *("cannot find", "can't find", "can not find", "could not find", "couldn't find", "did not find"),
    *("didn't find", "do not find", "don't find", "not found", "haven't found", "unable to find"),
    *("not have any hotels", "not have any restaurants", "not have any places", "not know of any"),
    *("don't have any hotels", "don't have any restaurants", "don't have any places", "don't know of any"),
)
THERE_ARE = (
    *("there are", "there is", "there's", "i have", "i've", "we have", "we've", "i found", "we found"),
    *("have found", "found", "listed", "available", "match", "matches", "to choose from", "to pick from"),
    *("i know of", "serve", "allow", "accept", "offer"),
)
ONLY_ONE = ("only", "no other", "other than", "except", "besides", "just", "nothing else", "sole")
# What would deny a fact that is to be told, and what would do so beside a fact that is itself a denial.
DENIAL = (
    *("not", "no", "never", "without", "nor", "neither", "cannot", "can't", "isn't", "aren't", "doesn't"),
    *("don't", "won't", "unable"),
)
DENIAL_OF_OTHERS = (
    *("is not", "isn't", "not in", "not near", "not located", "not serve", "doesn't serve", "not good"),
    *("not the", "not a", "not an", "not only", "no hotels", "no restaurants", "no places", "nor", "neither"),
)
GOODBYE = (
    *("goodbye", "good bye", "good-bye", "bye", "byebye", "farewell", "thank you", "thanks"),
    *("have a nice", "have a good", "have a great", "have a wonderful", "enjoy", "see you"),
)
ANYTHING_MORE = (
    *("is there anything else", "anything else i can", "anything else you", "you with anything else"),
    *("need anything else", "want anything else", "like anything else", "know anything else", "what else"),
    *("how else", "anything more", "any more", "need more", "more information", "more help", "any other"),
    *("further", "any thing else", "something else", "additional"),
)
DOES_NOT_CARE = (
    *("not care", "don't care", "not matter", "doesn't matter", "don't matter", "not mind", "don't mind"),
    *("not an issue", "is not an issue", "isn't an issue", "no preference", "regardless", "any kind"),
    "any type",
)
NOT_KNOWN = (
    *("do not know", "don't know", "not sure", "unsure", "unknown", "no information", "not known"),
    *("do not have", "don't have", "not available", "is not available", "isn't available", "is not known"),
    *("not have any information", "cannot say", "can't say", "not listed", "is not listed"),
)


def of_carelessness(slot: str) -> tuple[str, ...]:
    """How one says that all values of a slot will do.

    >>> of_carelessness("price")[-4:]
    ('any cost', 'any costs', 'all costs', 'various costs')
    """
    said = ((f"any {one}", f"any {many}", f"all {many}", f"various {many}") for one, many in nouns_of(slot))
    return (*DOES_NOT_CARE, *(form for forms in said for form in forms))


def of_ignorance(slot: str) -> tuple[str, ...]:
    """How one says that a value is not known: "no phone number", but "no area" only of an area."""
    return (*NOT_KNOWN, *(f"no {one}" for one, _ in nouns_of(slot)))


def of_a_thing_not_there(slot: str) -> tuple[str, ...]:
    """A no that only seems to say that no place was found.

    >>> of_a_thing_not_there("hasinternet")[:2]
    ('there are no internet', 'there are no free internet')
    """
    things = [form for form in of_choice(slot, NO) if form.startswith("no ")]
    return tuple(_crossed(("there are", "there is", "there's"), things))


def of_value(slot: str, value: str) -> tuple[str, ...]:
    """The forms of a value that is said as it is.

    >>> of_value("count", "2"), of_value("pricerange", "moderate")
    (('2', 'two'), ('moderate', 'moderately'))
    >>> of_value("address", "25 mason street"), of_value("price", "22 euro")
    (('25 mason street', '25 mason st'), ('22 euro', '22 euros'))
    """
    if slot == "count":
        spelt = (NUMBERS[int(value)],) if value.isdecimal() and int(value) < len(NUMBERS) else ()
        return (value, *spelt)
    if slot == "type":
        return (value, f"{value}s", "place", "places")
    if slot == "address":
        return _spellings(value)
    if slot == "price":
        return tuple(_unique([value, *_prices(value)]))
    if slot == "pricerange":
        spaced = (value.replace(" ", "-"), value.replace("high end", "high-end"))
        return tuple(_unique([value, *((f"{value}ly",) if value == "moderate" else ()), *spaced]))
    if slot == "food":
        return tuple(_unique([value, value.replace("sea food", "seafood"), value.replace("n f", "n-f")]))
    return (value,)


def around(slot: str, forms: Iterable[str]) -> tuple[str, ...]:
    """Forms with what stands before or after them, for a value that is part of another one.

    A text with "Inn on Castro" does not say that it is in Castro.

    >>> around("food", ["thai"])[:3], around("stars", ["4"])
    (('serves thai', 'serve thai', 'serving thai'), ('stars 4', 'stars is 4', 'stars are 4', '4 stars'))
    """
    named = [f"{name} {more}" for name in names_of(slot) for more in ("{}", "is {}", "are {}")]
    patterns = _AROUND_A_VALUE.get(slot) or (*named, *(f"{{}} {name}" for name in names_of(slot)))
    return tuple(pattern.format(form) for form in forms for pattern in patterns)


def of_choice(slot: str, value: str) -> tuple[str, ...]:
    """The forms of yes or no.

    >>> of_choice("hasinternet", "yes")[:3], of_choice("dogsallowed", "no")[:2]
    (('has internet', 'has the internet', 'has an internet'), ('not allow dogs', "doesn't allow dogs"))
    """
    return _CHOICES[slot, value]


def affirmed(slot: str, *, several: bool = False) -> tuple[str, ...]:
    """The forms of yes that a "not" further ahead leaves as they are; of several places also their verbs.

    "It does not allow dogs or have internet" has "have internet", and does not say so.

    >>> "has internet" in affirmed("hasinternet"), "have internet" in affirmed("hasinternet")
    (True, False)
    """
    verbs = {*_OF_ONE, *(_OF_SEVERAL if several else ())}
    return tuple(form for form in of_choice(slot, YES) if form.split()[0] in verbs or _STATE.search(form))


def of_several(slot: str) -> tuple[str, ...]:
    """The forms of yes whose verb a "not" further ahead may belong to as well: "have internet"."""
    return tuple(form for form in of_choice(slot, YES) if form.split()[0] in _OF_SEVERAL)


def affirming(slot: str) -> tuple[str, ...]:
    """The forms of yes that no form of no has a part in: "no dogs are allowed" has "dogs are allowed"."""
    return tuple(form for form in of_choice(slot, YES) if form.split()[0] in _OF_ONE)


def _spellings(value: str) -> tuple[str, ...]:
    forms = [value, *(value.replace(" .", sign) for sign in (".", ",", ""))]
    for long, short in _SHORT:
        forms += [" ".join(short if word == long else word for word in form.split()) for form in forms]
    return tuple(_unique(forms))


def _prices(value: str) -> list[str]:
    plural = f"{value}s" if value.endswith(("euro", "dollar")) else value
    ranges = [form.removeprefix("between ").replace(" and ", " to ") for form in (value, plural)]
    return [plural, *(ranges if value.startswith("between ") else ())]


def _unique(forms: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(forms))


def _crossed(*parts: Iterable[str]) -> list[str]:
    return [" ".join(words) for words in product(*parts)]


def _welcome(several: Sequence[str], one: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Guests that are let in or not: dogs, children."""
    verbs = ("allow", "accept", "permit", "welcome")
    states = ("allowed", "welcome", "accepted", "permitted")
    friendly = [form for each in one for form in (f"{each} friendly", f"{each}-friendly")]
    told = (*(f"{verb}s" for verb in verbs), *verbs, "allowing", "accepting", "permitting", "welcoming")
    yes = [*_crossed(told, several), *_crossed(several, ("are", "is"), states), *friendly]
    yes += [f"{each} allowed" for each in several]
    no = [
        *_negated(verbs, several),
        *_crossed(several, ("are not", "aren't"), states),
        *_crossed(("no", "prohibits", "prohibit", "forbids", "forbid"), several),
        *_crossed(("not",), friendly),
    ]
    return {YES: tuple(yes), NO: tuple(no)}


def _negated(verbs: Iterable[str], objects: Iterable[str]) -> list[str]:
    """ "not" also covers "does not", "do not" and "will not"."""
    return [f"{no} {verb} {thing}" for verb, thing in product(verbs, objects) for no in _NOT]


_NOT = ("not", "doesn't", "don't", "won't")

_HAVE = ("have", "offer", "provide", "include")
_ACCESS = ("access to the internet", "access to internet")
_INTERNET = ("internet", "the internet", "an internet", "free internet")
_NO_INTERNET = ("internet", "free internet", "available internet", *_ACCESS)
_CARDS = ("credit cards", "credit card", "any credit cards")

_OF_SLOT: dict[str, dict[str, tuple[str, ...]]] = {
    "dogsallowed": _welcome(("dogs", "pets"), ("dog", "pet")),
    "kidsallowed": _welcome(("kids", "children"), ("kid", "child")),
    "hasinternet": {
        YES: (
            *_crossed(("has", "have", "having"), (*_INTERNET, *_ACCESS)),
            *_crossed(("offers", "provides", "includes", *_HAVE[1:]), (*_INTERNET, *_ACCESS)),
            *("with internet", "offering internet", "providing internet", "including internet"),
            *("free internet", "internet access", "internet connection", "internet service"),
            *("internet is available", *_ACCESS),
        ),
        NO: (
            *_negated(_HAVE, (*_INTERNET, "any internet")),
            *_negated(("have", "offer"), _ACCESS),
            *_crossed(("no", "without", "lacks", "lack"), _NO_INTERNET),
            *("internet is not available", "internet isn't available"),
        ),
    },
    "acceptscreditcards": {
        YES: (
            *_crossed(("accepts", "accept", "accepting", "takes", "take", "taking"), _CARDS[:2]),
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
_OF_ONE = ("allows", "accepts", "permits", "welcomes", "has", "offers", "provides", "includes", "takes")
_OF_SEVERAL = ("allow", "accept", "permit", "welcome", "have", "offer", "provide", "include", "take")
_STATE = re.compile(r"\b(is|are|friendly)\b")

_CHOICES = {(slot, value): forms for slot, both in _OF_SLOT.items() for value, forms in both.items()}
