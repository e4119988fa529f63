"""Which phrases certainly occur whenever another one does: "ice" with "ice cream".

Exact with respect to `occurs`: a containment holds in every text, whatever stands around the phrase. What two
phrases do *together* (overlaps, "new york" next to "york city") is not considered.
"""

from __future__ import annotations

from collections.abc import Iterable

from neurologic.logic.characters import is_caseless, is_word_character, normalise
from neurologic.logic.formula import Phrase


def certainly_contains(outer: Phrase, inner: Phrase) -> bool:
    """Whether every text in which `outer` occurs also has `inner`.

    >>> certainly_contains(Phrase("ice cream"), Phrase("ice"))
    True
    >>> certainly_contains(Phrase("carpet"), Phrase("car"))
    False
    """
    if outer.match == "tokens" or inner.match == "tokens":
        return _tokens_contain(outer, inner)
    exact = inner.case == "exact" and not is_caseless(normalise(inner.text, exact_case=True))
    if exact and outer.case == "fold":
        return False  # the text may have the phrase in another case
    around = normalise(outer.text, exact_case=exact)
    wanted = normalise(inner.text, exact_case=exact)
    needs_left, needs_right = inner.edges
    bounded_left, bounded_right = outer.edges
    start = around.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        # At the rim of the outer phrase there is a boundary only if that phrase asks for one itself.
        left = (not is_word_character(around[start - 1])) if start else bounded_left
        right = (not is_word_character(around[end])) if end < len(around) else bounded_right
        if (left or not needs_left) and (right or not needs_right):
            return True
        start = around.find(wanted, start + 1)
    return False


def containment(phrases: Iterable[Phrase]) -> dict[Phrase, frozenset[Phrase]]:
    """For each phrase, the others that certainly occur with it. Phrases without any are left out.

    >>> containment([Phrase("ice cream"), Phrase("ice"), Phrase("car")])[Phrase("ice cream")]
    frozenset({Phrase(text='ice', match='word', case='fold', ids=None)})
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


def _tokens_contain(outer: Phrase, inner: Phrase) -> bool:
    if outer.ids is None or inner.ids is None:
        return outer == inner  # what the tokenizer makes of a text is not known here
    width = len(inner.ids)
    return any(outer.ids[i : i + width] == inner.ids for i in range(len(outer.ids) - width + 1))
