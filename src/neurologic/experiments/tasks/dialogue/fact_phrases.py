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
from neurologic.experiments.tasks.dialogue.slots import PHRASES, TABLES, names_of, nouns_of

# A word in a value of the data, and another spelling of it.
_SPELLINGS = (("street", "st"), ("avenue", "ave"), ("boulevard", "blvd"), ("blvd", "boulevard"))

_CONTEXTS: Mapping[str, Sequence[str]] = {**TABLES["contexts"], "near": TABLES["contexts"]["area"]}


def indifference(slot: str) -> tuple[str, ...]:
    """Return phrases for "all values of this slot will do".

    >>> indifference("price")[-4:]
    ('any cost', 'any costs', 'all costs', 'various costs')
    """
    said = ((f"any {one}", f"any {many}", f"all {many}", f"various {many}") for one, many in nouns_of(slot))
    return (*PHRASES["indifferent"], *(phrase for phrases in said for phrase in phrases))


def ignorance(slot: str) -> tuple[str, ...]:
    """Return phrases for "I do not know the value": "no phone number" for a phone, "no area" for an area."""
    return (*PHRASES["unknown"], *(f"no {singular}" for singular, _ in nouns_of(slot)))


def absence(slot: str) -> tuple[str, ...]:
    """Return phrases for a no that look as if there were no place at all.

    >>> absence("hasinternet")[:2]
    ('there are no internet', 'there are no free internet')
    """
    things = [phrase for phrase in yes_or_no(slot, NO) if phrase.startswith("no ")]
    return tuple(f"{there} {thing}" for there in ("there are", "there is", "there's") for thing in things)


def spellings(slot: str, value: str) -> tuple[str, ...]:
    """Return a value as the data has it, then its other spellings.

    >>> spellings("count", "2"), spellings("pricerange", "moderate")
    (('2', 'two'), ('moderate', 'moderately'))
    >>> spellings("address", "25 mason street"), spellings("price", "22 euro")
    (('25 mason street', '25 mason st'), ('22 euro', '22 euros'))
    """
    found = [value]
    numbers = PHRASES["numbers"]
    if slot == "count" and value.isdecimal() and int(value) < len(numbers):
        found.append(numbers[int(value)])
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
    verbs = {*PHRASES["singular_verbs"], *(PHRASES["plural_verbs"] if plural else ())}
    phrases = yes_or_no(slot, YES)
    return tuple(phrase for phrase in phrases if phrase.split()[0] in verbs or _STATE.search(phrase))


def yes_with_plural_verb(slot: str) -> tuple[str, ...]:
    """Return phrases for a yes with a verb that an earlier "not" may negate as well: "have internet"."""
    return tuple(phrase for phrase in yes_or_no(slot, YES) if phrase.split()[0] in PHRASES["plural_verbs"])


def yes_with_singular_verb(slot: str) -> tuple[str, ...]:
    """Return phrases for a yes that occur in no phrase for a no, as "dogs are allowed" does."""
    return tuple(phrase for phrase in yes_or_no(slot, YES) if phrase.split()[0] in PHRASES["singular_verbs"])


def _expanded(patterns: Iterable[str]) -> list[str]:
    """Return all phrases of patterns such as "(allow|accept) (dogs|pets)"."""
    return [
        "".join(choice)
        for pattern in patterns
        for choice in product(*(part.split("|") for part in re.split("[()]", pattern)))
    ]


def _denied(patterns: Iterable[str]) -> list[str]:
    """Return verbs with an object, negated; "not" also covers "does not", "do not" and "will not"."""
    return [f"{no} {verb}" for verb in _expanded(patterns) for no in ("not", "doesn't", "don't", "won't")]


_YES_OR_NO: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    slot: {YES: tuple(_expanded(says["yes"])), NO: (*_denied(says["not"]), *_expanded(says["no"]))}
    for slot, says in TABLES["yes_or_no"].items()
}
_STATE = re.compile(r"\b(is|are|friendly)\b")
