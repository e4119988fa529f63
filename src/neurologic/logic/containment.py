"""Find the phrases that certainly occur whenever another one does: "ice" with "ice cream".

The answer is exact with respect to `occurs` for phrases required once: a containment holds in every text,
whatever surrounds the phrase. For counted phrases it is a lower bound, since places may overlap. This
module ignores what two phrases do *together* (overlaps, "new york" next to "york city", the two "ice" of
"ice cream" and "ice rink").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from neurologic.logic.characters import is_caseless, normalise
from neurologic.logic.formula import Atom, Phrase
from neurologic.logic.occurrence import places_in_tokens, starts


def certainly_contains(outer: Phrase, inner: Phrase) -> bool:
    """Return whether every text in which `outer` occurs also has `inner`, each as often as required.

    >>> certainly_contains(Phrase("ice cream"), Phrase("ice"))
    True
    >>> certainly_contains(Phrase("carpet"), Phrase("car"))
    False
    >>> certainly_contains(Phrase("dog eats dog"), Phrase("dog", times=2))
    True
    """
    return _suffices(_places(outer, inner), outer, inner)


def _suffices(inside: int, outer: Phrase, inner: Phrase) -> bool:
    """Return whether `outer`, which has `inner` at `inside` places, brings it `inner.times` times.

    The first occurrence of `outer` brings `inside` places of `inner`, each further one at least one more.
    """
    return inside > 0 and inside + outer.times - 1 >= inner.times


def _places(outer: Phrase, inner: Phrase) -> int:
    """Count the places of `inner` in `outer` that are there whatever surrounds `outer`."""
    if outer.match == "tokens" or inner.match == "tokens":
        return _places_among_ids(outer, inner)
    if inner.unless is not None:
        return int(replace(outer, times=inner.times) == inner)  # what surrounds `outer` may cover others
    exact = inner.case == "exact" and not is_caseless(normalise(inner.text, exact_case=True))
    if exact and outer.case == "fold":
        return 0  # the text may have the phrase in another case
    around = normalise(outer.text, exact_case=exact)
    before, after = map(_worst_neighbour, outer.edges, outer.number_edges)
    found = starts(inner, around, before=before, after=after[::-1], exact=exact)
    return sum(1 for _ in found)


def _worst_neighbour(whole_word: bool, whole_number: bool) -> str:
    """Return what may stand before a phrase with such an edge and denies most boundaries inside of it.

    A digit denies those of words and numbers. At an edge that needs a word boundary, a digit and a separator
    may still continue a number. The mirror image may stand after the phrase.
    """
    if whole_number:
        return ""
    return "1." if whole_word else "1"


def containment(phrases: Iterable[Phrase]) -> Mapping[Atom, frozenset[Phrase]]:
    """Map each phrase to the others that certainly occur with it; leave out phrases without any.

    >>> [inner.text for inner in containment([Phrase("ice cream"), Phrase("ice")])[Phrase("ice cream")]]
    ['ice']
    """
    return _containment(tuple(dict.fromkeys(phrases)))


# Pieces looked at, a second or so. Only thousands of phrases of as many lengths need more; of these just
# equal texts are compared, which may miss a contradiction but never makes one up.
_WORK = 20_000_000


@lru_cache(maxsize=4)  # the search for contradictions asks first, then the compiler
def _containment(phrases: tuple[Phrase, ...]) -> Mapping[Atom, frozenset[Phrase]]:
    several: dict[Phrase, list[Phrase]] = {}  # phrases that differ only in `times`
    for phrase in phrases:
        several.setdefault(replace(phrase, times=1), []).append(phrase)
    keys = {phrase: key for phrase in several if (key := _search_key(phrase))}
    by_key: dict[str | tuple[int, ...], list[Phrase]] = {}
    for phrase, key in keys.items():
        by_key.setdefault(key, []).append(phrase)
    lengths = sorted({len(key) for key in by_key})
    work = len(lengths) * sum(map(len, keys.values()))
    found: dict[Atom, frozenset[Phrase]] = {}
    for once, key in keys.items():
        # Look up every piece of the phrase that has the length of some phrase: thousands of phrases
        # cost thousands of look-ups, not millions of comparisons.
        pieces = {
            key[start : start + length]
            for length in (lengths if work <= _WORK else [len(key)])
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
    """Return a key that has the keys of all contained phrases as pieces; empty if unknown."""
    if phrase.match == "tokens":
        return phrase.ids or ()
    return normalise(phrase.text, exact_case=False)


def _places_among_ids(outer: Phrase, inner: Phrase) -> int:
    if outer.match != inner.match:
        return 0
    if outer.ids is None or inner.ids is None:
        # Only the tokenizer knows the ids of a text.
        return int((outer.text, outer.ids) == (inner.text, inner.ids))
    return places_in_tokens(inner.ids, outer.ids)
