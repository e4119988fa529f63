"""Turn an act into a plain English sentence, with a template per slot and one per kind of act.

>>> from neurologic.experiments.tasks.dialogue.acts import parse_act
>>> sentence(parse_act("inform(name='hotel kabuki';dogsallowed=yes;near=japantown)", "hotel"))
'Hotel Kabuki is near Japantown and allows dogs.'
>>> sentence(parse_act("?select(pricerange='cheap or expensive')", "restaurant"))
'Would you like a restaurant in the cheap or expensive price range?'

The sentence says all facts, in words that satisfy the act's formula, and with capitals in names. Prompts
contain it (see `prompts`). It is also a baseline: a system that knows these two domains and no language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from neurologic.experiments.tasks.dialogue.acts import DONT_CARE, NO, NONE, YES, Act, Fact
from neurologic.experiments.tasks.dialogue.slots import YES_OR_NO
from neurologic.experiments.tasks.word_lists import phrase_list, word_set

_SMALL_WORDS = word_set("a and at by de del for in of on or the")
_DISHES = phrase_list(
    "brasseries, buffets, burgers, cafes, creperies, dim sum, pizza, sandwiches, steak, sushi, tapas"
)
# Other words for food come from names of people and places, and get capitals.
_WORDS_FOR_FOOD = word_set(
    "comfort ethnic food free gluten kosher lounge modern new raw sea soul traditional vegetarian"
)


@dataclass(frozen=True)
class _Predicate:
    """The words of a fact about a place: a verb phrase ("allows dogs", "allow dogs"), or "near Soma"."""

    singular: str
    plural: str = ""

    @property
    def is_verb(self) -> bool:
        return bool(self.plural)


@dataclass(frozen=True)
class _SlotTemplate:
    """The words of a slot.

    predicate  returns what a value says of a place
    question   asks for the slot; {} is the domain
    care       follows "you do not care"
    known      follows "I do not know"
    """

    predicate: Callable[[str], _Predicate]
    question: str
    care: str
    known: str


def sentence(act: Act) -> str:
    """Return what the act says, as one sentence of an assistant.

    >>> from neurologic.experiments.tasks.dialogue.acts import parse_act
    >>> sentence(parse_act("?confirm(name='hotel kabuki')", "hotel"))  # an act that the data does not have
    'The name is Hotel Kabuki. Can I confirm that you want a hotel?'
    """
    said = _OF_KIND.get(act.kind, _other_question if act.question else _inform)(act)
    # Most kinds have no place for a name or a number of places.
    left = [slot for slot in ("name", "count") if _value(act, slot).casefold() not in said.casefold()]
    return " ".join([*(f"The {slot} is {capitalised(_value(act, slot))}." for slot in left), said])


# -- values ---------------------------------------------------------------------------------------


def capitalised(value: str) -> str:
    """Return a name with its capitals.

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
    """Return one or several kinds of food.

    >>> _food("new american or pizza")
    'new American food or pizza'
    """
    return " or ".join(part if part in _DISHES else _cuisine(part) for part in value.split(" or "))


def _cuisine(value: str) -> str:
    words = [word if word in _WORDS_FOR_FOOD else capitalised(word) for word in value.split()]
    return " ".join(words if value.endswith("food") else [*words, "food"])


def _price(value: str) -> str:
    return f"{value}s" if value.endswith(("euro", "dollar")) else value


def _value(act: Act, slot: str) -> str:
    return next((str(fact.value) for fact in act.of_slot(slot) if not fact.special), "")


# -- slots ----------------------------------------------------------------------------------------


def _yes_or_no(singular: str, plural: str) -> _SlotTemplate:
    no = _Predicate(f"does not {plural}", f"do not {plural}")
    return _SlotTemplate(
        lambda value: no if value == NO else _Predicate(singular, plural),
        f"Do you need a {{}} that {singular}?",
        f"whether they {plural}",
        f"whether it {singular}",
    )


def _noun(noun: str, question: str, known: str) -> _SlotTemplate:
    """Return the template of a slot that a place has, like a phone number."""
    return _SlotTemplate(
        lambda value: _Predicate(f"has the {noun} {value}", f"have the {noun} {value}"),
        question,
        f"about the {noun}",
        known,
    )


