"""An act as a plain English sentence, by templates: one per slot and value, and one per kind of act.

>>> from neurologic.experiments.tasks.dialogue.acts import parse_act
>>> sentence(parse_act("inform(name='hotel kabuki';dogsallowed=yes;near=japantown)", "hotel"))
'Hotel Kabuki is near Japantown and allows dogs.'
>>> sentence(parse_act("?select(pricerange='cheap or expensive')", "restaurant"))
'Would you like a restaurant in the cheap or expensive price range?'

The sentence says all facts, in words that satisfy the act's formula. Prompts are made of it (see `prompts`),
and it is a system of its own to compare with: one that knows these two domains and no language. Names get
capitals, as a reader expects them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from neurologic.experiments.tasks.dialogue.acts import DONT_CARE, NO, NONE, YES, Act, Fact
from neurologic.experiments.tasks.dialogue.slots import YES_OR_NO

_SMALL_WORDS = {"a", "and", "at", "by", "de", "del", "for", "in", "of", "on", "or", "the"}
_DISHES = {
    *("brasseries", "buffets", "burgers", "cafes", "creperies", "dim sum", "pizza", "sandwiches", "steak"),
    *("sushi", "tapas"),
}
# Other foods are named after people and places, and get capitals.
_WORDS_OF_FOODS = {
    *("comfort", "ethnic", "food", "free", "gluten", "kosher", "lounge", "modern", "new", "raw", "sea"),
    *("soul", "traditional", "vegetarian"),
}


@dataclass(frozen=True)
class _Phrase:
    """What a fact says: a verb for one place and for several ("allows dogs"), or words like "near Soma"."""

    one: str
    several: str = ""

    @property
    def verb(self) -> bool:
        return bool(self.several)


@dataclass(frozen=True)
class _Slot:
    """How a slot is spoken of.

    phrase    what its value says of a place
    question  how one asks for it; {} is the domain
    subject   what it is about, after "you do not care" and "I do not know"
    """

    phrase: Callable[[str], _Phrase]
    question: str
    subject: tuple[str, str]


def sentence(act: Act) -> str:
    """What the act says, as one sentence of an assistant.

    >>> from neurologic.experiments.tasks.dialogue.acts import parse_act
    >>> sentence(parse_act("?confirm(name='hotel kabuki')", "hotel"))  # an act that the data does not have
    'The name is Hotel Kabuki. Can I confirm that you want a hotel?'
    """
    by_kind = _OF_KIND.get(act.kind, _asked if act.question else _told)
    said = by_kind(act)
    # Most kinds have no place for a name or a number of places.
    left = [slot for slot in ("name", "count") if (_value(act, slot) or "").casefold() not in said.casefold()]
    return " ".join([*(f"The {slot} is {capitalised(_value(act, slot) or '')}." for slot in left), said])


# -- words of values ------------------------------------------------------------------------------


def capitalised(value: str) -> str:
    """A name as it is written.

    >>> capitalised("inn at the presidio"), capitalised("the big 4"), capitalised("943 s van ness")
    ('Inn at the Presidio', 'The Big 4', '943 S Van Ness')
    """
    return " ".join(
        word if place and word in _SMALL_WORDS else word[:1].upper() + word[1:]
        for place, word in enumerate(value.split())
    )


def _places(value: str) -> str:
    return " or ".join(map(capitalised, value.split(" or ")))


def _address(value: str) -> str:
    return ", ".join(map(capitalised, value.split(" . ")))


def _food(value: str) -> str:
    """
    >>> _food("new american or pizza")
    'new American food or pizza'
    """
    return " or ".join(
        part
        if part in _DISHES
        else " ".join(word if word in _WORDS_OF_FOODS else capitalised(word) for word in part.split())
        + ("" if part.endswith("food") else " food")
        for part in value.split(" or ")
    )


def _price(value: str) -> str:
    return f"{value}s" if value.endswith(("euro", "dollar")) else value


# -- slots ----------------------------------------------------------------------------------------


def _choice(one: str, several: str) -> _Slot:
    """A slot of yes and no."""
    phrases = {YES: _Phrase(one, several), NO: _Phrase(f"does not {several}", f"do not {several}")}
    return _Slot(
        lambda value: phrases.get(value, phrases[YES]),
        f"Do you need a {{}} that {one}?",
        (f"whether they {several}", f"whether it {one}"),
    )


def _has(what: str) -> Callable[[str], _Phrase]:
    return lambda value: _Phrase(f"has the {what} {value}", f"have the {what} {value}")


SLOTS: Mapping[str, _Slot] = {
    "area": _Slot(
        lambda value: _Phrase(f"in the {_places(value.removeprefix('the '))} area"),
        "What area of the city are you looking for a {} in?",
        ("about the area", "what area it is in"),
    ),
    "near": _Slot(
        lambda value: _Phrase(f"near {_places(value)}"),
        "What area of the city would you like it to be near?",
        ("about the location", "what it is near to"),
    ),
    "pricerange": _Slot(
        lambda value: _Phrase(f"in the {value} price range"),
        "Which price range would you like?",
        ("about the price range", "its price range"),
    ),
    "price": _Slot(
        lambda value: _Phrase(f"costs {_price(value)}", f"cost {_price(value)}"),
        "What price would you like to pay?",
        ("about the price", "its price"),
    ),
    "food": _Slot(
        lambda value: _Phrase(f"serves {_food(value)}", f"serve {_food(value)}"),
        "What type of food are you looking for?",
        ("about the type of food", "what food it serves"),
    ),
    "goodformeal": _Slot(
        lambda value: _Phrase(f"is good for {value}", f"are good for {value}"),
        "Would you like breakfast, brunch, lunch or dinner?",
        ("about the meal", "what meal it is good for"),
    ),
    "phone": _Slot(
        _has("phone number"), "What phone number is it?", ("about the phone number", "its phone number")
    ),
    "address": _Slot(
        lambda value: _Phrase(f"located at {_address(value)}"),
        "What address is it?",
        ("about the address", "its address"),
    ),
    "postcode": _Slot(_has("postcode"), "What postcode is it?", ("about the postcode", "its postcode")),
    "dogsallowed": _choice("allows dogs", "allow dogs"),
    "kidsallowed": _choice("allows kids", "allow kids"),
    "hasinternet": _choice("has internet", "have internet"),
    "acceptscreditcards": _choice("accepts credit cards", "accept credit cards"),
}


def _slot(name: str) -> _Slot:
    """A slot of either domain; of another, what can be said of any."""
    what = name.replace("_", " ")
    return SLOTS.get(name) or _Slot(_has(what), f"What {what} would you like?", (f"about the {what}",) * 2)


# -- parts of sentences ---------------------------------------------------------------------------


def _phrases(act: Act) -> list[_Phrase]:
    """What the act says of its places, those that begin with a verb last."""
    said = [
        _slot(fact.slot).phrase(str(fact.value))
        for fact in act.facts
        if fact.slot not in ("name", "type", "count") and (fact.value in (YES, NO) or not fact.special)
    ]
    return sorted(said, key=lambda phrase: phrase.verb)


def _listed(parts: Sequence[str], last: str = "and") -> str:
    """
    >>> _listed(["a", "b", "c"])
    'a, b and c'
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def _narrowed(noun: str, phrases: Iterable[_Phrase], *, several: bool = False) -> str:
    """ "hotels", "near Soma", "allow dogs" → "hotels near Soma that allow dogs"."""
    listed = list(phrases)
    words = [noun, *(phrase.one for phrase in listed if not phrase.verb)]
    verbs = [phrase.several if several else phrase.one for phrase in listed if phrase.verb]
    return " ".join(words) + (f" that {_listed(verbs)}" if verbs else "")


