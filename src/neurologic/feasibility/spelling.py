"""Spell phrases in tokens.

The usual segmentation comes first, since the model has seen it. Where it does not produce the phrase (an
uncased vocabulary, an unknown character), the fewest tokens that spell it byte by byte may do. The model
cannot write a phrase without any spelling.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from neurologic.matching.character_reader import decode_prefix
from neurologic.matching.matcher import Matcher
from neurologic.matching.vocabulary import TokenIds, Vocabulary

# What follows a word directly.
_WITHOUT_SPACE = frozenset(".,;:!?…)]}%")


def spellings(data: bytes, vocabulary: Vocabulary) -> Iterator[TokenIds]:
    """Yield token sequences that add `data` inside a text, the usual segmentation first."""
    decoded = decode_prefix(data)
    usual = vocabulary.segment(decoded[0]) if decoded and not decoded[1] else ()
    if usual and all(_writable(vocabulary, token) for token in usual):
        yield usual
    shortest = vocabulary.table.fewest_tokens(data)
    if shortest and shortest != usual:
        yield shortest


def spell_phrase(matcher: Matcher, phrase: int) -> tuple[TokenIds, ...]:
    """Return token sequences that write a phrase, the usual one first; none if it finds none.

    Try the phrase with a space before it, as words are written, and without one; the other way round for
    punctuation; then in other cases.
    """
    if phrase in matcher.token_ids:
        ids = matcher.token_ids[phrase]
        return (ids,) if ids and all(_writable(matcher.vocabulary, token) for token in ids) else ()
    wanted = matcher.phrases[phrase]
    if wanted.times > 1:
        # One spelling serves every occurrence.
        return spell_phrase(Matcher([replace(wanted, times=1)], matcher.vocabulary), 0)

    def spelled(*texts: str) -> tuple[TokenIds, ...]:
        ways = (way for written in texts for way in spellings(written.encode(), matcher.vocabulary))
        return tuple(dict.fromkeys(tokens for tokens in ways if _writes(matcher, tokens, phrase)))

    text = wanted.text
    ways = (text, " " + text) if text[0] in _WITHOUT_SPACE else (" " + text, text)
    return spelled(*ways) or spelled(text.lower(), text.upper())


def spell_in_other_cases(matcher: Matcher, phrase: int) -> tuple[TokenIds, ...]:
    """Return further spellings of a phrase in any case: with a capital, in capitals, in small letters.

    Plans need them only where the usual case is forbidden, as in `dog & !dog[case=exact]`.
    """
    wanted = matcher.phrases[phrase]
    if phrase in matcher.token_ids or wanted.case == "exact":
        return ()
    once = Matcher([replace(wanted, times=1)], matcher.vocabulary)
    text = wanted.text
    cased = dict.fromkeys((text[:1].upper() + text[1:], text.title(), text.upper(), text.lower()))
    ways = (
        way
        for other in cased
        if other != text
        for written in (" " + other, other)
        for way in spellings(written.encode(), matcher.vocabulary)
    )
    return tuple(dict.fromkeys(tokens for tokens in ways if _writes(once, tokens, 0)))


def _writable(vocabulary: Vocabulary, token: int) -> bool:
    return 0 <= token < len(vocabulary) and bool(vocabulary.pieces[token])


def _writes(matcher: Matcher, tokens: TokenIds, phrase: int) -> bool:
    after = matcher.read(matcher.start(), tokens)
    if after is None:
        return False
    state, found = after
    return bool((found | matcher.provisional(state)) >> phrase & 1) and matcher.may_end(state)
