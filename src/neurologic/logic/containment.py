"""Which phrases certainly occur whenever another one does: "ice" with "ice cream".

Exact with respect to `occurs` for phrases that are wanted once: a containment holds in every text, whatever
stands around the phrase. Where phrases are counted it is a lower bound, since places may overlap. What two
phrases do *together* (overlaps, "new york" next to "york city", the two "ice" of "ice cream" and "ice rink")
is not considered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from neurologic.logic.characters import is_caseless, normalise
from neurologic.logic.formula import Phrase
from neurologic.logic.occurrence import places_in_tokens, starts


def certainly_contains(outer: Phrase, inner: Phrase) -> bool:
    """Whether every text in which `outer` occurs also has `inner`, each as often as it asks for.

    >>> certainly_contains(Phrase("ice cream"), Phrase("ice"))
    True
    >>> certainly_contains(Phrase("carpet"), Phrase("car"))
    False
    >>> certainly_contains(Phrase("dog eats dog"), Phrase("dog", times=2))
    True
    """
    return _suffices(_places(outer, inner), outer, inner)


def _suffices(inside: int, outer: Phrase, inner: Phrase) -> bool:
    """Whether `outer`, which has `inner` at so many places, brings it as often as that asks for.

    At n places it does so n times, and brings besides what one of them has more than once.
    """
    return inside > 0 and inside + outer.times - 1 >= inner.times


def _places(outer: Phrase, inner: Phrase) -> int:
    """At how many places `inner` stands in `outer`, whatever is around that."""
    if outer.match == "tokens" or inner.match == "tokens":
        return _places_among_ids(outer, inner)
    exact = inner.case == "exact" and not is_caseless(normalise(inner.text, exact_case=True))
    if exact and outer.case == "fold":
        return 0  # the text may have the phrase in another case
    # At the rim of the outer phrase there is a boundary only if that phrase asks for one itself.
    bounded_left, bounded_right = outer.edges
    around = normalise(outer.text, exact_case=exact)
    found = starts(inner, around, open_left=not bounded_left, open_right=not bounded_right, exact=exact)
    return sum(1 for _ in found)


def containment(phrases: Iterable[Phrase]) -> Mapping[Phrase, frozenset[Phrase]]:
    """For each phrase, the others that certainly occur with it. Phrases without any are left out.

    >>> containment([Phrase("ice cream"), Phrase("ice"), Phrase("car")])[Phrase("ice cream")]
    frozenset({Phrase(text='ice', match='word', case='fold', ids=None, times=1)})
    """
    return _containment(tuple(dict.fromkeys(phrases)))


@lru_cache(maxsize=4)  # who looks for contradictions asks, and then who compiles
def _containment(phrases: tuple[Phrase, ...]) -> Mapping[Phrase, frozenset[Phrase]]:
    several: dict[Phrase, list[Phrase]] = {}  # by what is equal but for how often it is wanted
    for phrase in phrases:
        several.setdefault(replace(phrase, times=1), []).append(phrase)
    keys = {phrase: key for phrase in several if (key := _search_key(phrase))}
    by_key: dict[str | tuple[int, ...], list[Phrase]] = {}
    for phrase, key in keys.items():
        by_key.setdefault(key, []).append(phrase)
    lengths = sorted({len(key) for key in by_key})
    found: dict[Phrase, frozenset[Phrase]] = {}
    for once, key in keys.items():
        # Look up every piece of the phrase that has the length of some phrase: thousands of phrases
        # cost thousands of look-ups, not millions of comparisons.
        pieces = {
            key[start : start + length]
            for length in lengths
            if length <= len(key)
            for start in range(len(key) - length + 1)
        }
        inside = [
            (inner, number)
            for piece in pieces
            for single in by_key.get(piece, ())
            if (number := _places(once, single))
            for inner in several[single]
        ]
        for outer in several[once]:
            contained = frozenset(
                inner for inner, number in inside if inner is not outer and _suffices(number, outer, inner)
            )
            if contained:
                found[outer] = contained
    return found


def _search_key(phrase: Phrase) -> str | tuple[int, ...]:
    """A form whose pieces include the form of everything that the phrase can contain; empty if not known."""
    if phrase.match == "tokens":
        return phrase.ids or ()
    return normalise(phrase.text, exact_case=False)


def _places_among_ids(outer: Phrase, inner: Phrase) -> int:
    if outer.match != inner.match:
        return 0
    if outer.ids is None or inner.ids is None:
        # What the tokenizer makes of a text is not known here.
        return int((outer.text, outer.ids) == (inner.text, inner.ids))
    return places_in_tokens(inner.ids, outer.ids)
