"""The formula of an act: a text says every fact in one of its forms, and what makes the act what it is.

    inform(name=hotel kabuki; dogsallowed=yes)
    "hotel kabuki" & ("allows dogs" | "dogs are allowed" | …) & !"not" & !"no dogs" & … & !internet & …
    & !"hotel kabuki"[times=2]

The paper's formula is a conjunction of facts. We add negative clauses of three kinds: the text must not deny
what it says, nor affirm a no; it says no value twice; and it says nothing that the act does not have: other
places, other slots, the request. The user can drop the last kind (`--unasked allowed`).

A slot without a value is what a question asks for; elsewhere it says nothing, and the formula ignores it, as
people did.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import neurologic as nl
from neurologic.experiments.tasks.dialogue import fact_phrases
from neurologic.experiments.tasks.dialogue.acts import DONT_CARE, NO, NONE, YES, Act, Fact
from neurologic.experiments.tasks.dialogue.slots import (
    NAMES,
    PHRASES,
    TABLES,
    YES_OR_NO,
    alternatives,
    names_of,
)
from neurologic.logic import Formula, places

FORBIDDEN, ALLOWED = "forbidden", "allowed"

UNASKED: Mapping[str, str] = {
    FORBIDDEN: "it says nothing that is not in the act: no dogs, no phone number, no other places",
    ALLOWED: "beyond the paper's facts, it only denies no fact and repeats none",
}

# The words that a text must not say if its act does not have the slot.
_UNASKED: Mapping[str, tuple[str, ...]] = {
    **{slot: NAMES[slot] for slot in YES_OR_NO},
    **TABLES["unasked"],
}
_SAME_MATTER = {"pricerange": ("pricerange", "price"), "goodformeal": ("goodformeal", "food")}

_OF_KIND: Mapping[str, tuple[str, ...]] = {
    "inform_count": PHRASES["there_are"],
    "inform_no_match": PHRASES["nothing_found"],
    "inform_only_match": PHRASES["only_one"],
    "goodbye": PHRASES["goodbye"],
    "bye": PHRASES["goodbye"],
    "?reqmore": PHRASES["anything_more"],
}

_TELLS = ("inform", "inform_count", "inform_only_match")

# Slots whose values are names. A restaurant's name of a single word may be any word: So, Source, Range.
_NAMED = ("name", "area", "near", "food")

# An only match may have two names.
_MAY_BE_SEVERAL = ("inform_count", "inform_no_match", "inform_only_match")


def formula(act: Act, unasked: str = FORBIDDEN, known: Iterable[str] = ()) -> Formula:
    """Return the formula of an act; of the `known` names, a text may say those of the act only.

    >>> from neurologic.experiments.tasks.dialogue.acts import parse_act
    >>> wanted = formula(parse_act("inform_count(type=hotel;count='2';near=soma)", "hotel"))
    >>> [clause.text for clause in nl.to_clauses(wanted)][:3]
    ['hotel | hotels | place | places', '2 | two', 'soma']
    """
    said = [*_facts(act), *_of_kind(act)]
    never = [*_opposites(act), *_denials(act)]
    if unasked == FORBIDDEN:
        answers = PHRASES["no_question"] if act.question else ()
        never += [*_unasked(act), *PHRASES["about_the_request"], *answers]
    required = [_distinct(phrases) for phrases in said]
    # "is not" may appear in "internet is not available", and "sentence" in "life sentence cafe".
    everything = " | ".join(phrase for phrases in said for phrase in phrases)
    forbidden = [phrase for phrase in never if not nl.occurs(phrase, everything)]
    return nl.all_of(
        *(nl.any_of(*phrases) for phrases in required),
        *([nl.phrase("?", match="substring")] if act.question else ()),
        *map(nl.none_of, _distinct(forbidden)),
        *_no_repetition(act, required),
        *(_no_other_names(act, required, known) if unasked == FORBIDDEN else ()),
    )


def names_in(acts: Iterable[Act]) -> dict[str, tuple[str, ...]]:
    """Return for each domain the names of places, areas and food in its acts."""
    names: dict[str, set[str]] = {}
    for act in acts:
        for fact in act.facts:
            if fact.slot in _NAMED:
                own = (name for name in _values(fact) if " " in name or fact.slot != "name")
                names.setdefault(act.domain, set()).update(own)
    return {domain: tuple(sorted(listed)) for domain, listed in names.items() if listed}


# -- what the text must say -----------------------------------------------------------------------


def _facts(act: Act) -> Iterator[tuple[str, ...]]:
    """Yield the phrases of every clause for a fact."""
    for fact in act.facts:
        if fact.value is None:
            if act.question:
                yield names_of(fact.slot)
        elif fact.value == DONT_CARE:
            if len(act.of_slot(fact.slot)) == 1:
                yield names_of(fact.slot)
            yield fact_phrases.indifference(fact.slot)
        elif fact.value == NONE:
            yield names_of(fact.slot)
            yield fact_phrases.ignorance(fact.slot)
        elif fact.slot in YES_OR_NO and fact.value in (YES, NO):
            yield _yes_or_no(act, fact)
        else:
            yield from _value(act, fact)


def _of_kind(act: Act) -> Iterator[tuple[str, ...]]:
    """Yield the phrases that make the act what it is."""
    if act.kind == "inform_no_match" and _denies(act):
        yield PHRASES["nothing_found_beside_a_denial"]
    elif act.kind in _OF_KIND:
        yield _OF_KIND[act.kind]
    if act.question:
        yield PHRASES["question"]


def _yes_or_no(act: Act, fact: Fact) -> tuple[str, ...]:
    """Return the phrases of a yes or no; if the act offers both, the names of the slot."""
    if len(act.of_slot(fact.slot)) > 1:
        return names_of(fact.slot)
    if fact.value == YES and _has(act, NO):
        return fact_phrases.yes_beside_a_no(fact.slot, plural=act.kind in _MAY_BE_SEVERAL)
    return fact_phrases.yes_or_no(fact.slot, str(fact.value))


def _value(act: Act, fact: Fact) -> Iterator[tuple[str, ...]]:
    """Yield the spellings of a fact's value, of each if it consists of several."""
    parts = alternatives(fact.slot, str(fact.value))
    together = tuple(
        joint.join(order) for joint in (" or ", " and ") for order in (parts, parts[::-1]) if len(parts) > 1
    )
    if any(_part_of(part, other) for part in parts for other in parts):
        # Else "lower nob hill" would do for "lower nob hill or nob hill".
        yield together
        return
    others = [str(other.value) for other in act.facts if other != fact and not other.special]
    for part in parts:
        said = fact_phrases.spellings(fact.slot, part)
        # A type says no more than the name of a place: "hotel kabuki".
        if fact.slot != "type" and any(_part_of(form, other) for form in said for other in others):
            longer = (*fact_phrases.in_context(fact.slot, said), *together)
            # "chinese food" of "mission chinese food" is not better than "chinese".
            yield tuple(form for form in longer if not any(_part_of(form, other) for other in others)) or said
        else:
            yield said


