"""Find the tokens that bring a wanted phrase forward.

A search that still owes phrases must look beyond the likeliest tokens. This module finds the tokens that
start, continue or finish a wanted phrase: first by the pair of characters at which a phrase begins or goes
on, then exactly, by the matcher. Where the search forces a phrase, `as_written` keeps to the user's own case.
"""

from __future__ import annotations

from collections.abc import Iterator

from neurologic.logic.characters import normalise
from neurologic.matching.clause_tracker import bits
from neurologic.matching.matcher import DEAD, Matcher
from neurologic.matching.vocabulary import TokenIds


def advancing_tokens(matcher: Matcher, state: int, wanted: int) -> TokenIds:
    """Return the tokens that find a phrase of the bit set `wanted` or match a part of it, ascending."""
    index = matcher.vocabulary.token_index
    candidates: set[int] = set()
    for phrase in bits(wanted):
        if phrase in matcher.token_ids:
            candidates.update(matcher.token_ids[phrase][:1])
            continue
        text = normalise(matcher.phrases[phrase].text, exact_case=False)
        places = index.word_start if matcher.phrases[phrase].edges[0] else index.inside
        for pair in {text[:1], text[:2]}:
            candidates.update(token for token in places.get(pair, ()) if _begins_in(matcher, text, token))
    for phrase, matched in matcher.partial_matches(state):
        if not wanted >> phrase & 1:
            continue
        rest = matcher.rest(phrase, matched)
        if isinstance(rest, tuple):
            candidates.update(rest[:1])
            continue
        text = normalise(rest.decode(), exact_case=False)
        for pair in {text[:1], text[:2]} - {""}:
            candidates.update(index.starting.get(pair, ()))
    return tuple(sorted(token for token in candidates if _advances(matcher, state, token, wanted)))


def _begins_in(matcher: Matcher, text: str, token: int) -> bool:
    """Return whether a phrase may be in a token, or a part of it at the token's end; cheaper than reading."""
    written = matcher.vocabulary.compared(token)
    place = written.find(text[0])
    while place >= 0:
        if written.startswith(text, place) or text.startswith(written[place:]):
            return True
        place = written.find(text[0], place + 1)
    return False


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

    def is_as_written(token: int) -> bool:
        piece = matcher.vocabulary.pieces[token] or b""
        continues = any(piece.startswith(rest) or rest.startswith(piece) for rest in rests)
        return continues or token in ids or any(_begins(phrase, piece) for phrase in phrases)

    return tuple(filter(is_as_written, tokens))


def _rests_as_written(matcher: Matcher, state: int, wanted: int, text: bytes) -> Iterator[bytes]:
    """Yield what is left of partly written phrases, where the text has their beginning in the user's case."""
    for phrase, matched in matcher.partial_matches(state):
        rest = matcher.rest(phrase, matched)
        if wanted >> phrase & 1 and isinstance(rest, bytes) and rest:
            begun = matcher.phrases[phrase].text.removesuffix(rest.decode())
            if text.endswith((begun.encode(), _with_capital(begun).encode())):
                yield rest


def _begins(phrase: bytes, piece: bytes) -> bool:
    """Return whether a piece holds a phrase or ends with its beginning."""
    return phrase in piece or any(
        piece.endswith(phrase[:end]) for end in range(1, min(len(phrase), len(piece) + 1))
    )


def _with_capital(text: str) -> str:
    return text[:1].upper() + text[1:]