def _subjects(act: Act, value: str) -> list[str]:
    place = 0 if value == DONT_CARE else 1
    subjects = [_slot(fact.slot).subject[place] for fact in act.facts if fact.value == value]
    # "about the price range, the area and whether they have internet"
    about = sorted(subjects, key=lambda subject: not subject.startswith("about "))
    return [about[0], *(subject.removeprefix("about ") for subject in about[1:])] if about else []


def _exceptions(act: Act) -> str:
    """What the guest does not care about, and what is not known."""
    careless, unknown = _subjects(act, DONT_CARE), _subjects(act, NONE)
    return (f", if you do not care {_listed(careless)}" if careless else "") + (
        f", but I do not know {_listed(unknown)}" if unknown else ""
    )


def _value(act: Act, slot: str) -> str | None:
    return next((fact.value for fact in act.facts if fact.slot == slot and not fact.special), None)


def _name(act: Act) -> str:
    return capitalised(_value(act, "name") or f"the {act.domain}")


def _several(act: Act) -> bool:
    """Whether the name is that of several places; one of them may have an "and" too."""
    name = _value(act, "name") or ""
    return " and " in name.replace("bed and breakfast", "").replace("breakfast and arts", "")


# -- kinds of acts --------------------------------------------------------------------------------


def _told(act: Act) -> str:
    """inform: X is near Y, is located at Z and allows dogs."""
    said = [phrase.one if phrase.verb else f"is {phrase.one}" for phrase in _phrases(act)]
    if not said or _value(act, "type"):
        # "is a nice hotel near Y", unless a verb comes next
        first = said.pop(0).removeprefix("is ") if said and not _phrases(act)[0].verb else ""
        said.insert(0, f"is a nice {act.domain} {first}".rstrip())
    return f"{_name(act)} {_listed(said)}{_exceptions(act)}."