def _part_of(value: str, other: str) -> bool:
    return value != other and nl.occurs(value, other)


# -- what the text must not say -------------------------------------------------------------------


def _opposites(act: Act) -> Iterator[str]:
    """Yield the phrases of no for a yes and of yes for a no, and those in which a "not" reaches too far."""
    for fact in act.facts:
        if fact.slot not in YES_OR_NO or fact.value not in (YES, NO) or len(act.of_slot(fact.slot)) > 1:
            continue
        if fact.value == NO:
            yield from fact_phrases.yes_with_singular_verb(fact.slot)
            if act.kind == "inform_no_match":
                yield from fact_phrases.absence(fact.slot)
            continue
        yield from fact_phrases.yes_or_no(fact.slot, NO)
        if _has(act, NO):
            # "They do not allow dogs or have internet."
            yield from (f"or {form}" for form in fact_phrases.yes_with_plural_verb(fact.slot))


def _denials(act: Act) -> tuple[str, ...]:
    """Return words that would deny the facts of an act that tells of places."""
    if act.kind not in _TELLS:
        return ()
    if not _denies(act) and act.kind != "inform_only_match":
        return PHRASES["denial"]
    values = [value for fact in act.facts for value in _values(fact)]
    denied = (f"{no} {value}" for value in values for no in ("not", "isn't"))
    return (*PHRASES["denial_beside_a_denial"], *denied)


def _unasked(act: Act) -> Iterator[str]:
    asked = {fact.slot for fact in act.facts}
    for slot, words in _UNASKED.items():
        if asked.isdisjoint(_SAME_MATTER.get(slot, (slot,))):
            yield from words


def _no_repetition(act: Act, required: Sequence[Sequence[str]]) -> Iterator[Formula]:
    """Forbid a value more often than the facts need it: *castro* may appear once more in *inn on castro*."""
    for fact in act.facts:
        # A text may repeat that it is a hotel, and "one", as in "the one near Soma".
        if fact.slot == "type" or (fact.slot, fact.value) == ("count", "1"):
            continue
        for value in _values(fact):
            spellings = _distinct(fact_phrases.spellings(fact.slot, value))
            for spelling in spellings:
                yield ~nl.phrase(spelling, times=_needed([spelling], required) + 1)
            if _needed(spellings, required) == 1:
                # "two hotels, 2 of them"
                yield from (~(nl.phrase(first) & second) for first, second in combinations(spellings, 2))


def _no_other_names(act: Act, required: Sequence[Sequence[str]], known: Iterable[str]) -> Iterator[Formula]:
    """Forbid names of other acts, except inside an own one: *north beach* in *north beach telegraph hill*."""
    own = {_bare(value) for fact in act.facts for value in _values(fact)}
    everything = " | ".join(phrase for phrases in required for phrase in phrases)
    others = [
        spelling for name in known if _bare(name) not in own for spelling in (name, name.replace(" ", "-"))
    ]
    for spelling in _distinct(others):
        # Hardly one of hundreds of names appears in a required phrase: a fast test saves the slow count.
        needed = _needed([spelling], required) if spelling in everything else 0
        yield ~nl.phrase(spelling, times=needed + 1)


def _bare(name: str) -> str:
    """Drop an article and "district": the mission district is the Mission."""
    return name.removeprefix("the ").removesuffix(" district")


def _needed(spellings: Sequence[str], required: Iterable[Iterable[str]]) -> int:
    """Return how often, at most, a text that says everything has to say a value."""
    return sum(
        max(sum(places(spelling, phrase) for spelling in spellings) for phrase in phrases)
        for phrases in required
    )


# -- acts and phrases -----------------------------------------------------------------------------


def _values(fact: Fact) -> tuple[str, ...]:
    """Return the values of a fact that one can say as they are."""
    return () if fact.special else alternatives(fact.slot, str(fact.value))


def _has(act: Act, *values: str) -> bool:
    return any(fact.value in values for fact in act.facts)


def _denies(act: Act) -> bool:
    """Tell whether one of the facts takes a "no" or a "not"."""
    return _has(act, NO, NONE, DONT_CARE)


def _distinct(phrases: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(phrases))
