"""What an answer must say: every fact of its act in one of its forms, and what makes the act what it is.

    inform(name=hotel kabuki; dogsallowed=yes)
    "hotel kabuki" & ("allows dogs" | "dogs are allowed" | …) & !"not" & !"no dogs" & … & !internet & …
    & !"hotel kabuki"[times=2]

Beyond the paper's formula, which is a conjunction of facts, there are negative clauses of three kinds: what
is told must not be denied as well, nor a no be affirmed; no value is said twice; and nothing is said that the
act does not have: other places, other slots, the request. The last can be left out (`--unasked allowed`).

A slot without a value asks for it in a question; elsewhere it says nothing and is left out, as people did.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import neurologic as nl
from neurologic.experiments.tasks.dialogue import forms
from neurologic.experiments.tasks.dialogue.acts import DONT_CARE, NO, NONE, YES, Act, Fact
from neurologic.experiments.tasks.dialogue.slots import (
    MEALS,
    NAMES,
    PRICE_RANGES,
    YES_OR_NO,
    names_of,
    parts_of,
)
from neurologic.logic import Formula, places

FORBIDDEN, ALLOWED = "forbidden", "allowed"

UNASKED: Mapping[str, str] = {
    FORBIDDEN: "nothing is said that is not in the act: no dogs, no phone number, no other places",
    ALLOWED: "only that no fact is denied or said twice, beyond the paper's facts",
}

# What is not said where an act does not have the slot.
_UNASKED: Mapping[str, tuple[str, ...]] = {
    **{slot: NAMES[slot] for slot in YES_OR_NO},
    "pricerange": PRICE_RANGES,
    "goodformeal": MEALS,
    "phone": ("phone number", "phone", "telephone"),
    "address": ("address",),
    "postcode": ("postcode", "post code", "postal code", "zip code"),
}
_SAME_MATTER = {"pricerange": ("pricerange", "price"), "goodformeal": ("goodformeal", "food")}

_OF_KIND: Mapping[str, tuple[str, ...]] = {
    "inform_count": forms.THERE_ARE,
    "inform_no_match": forms.NOTHING_FOUND,
    "inform_only_match": forms.ONLY_ONE,
    "goodbye": forms.GOODBYE,
    "bye": forms.GOODBYE,
    "?reqmore": forms.ANYTHING_MORE,
}

_TELLS = ("inform", "inform_count", "inform_only_match")

# Small models speak of what they were asked and of themselves: "I rephrased this sentence, so that …".
_ABOUT_THE_REQUEST = (
    *("rewrite", "rewrites", "rewriting", "rewritten", "rephrase", "rephrased", "rephrasing", "reworded"),
    *("sentence", "sentences", "context", "chatbot", "ai", "language model", "confusion", "i'm afraid"),
)
# They also answer questions that they were to ask.
_NO_QUESTION = ("i'm", "i don't", "i do not", "i can suggest", "i'd", "however", "recommend", "suggest")

# Slots whose values are names, of which a domain has a long list. A single word that names a restaurant may
# be any word besides: So, Source, Range.
_NAMED = ("name", "area", "near", "food")
_NAMES_OF_MORE_WORDS = ("name",)

# An only match may have two names.
_MAY_BE_SEVERAL = ("inform_count", "inform_no_match", "inform_only_match")


def formula(act: Act, unasked: str = FORBIDDEN, known: Iterable[str] = ()) -> Formula:
    """The formula of an act; `known` are names, of which only those of the act may be said.

    >>> from neurologic.experiments.tasks.dialogue.acts import parse_act
    >>> wanted = formula(parse_act("inform_count(type=hotel;count='2';near=soma)", "hotel"))
    >>> [clause.text for clause in nl.to_clauses(wanted)][:3]
    ['hotel | hotels | place | places', '2 | two', 'soma']
    """
    said = [*_said(act), *_of_kind(act)]
    never = [*_opposites(act), *_denials(act)]
    if unasked == FORBIDDEN:
        never += [*_unasked(act), *_ABOUT_THE_REQUEST, *(_NO_QUESTION if act.question else ())]
    mark = [nl.phrase("?", match="substring")] if act.question else []
    written = list(map(_written, said))
    return nl.all_of(
        *map(_any_of, said),
        *mark,
        *map(nl.none_of, _written(_without(never, said))),
        *_no_more_often(act, written),
        *(_no_others(act, written, known) if unasked == FORBIDDEN else ()),
    )


def names_in(acts: Iterable[Act]) -> dict[str, tuple[str, ...]]:
    """For each domain the names of places, areas and food that its acts have."""
    names: dict[str, dict[str, None]] = {}
    for act in acts:
        for fact in act.facts:
            if fact.slot in _NAMED and not fact.special:
                for part in parts_of(fact.slot, str(fact.value)):
                    if " " in part or fact.slot not in _NAMES_OF_MORE_WORDS:
                        names.setdefault(act.domain, {})[part] = None
    return {domain: tuple(sorted(listed)) for domain, listed in names.items()}


def _without(never: Iterable[str], said: Iterable[Iterable[str]]) -> list[str]:
    """What is forbidden, but for what stands in a form that will do: "is not" in "internet is not available".

    A name may have such a word too: "life sentence cafe".
    """
    forms_that_do = " | ".join(form for alternatives in said for form in alternatives)
    return [phrase for phrase in never if not nl.occurs(phrase, forms_that_do)]


# -- what is said ---------------------------------------------------------------------------------


def _said(act: Act) -> Iterator[tuple[str, ...]]:
    """The alternatives of every fact."""
    for fact in act.facts:
        if fact.value is None:
            if act.question:
                yield names_of(fact.slot)
        elif fact.value == DONT_CARE:
            if len(act.of_slot(fact.slot)) == 1:
                yield names_of(fact.slot)
            yield forms.of_carelessness(fact.slot)
        elif fact.value == NONE:
            yield names_of(fact.slot)
            yield forms.of_ignorance(fact.slot)
        elif fact.slot in YES_OR_NO and fact.value in (YES, NO):
            yield _choice(act, fact)
        else:
            yield from _value(act, fact)


def _of_kind(act: Act) -> Iterator[tuple[str, ...]]:
    """What makes the act what it is."""
    if act.kind == "inform_no_match" and _denies(act):
        yield forms.NOTHING_FOUND_BESIDE_A_DENIAL
    elif act.kind in _OF_KIND:
        yield _OF_KIND[act.kind]
    if act.question:
        yield forms.QUESTION


def _choice(act: Act, fact: Fact) -> tuple[str, ...]:
    """Yes or no; where both are to choose from, that it is spoken of."""
    if len(act.of_slot(fact.slot)) > 1:
        return names_of(fact.slot)
    if fact.value == YES and _has(act, NO):
        return forms.affirmed(fact.slot, several=act.kind in _MAY_BE_SEVERAL)
    return forms.of_choice(fact.slot, str(fact.value))


def _value(act: Act, fact: Fact) -> Iterator[tuple[str, ...]]:
    """The value, all of them where it has several."""
    parts = parts_of(fact.slot, str(fact.value))
    together = tuple(
        joint.join(order) for joint in (" or ", " and ") for order in (parts, parts[::-1]) if len(parts) > 1
    )
    if any(_part_of(one, other) for one in parts for other in parts):
        # "nob hill" in "lower nob hill or nob hill" would be there for the other's sake.
        yield together
        return
    others = [str(other.value) for other in act.facts if other != fact and not other.special]
    for part in parts:
        said = forms.of_value(fact.slot, part)
        # A type says no more than the name of a place: "hotel kabuki".
        if fact.slot != "type" and any(_part_of(form, other) for form in said for other in others):
            around = (*forms.around(fact.slot, said), *together)
            # "chinese food" of "mission chinese food" is no better than "chinese".
            yield tuple(form for form in around if not any(_part_of(form, other) for other in others)) or said
        else:
            yield said


def _part_of(value: str, other: str) -> bool:
    return value != other and nl.occurs(value, other)


# -- what is not said -----------------------------------------------------------------------------


def _opposites(act: Act) -> Iterator[str]:
    """The forms of no for a yes, and of yes for a no; what would let a "not" reach further than it should."""
    for fact in act.facts:
        if fact.slot not in YES_OR_NO or fact.value not in (YES, NO) or len(act.of_slot(fact.slot)) > 1:
            continue
        if fact.value == NO:
            yield from forms.affirming(fact.slot)
            if act.kind == "inform_no_match":
                yield from forms.of_a_thing_not_there(fact.slot)
            continue
        yield from forms.of_choice(fact.slot, NO)
        if _has(act, NO):
            # "They do not allow dogs or have internet."
            yield from (f"or {form}" for form in forms.of_several(fact.slot))


def _no_more_often(act: Act, said: Sequence[Iterable[str]]) -> Iterator[Formula]:
    """No value more often than the facts need it: that of *castro* may stand once more in *inn on castro*."""
    for fact in act.facts:
        # It may be said again that it is a hotel, and "one", as in "the one near Soma".
        if fact.special or fact.slot == "type" or (fact.slot, fact.value) == ("count", "1"):
            continue
        for part in parts_of(fact.slot, str(fact.value)):
            spellings = _written(forms.of_value(fact.slot, part))
            for spelling in spellings:
                yield ~nl.phrase(spelling, times=_needed([spelling], said) + 1)
            if _needed(spellings, said) == 1:
                # "two hotels, 2 of them"
                yield from (~(nl.phrase(one) & other) for one, other in combinations(spellings, 2))


def _no_others(act: Act, said: Sequence[Iterable[str]], known: Iterable[str]) -> Iterator[Formula]:
    """No name of another act, but in one of this: *north beach* in *north beach telegraph hill*."""
    values = [fact for fact in act.facts if not fact.special]
    own = {_bare(part) for fact in values for part in parts_of(fact.slot, str(fact.value))}
    everything = " | ".join(form for alternatives in said for form in alternatives)
    others = [
        spelling for name in known if _bare(name) not in own for spelling in (name, name.replace(" ", "-"))
    ]
    for spelling in _written(others):
        # Hundreds of names, of which hardly one stands in a form that will do.
        needed = _needed([spelling], said) if spelling in everything else 0
        yield ~nl.phrase(spelling, times=needed + 1)


def _bare(name: str) -> str:
    """A place is the same with an article or as a district: the mission district is the Mission."""
    return name.removeprefix("the ").removesuffix(" district")


def _needed(spellings: Iterable[str], said: Iterable[Iterable[str]]) -> int:
    """How often a value has to stand in a text that says everything, at most."""
    spellings = list(spellings)
    return sum(
        max(sum(places(one, form) for one in spellings) for form in alternatives) for alternatives in said
    )


def _has(act: Act, *values: str) -> bool:
    return any(fact.value in values for fact in act.facts)


def _denies(act: Act) -> bool:
    """Whether one of its facts is said with a "no" or a "not"."""
    return _has(act, NO, NONE, DONT_CARE)


def _denials(act: Act) -> tuple[str, ...]:
    """What would deny the facts of an act that tells of places."""
    if act.kind not in _TELLS:
        return ()
    if not _denies(act) and act.kind != "inform_only_match":
        return forms.DENIAL
    values = [part for fact in act.facts if not fact.special for part in parts_of(fact.slot, str(fact.value))]
    return (*forms.DENIAL_OF_OTHERS, *(f"{no} {value}" for value in values for no in ("not", "isn't")))


def _unasked(act: Act) -> Iterator[str]:
    asked = {fact.slot for fact in act.facts}
    for slot, words in _UNASKED.items():
        if asked.isdisjoint(_SAME_MATTER.get(slot, (slot,))):
            yield from words


def _any_of(alternatives: Iterable[str]) -> Formula:
    return nl.any_of(*_written(alternatives))


def _written(alternatives: Iterable[str]) -> list[str]:
    """With both kinds of apostrophe; a model writes either."""
    return [
        form for each in dict.fromkeys(alternatives) for form in dict.fromkeys((each, each.replace("'", "’")))
    ]