def _only(act: Act) -> str:
    several = _several(act)
    noun = f"{act.domain}s" if several else act.domain
    found = _narrowed(noun, _phrases(act), several=several)
    return f"{_name(act)} {'are' if several else 'is'} the only {found}{_exceptions(act)}."


def _count(act: Act) -> str:
    """What the guest does not care about comes first: models lose it at the end."""
    found = _narrowed(f"{act.domain}s", _phrases(act), several=True)
    there_are = f"here are {_value(act, 'count') or 'some'} {found}"
    careless = _subjects(act, DONT_CARE)
    return f"If you do not care {_listed(careless)}, t{there_are}." if careless else f"T{there_are}."


def _nothing(act: Act) -> str:
    found = _narrowed(f"{act.domain}s", _phrases(act), several=True)
    return f"I am sorry, but there are no {found}{_exceptions(act)}."


def _request(act: Act) -> str:
    if not act.facts:
        return f"What {act.domain} are you looking for?"
    return " ".join(_slot(fact.slot).question.format(act.domain) for fact in act.facts)


def _confirm(act: Act) -> str:
    said, careless = _phrases(act), _subjects(act, DONT_CARE)
    if not careless:
        return f"Can I confirm that you want {_narrowed(f'a {act.domain}', said)}?"
    wanted = f"you want {_narrowed(f'a {act.domain}', said)} and " if said else ""
    return f"So {wanted}you do not care {_listed(careless)}?"


def _select(act: Act) -> str:
    """What to choose from: one phrase for each value; a yes beside a no goes without saying."""
    slots = dict.fromkeys(fact.slot for fact in act.facts)
    asked = [_choices(act, act.of_slot(slot)) for slot in slots]
    return f"Would you like {_listed(asked)}?"


def _choices(act: Act, facts: Sequence[Fact]) -> str:
    named = [fact for fact in facts if not fact.special or fact.value in (YES, NO)]
    if len(named) > 1 and facts[0].slot in YES_OR_NO:
        named = [fact for fact in named if fact.value == YES][:1]
    phrases = [_slot(fact.slot).phrase(str(fact.value)) for fact in named]
    choices = [
        _narrowed(f"a {act.domain}" if not number else "one", [one]) for number, one in enumerate(phrases)
    ]
    careless = any(fact.value == DONT_CARE for fact in facts)
    return _listed(choices or [f"a {act.domain}"], "or") + (
        ", or do you have no preference" if careless else ""
    )


_OF_KIND: Mapping[str, Callable[[Act], str]] = {
    "inform_only_match": _only,
    "inform_count": _count,
    "inform_no_match": _nothing,
    "?request": _request,
    "?confirm": _confirm,
    "?select": _select,
    "?reqmore": lambda act: "Is there anything else I can help you with?",
    "goodbye": lambda act: "Thank you and goodbye.",
    "bye": lambda act: "Goodbye.",
}


def _asked(act: Act) -> str:
    """A question of a kind that the data does not have."""
    return f"Are you looking for {_narrowed(f'a {act.domain}', _phrases(act))}?"