_SLOTS: Mapping[str, _SlotTemplate] = {
    "area": _SlotTemplate(
        lambda value: _Predicate(f"in the {_places(value.removeprefix('the '))} area"),
        "What area of the city are you looking for a {} in?",
        "about the area",
        "what area it is in",
    ),
    "near": _SlotTemplate(
        lambda value: _Predicate(f"near {_places(value)}"),
        "What area of the city would you like it to be near?",
        "about the location",
        "what it is near to",
    ),
    "pricerange": _SlotTemplate(
        lambda value: _Predicate(f"in the {value} price range"),
        "Which price range would you like?",
        "about the price range",
        "its price range",
    ),
    "price": _SlotTemplate(
        lambda value: _Predicate(f"costs {_price(value)}", f"cost {_price(value)}"),
        "What price would you like to pay?",
        "about the price",
        "its price",
    ),
    "food": _SlotTemplate(
        lambda value: _Predicate(f"serves {_food(value)}", f"serve {_food(value)}"),
        "What type of food are you looking for?",
        "about the type of food",
        "what food it serves",
    ),
    "goodformeal": _SlotTemplate(
        lambda value: _Predicate(f"is good for {value}", f"are good for {value}"),
        "Would you like breakfast, brunch, lunch or dinner?",
        "about the meal",
        "what meal it is good for",
    ),
    "address": _SlotTemplate(
        lambda value: _Predicate(f"located at {_address(value)}"),
        "What address is it?",
        "about the address",
        "its address",
    ),
    "phone": _noun("phone number", "What phone number is it?", "its phone number"),
    "postcode": _noun("postcode", "What postcode is it?", "its postcode"),
    "dogsallowed": _yes_or_no("allows dogs", "allow dogs"),
    "kidsallowed": _yes_or_no("allows kids", "allow kids"),
    "hasinternet": _yes_or_no("has internet", "have internet"),
    "acceptscreditcards": _yes_or_no("accepts credit cards", "accept credit cards"),
}


def _slot(name: str) -> _SlotTemplate:
    noun = name.replace("_", " ")
    return _SLOTS.get(name) or _noun(noun, f"What {noun} would you like?", f"about the {noun}")


# -- parts of sentences ---------------------------------------------------------------------------


def _predicates(act: Act) -> list[_Predicate]:
    """Return what the act says of its places, verb phrases last."""
    said = [
        _slot(fact.slot).predicate(str(fact.value))
        for fact in act.facts
        if fact.slot not in ("name", "type", "count") and (fact.value in (YES, NO) or not fact.special)
    ]
    return sorted(said, key=lambda predicate: predicate.is_verb)


