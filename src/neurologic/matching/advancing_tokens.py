"""Find the tokens that bring a wanted phrase forward.

A search that still owes phrases must look beyond the likeliest tokens. This module finds the tokens that
start, continue or finish a wanted phrase: first by the pair of characters at which a phrase begins or goes
on, then exactly, by the matcher. Where the search forces a phrase, `as_written` keeps to the user's own case.
"""

from __future__ import annotations

from collections.abc import Iterator

from neurologic.bounded_table import BoundedTable
from neurologic.logic.characters import normalise
from neurologic.matching.clause_tracker import bits
from neurologic.matching.matcher import DEAD, Matcher
from neurologic.matching.vocabulary import TokenIds

_KEPT = 1_000_000  # tokens of all entries of a table together


class AdvancingTokens:
    """The tokens that advance the phrases of one matcher; remembers them, within bounds."""

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        self._of_text: BoundedTable[tuple[int, int], TokenIds] = BoundedTable(_KEPT, weigh=len)
        self._beginning: BoundedTable[int, TokenIds] = BoundedTable(_KEPT, weigh=len)

    def of(self, state: int, wanted: int) -> TokenIds:
        """Return the tokens that find a phrase of the bit set `wanted` or match a part of it, ascending."""
        known = self._of_text.get((state, wanted))
        if known is None:
            candidates = {token for phrase in bits(wanted) for token in self._that_begin(phrase)}
            candidates.update(self._that_continue(state, wanted))
            known = tuple(
                sorted(token for token in candidates if _advances(self._matcher, state, token, wanted))
            )
            self._of_text[state, wanted] = known
        return known

    def _that_begin(self, phrase: int) -> TokenIds:
        """Return the tokens that may have a phrase in them, or a part of it at their end."""
        known = self._beginning.get(phrase)
        if known is None:
            known = self._beginning[phrase] = tuple(_that_begin(self._matcher, phrase))
        return known

    def _that_continue(self, state: int, wanted: int) -> Iterator[int]:
        """Yield the tokens that may continue a wanted phrase which is partly written."""
        matcher = self._matcher
        for phrase, matched in matcher.partial_matches(state):
            if not wanted >> phrase & 1:
                continue
            rest = matcher.rest(phrase, matched)
            if isinstance(rest, tuple):
                yield from rest[:1]
                continue
            text = normalise(rest.decode(), exact_case=False)
            for pair in {text[:1], text[:2]} - {""}:
                yield from matcher.vocabulary.token_index.starting.get(pair, ())


def _that_begin(matcher: Matcher, phrase: int) -> Iterator[int]:
    if phrase in matcher.token_ids:
        yield from matcher.token_ids[phrase][:1]
        return
    vocabulary = matcher.vocabulary
    index = vocabulary.token_index
    text = normalise(matcher.phrases[phrase].text, exact_case=False)
    beginnings = tuple(text[:end] for end in range(1, len(text)))
    places = index.word_start if matcher.phrases[phrase].edges[0] else index.inside
    for pair in {text[:1], text[:2]}:
        for token in places.get(pair, ()):
            written = vocabulary.compared(token)
            if text in written or written.endswith(beginnings):
                yield token


def _advances(matcher: Matcher, state: int, token: int, wanted: int) -> bool:
    after, found = matcher.step(state, token)
    if after == DEAD:
        return False
    if (found | matcher.provisional(after)) & wanted:
        return True
    return any(wanted >> phrase & 1 for phrase, _ in matcher.progress(after))


def as_written(
    matcher: Matcher, state: int, tokens: TokenIds, wanted: int, text: bytes, *, opens: bool
) -> TokenIds:
    """Return those of the advancing tokens that write a phrase in the case in which the user did.

    text   the text so far, whose case the matcher does not know
    opens  whether a sentence opens here, so that a phrase may get a capital
    """
    written = {matcher.phrases[phrase].text for phrase in bits(wanted)}
    if opens:
        written |= {_with_capital(phrase) for phrase in written if phrase.islower()}  # but "iPhone"
    phrases = [phrase.encode() for phrase in written]
    rests = list(_rests_as_written(matcher, state, wanted, text))
    ids = {token for phrase in bits(wanted) for token in matcher.token_ids.get(phrase, ())}

    beginnings = tuple({phrase[:end] for phrase in phrases for end in range(1, len(phrase))})

    def is_as_written(token: int) -> bool:
        piece = matcher.vocabulary.pieces[token] or b""
        if piece.endswith(beginnings) or any(phrase in piece for phrase in phrases):
            return True
        return token in ids or any(piece.startswith(rest) or rest.startswith(piece) for rest in rests)

    return tuple(filter(is_as_written, tokens))


def _rests_as_written(matcher: Matcher, state: int, wanted: int, text: bytes) -> Iterator[bytes]:
    """Yield what is left of partly written phrases, where the text has their beginning in the user's case."""
    for phrase, matched in matcher.partial_matches(state):
        rest = matcher.rest(phrase, matched)
        if wanted >> phrase & 1 and isinstance(rest, bytes) and rest:
            begun = matcher.phrases[phrase].text.removesuffix(rest.decode())
            if text.endswith((begun.encode(), _with_capital(begun).encode())):
                yield rest


def _with_capital(text: str) -> str:
    return text[:1].upper() + text[1:]
