"""How a phrase is written in tokens.

The usual segmentation comes first, since the model has seen it; where it does not produce the
phrase (an uncased vocabulary, an unknown character), the fewest tokens that spell it byte by byte are
tried. A phrase with no spelling at all is one that the model cannot write.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from neurologic.matching.matcher import DEAD, Matcher, decode_prefix
from neurologic.matching.vocabulary import TokenIds, Vocabulary


def spellings(data: bytes, vocabulary: Vocabulary) -> Iterator[TokenIds]:
    """Token sequences that may add `data` inside a text, the usual segmentation first."""
    decoded = decode_prefix(data)
    usual = vocabulary.segment(decoded[0]) if decoded and not decoded[1] else ()
    if usual and all(_writable(vocabulary, token) for token in usual):
        yield usual
    shortest = vocabulary.table.fewest_tokens(data)
    if shortest and shortest != usual:
        yield shortest


def spell_phrase(matcher: Matcher, phrase: int) -> tuple[TokenIds, ...]:
    """Token sequences that write a phrase, the usual one first; none if no way of writing it was found.

    Tried with a space before it, as words are written, without one, and in other cases.
    """
    if phrase in matcher.token_ids:
        ids = matcher.token_ids[phrase]
        return (ids,) if ids and all(_writable(matcher.vocabulary, token) for token in ids) else ()
    wanted = matcher.phrases[phrase]
    if wanted.times > 1:
        # Whoever writes it at one place does so again for the next.
        return spell_phrase(Matcher([replace(wanted, times=1)], matcher.vocabulary), 0)
    text = wanted.text
    found: dict[TokenIds, None] = {}
    for written in (" " + text, text):
        for tokens in spellings(written.encode(), matcher.vocabulary):
            if _occurs_after(matcher, tokens, phrase):
                found[tokens] = None
    if not found:
        for written in (text.lower(), text.upper()):
            for tokens in spellings(written.encode(), matcher.vocabulary):
                if _occurs_after(matcher, tokens, phrase):
                    found[tokens] = None
    return tuple(found)


def _writable(vocabulary: Vocabulary, token: int) -> bool:
    return 0 <= token < len(vocabulary) and bool(vocabulary.pieces[token])


def _occurs_after(matcher: Matcher, tokens: TokenIds, phrase: int) -> bool:
    state, present = matcher.start(), 0
    for token in tokens:
        state, found = matcher.step(state, token)
        if state == DEAD:
            return False
        present |= found
    return bool((present | matcher.provisional(state)) >> phrase & 1) and matcher.may_end(state)