def _listed(parts: Sequence[str], last: str = "and") -> str:
    """Return parts with commas and a last conjunction.

    >>> _listed(["a", "b", "c"])
    'a, b and c'
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def _narrowed(noun: str, predicates: Iterable[_Predicate], *, plural: bool = False) -> str:
    """Return a noun with its predicates: "hotels near Soma that allow dogs"."""
    listed = list(predicates)
    words = [noun, *(predicate.singular for predicate in listed if not predicate.is_verb)]
    verbs = [predicate.plural if plural else predicate.singular for predicate in listed if predicate.is_verb]
    return " ".join(words) + (f" that {_listed(verbs)}" if verbs else "")


def _indifferent(act: Act) -> str:
    """Return "you do not care about the area and whether they have internet"; "" if the guest cares."""
    subjects = [_slot(fact.slot).care for fact in act.facts if fact.value == DONT_CARE]
    return f"you do not care {_about(subjects)}" if subjects else ""


def _unknown(act: Act) -> str:
    subjects = [_slot(fact.slot).known for fact in act.facts if fact.value == NONE]
    return f"I do not know {_about(subjects)}" if subjects else ""


def _about(subjects: Iterable[str]) -> str:
    """Return a list of subjects in which only the first says "about"."""
    first, *others = sorted(subjects, key=lambda subject: not subject.startswith("about "))
    return _listed([first, *(subject.removeprefix("about ") for subject in others)])


def _exceptions(act: Act) -> str:
    indifferent, unknown = _indifferent(act), _unknown(act)
    return (f", if {indifferent}" if indifferent else "") + (f", but {unknown}" if unknown else "")


def _name(act: Act) -> str:
    return capitalised(_value(act, "name") or f"the {act.domain}")


# -- kinds of acts --------------------------------------------------------------------------------


def _inform(act: Act) -> str:
    """Return "X is near Y, is located at Z and allows dogs"."""
    predicates = _predicates(act)
    said = [each.singular if each.is_verb else f"is {each.singular}" for each in predicates]
    if not said or _value(act, "type"):
        # "is a nice hotel near Y", unless a verb comes next
        first = said.pop(0).removeprefix("is ") if said and not predicates[0].is_verb else ""
        said.insert(0, f"is a nice {act.domain} {first}".rstrip())
    return f"{_name(act)} {_listed(said)}{_exceptions(act)}."


def _inform_only_match(act: Act) -> str:
    # The name may be that of several places, but a single one may have an "and" too.
    name = _value(act, "name").replace("bed and breakfast", "").replace("breakfast and arts", "")
    plural = " and " in name
    found = _narrowed(f"{act.domain}s" if plural else act.domain, _predicates(act), plural=plural)
    return f"{_name(act)} {'are' if plural else 'is'} the only {found}{_exceptions(act)}."


def _inform_count(act: Act) -> str:
    """Begin with what the guest does not care about: models lose it at the end."""
    found = _narrowed(f"{act.domain}s", _predicates(act), plural=True)
    there_are = f"here are {_value(act, 'count') or 'some'} {found}."
    indifferent = _indifferent(act)
    return f"If {indifferent}, t{there_are}" if indifferent else f"T{there_are}"


def _inform_no_match(act: Act) -> str:
    found = _narrowed(f"{act.domain}s", _predicates(act), plural=True)
    return f"I am sorry, but there are no {found}{_exceptions(act)}."


def _request(act: Act) -> str:
    if not act.facts:
        return f"What {act.domain} are you looking for?"
    return " ".join(_slot(fact.slot).question.format(act.domain) for fact in act.facts)


def _confirm(act: Act) -> str:
    predicates, indifferent = _predicates(act), _indifferent(act)
    wanted = f"you want {_narrowed(f'a {act.domain}', predicates)}"
    if not indifferent:
        return f"Can I confirm that {wanted}?"
    return f"So {wanted} and {indifferent}?" if predicates else f"So {indifferent}?"


def _select(act: Act) -> str:
    """Offer one predicate for each value."""
    slots = dict.fromkeys(fact.slot for fact in act.facts)
    return f"Would you like {_listed([_offer(act, act.of_slot(slot)) for slot in slots])}?"


def _offer(act: Act, facts: Sequence[Fact]) -> str:
    said = [fact for fact in facts if not fact.special or fact.value in (YES, NO)]
    if len(said) > 1 and facts[0].slot in YES_OR_NO:  # a yes implies the choice of a no
        said = [fact for fact in said if fact.value == YES][:1]
    choices = [
        _narrowed("one" if number else f"a {act.domain}", [_slot(fact.slot).predicate(str(fact.value))])
        for number, fact in enumerate(said)
    ]
    indifferent = any(fact.value == DONT_CARE for fact in facts)
    return _listed(choices or [f"a {act.domain}"], "or") + (
        ", or do you have no preference" if indifferent else ""
    )


def _other_question(act: Act) -> str:
    """Ask a question of a kind that the data does not have."""
    return f"Are you looking for {_narrowed(f'a {act.domain}', _predicates(act))}?"


_OF_KIND: Mapping[str, Callable[[Act], str]] = {
    "inform_only_match": _inform_only_match,
    "inform_count": _inform_count,
    "inform_no_match": _inform_no_match,
    "?request": _request,
    "?confirm": _confirm,
    "?select": _select,
    "?reqmore": lambda act: "Is there anything else I can help you with?",
    "goodbye": lambda act: "Thank you and goodbye.",
    "bye": lambda act: "Goodbye.",
}
