"""Turn an act into a plain English sentence, with templates per slot (`sentences.toml`) and kind of act.

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

from neurologic.experiments.data_files import tables
from neurologic.experiments.tasks.dialogue.acts import DONT_CARE, NO, NONE, YES, Act, Fact
from neurologic.experiments.tasks.dialogue.slots import TABLES, YES_OR_NO

_WORDS = TABLES["values"]


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
    """The words of a slot, from `sentences.toml`."""

    singular: str
    question: str
    care: str
    known: str
    plural: str = ""


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
        word if place and word in _WORDS["small_words"] else word[:1].upper() + word[1:]
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
    return " or ".join(part if part in _WORDS["dishes"] else _cuisine(part) for part in value.split(" or "))


def _cuisine(value: str) -> str:
    words = [word if word in _WORDS["words_for_food"] else capitalised(word) for word in value.split()]
    return " ".join(words if value.endswith("food") else [*words, "food"])


def _price(value: str) -> str:
    return f"{value}s" if value.endswith(("euro", "dollar")) else value


def _value(act: Act, slot: str) -> str:
    return next((str(fact.value) for fact in act.of_slot(slot) if not fact.special), "")


# -- slots ----------------------------------------------------------------------------------------


_SLOTS = {name: _SlotTemplate(**words) for name, words in tables(__package__, "sentences.toml").items()}

_WRITTEN: Mapping[str, Callable[[str], str]] = {
    "area": lambda value: _places(value.removeprefix("the ")),
    "near": _places,
    "price": _price,
    "food": _food,
    "address": _address,
}


def _slot(name: str) -> _SlotTemplate:
    """Return the words of a slot; a place has an unknown one, like a phone number."""
    noun = name.replace("_", " ")
    about = f"about the {noun}"
    has, have = f"has the {noun} {{}}", f"have the {noun} {{}}"
    return _SLOTS.get(name) or _SlotTemplate(has, f"What {noun} would you like?", about, about, have)


def _predicate(fact: Fact) -> _Predicate:
    """Return what a fact says of a place."""
    slot, value = _slot(fact.slot), str(fact.value)
    if value == NO and fact.slot in YES_OR_NO:
        return _Predicate(f"does not {slot.plural}", f"do not {slot.plural}")
    written = _WRITTEN.get(fact.slot, str)(value)
    return _Predicate(slot.singular.format(written), slot.plural.format(written))


# -- parts of sentences ---------------------------------------------------------------------------


def _predicates(act: Act) -> list[_Predicate]:
    """Return what the act says of its places, verb phrases last."""
    said = [
        _predicate(fact)
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
        _narrowed("one" if number else f"a {act.domain}", [_predicate(fact)])
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
