"""Which phrases certainly occur whenever another one does: "ice" with "ice cream".

Exact with respect to `occurs`: a containment holds in every text, whatever stands around the phrase. What two
phrases do *together* (overlaps, "new york" next to "york city") is not considered.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from neurologic.logic.characters import is_caseless, is_word_character, normalise
from neurologic.logic.formula import Phrase


def certainly_contains(outer: Phrase, inner: Phrase) -> bool:
    """Whether every text in which `outer` occurs also has `inner`, each as often as it asks for.

    >>> certainly_contains(Phrase("ice cream"), Phrase("ice"))
    True
    >>> certainly_contains(Phrase("carpet"), Phrase("car"))
    False
    >>> certainly_contains(Phrase("dog eats dog"), Phrase("dog", times=2))
    True
    """
    # The outer phrase at n places brings the inner one to as many, and those that one of them has besides.
    inside = _places(outer, inner)
    return inside > 0 and inside + outer.times - 1 >= inner.times


def _places(outer: Phrase, inner: Phrase) -> int:
    """At how many places `inner` stands in `outer`, whatever is around that."""
    if outer.match == "tokens" or inner.match == "tokens":
        return _places_in_tokens(outer, inner)
    exact = inner.case == "exact" and not is_caseless(normalise(inner.text, exact_case=True))
    if exact and outer.case == "fold":
        return 0  # the text may have the phrase in another case
    around = normalise(outer.text, exact_case=exact)
    wanted = normalise(inner.text, exact_case=exact)
    needs_left, needs_right = inner.edges
    bounded_left, bounded_right = outer.edges
    places = 0
    start = around.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        # At the rim of the outer phrase there is a boundary only if that phrase asks for one itself.
        left = (not is_word_character(around[start - 1])) if start else bounded_left
        right = (not is_word_character(around[end])) if end < len(around) else bounded_right
        places += (left or not needs_left) and (right or not needs_right)
        start = around.find(wanted, start + 1)
    return places


def containment(phrases: Iterable[Phrase]) -> dict[Phrase, frozenset[Phrase]]:
    """For each phrase, the others that certainly occur with it. Phrases without any are left out.

    >>> containment([Phrase("ice cream"), Phrase("ice"), Phrase("car")])[Phrase("ice cream")]
    frozenset({Phrase(text='ice', match='word', case='fold', ids=None, times=1)})
    """
    keys = {phrase: key for phrase in dict.fromkeys(phrases) if (key := _search_key(phrase))}
    by_key: dict[str | tuple[int, ...], list[Phrase]] = {}
    for phrase, key in keys.items():
        by_key.setdefault(key, []).append(phrase)
    lengths = sorted({len(key) for key in by_key})
    found: dict[Phrase, frozenset[Phrase]] = {}
    for outer, key in keys.items():
        # Look up every piece of the phrase that has the length of some phrase: thousands of phrases
        # cost thousands of look-ups, not millions of comparisons.
        pieces = {
            key[start : start + length]
            for length in lengths
            if length <= len(key)
            for start in range(len(key) - length + 1)
        }
        inside = frozenset(
            inner
            for piece in pieces
            for inner in by_key.get(piece, ())
            if inner is not outer and certainly_contains(outer, inner)
        )
        if inside:
            found[outer] = inside
    return found


def _search_key(phrase: Phrase) -> str | tuple[int, ...]:
    """A form whose pieces include the form of everything that the phrase can contain; empty if not known."""
    if phrase.match == "tokens":
        return phrase.ids or ()
    return normalise(phrase.text, exact_case=False)


def _places_in_tokens(outer: Phrase, inner: Phrase) -> int:
    if outer.match != inner.match:
        return 0
    if outer.ids is None or inner.ids is None:
        # What the tokenizer makes of a text is not known here.
        return int((outer.text, outer.ids) == (inner.text, inner.ids))
    return places_of(inner.ids, outer.ids)


def places_of(ids: Sequence[int], tokens: Sequence[int]) -> int:
    """At how many places `ids` stand in `tokens`, overlapping ones included.

    >>> places_of((7, 7), (7, 7, 7, 8))
    2
    """
    width = len(ids)
    return sum(tokens[i : i + width] == ids for i in range(len(tokens) - width + 1))
