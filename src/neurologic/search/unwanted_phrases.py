"""Phrases that a search keeps out of texts although the formula does not speak of them.

A token is kept out if the text has an unwanted phrase after it. The lists are the library's own. The long one
is always the same, so what it needs is worked out once per vocabulary, not once per formula. Unwanted phrases
are no clauses: a token on which the guarantee rests may write one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from neurologic.logic import Phrase
from neurologic.logic.characters import is_word_character
from neurologic.matching.folded_tokens import FoldedTokens, folded

# Sets of tokens that are kept for phrases which no text has begun yet.
_KEPT = 64
_LONGEST_CHARACTER = 4  # bytes


class UnwantedPhrases:
    """Unwanted phrases of ASCII characters; the case of letters does not matter.

    A phrase with `times` is unwanted from that many times on.
    """

    def __init__(self, tokens: FoldedTokens, phrases: Sequence[Phrase]) -> None:
        self._tokens = tokens
        self._phrases = {folded(phrase.text.encode()): phrase for phrase in phrases}
        self._longest = max(map(len, self._phrases), default=0)
        # The phrases by each of their beginnings.
        self._begun: dict[bytes, list[bytes]] = defaultdict(list)
        # How often a phrase may be there already before one more is unwanted.
        self._free = {name: phrase.times - 1 for name, phrase in self._phrases.items() if phrase.times > 1}
        for text in self._phrases:
            for length in range(1, len(text)):
                self._begun[text[:length]].append(text)
        self._completing: dict[tuple[bytes, int], tuple[int, ...]] = {}
        self._unbegun: dict[tuple[bool, frozenset[bytes]], frozenset[int]] = {}

    def named(self, phrases: Iterable[Phrase]) -> frozenset[bytes]:
        """Return the names of phrases, for `tokens_after`."""
        return frozenset(folded(phrase.text.encode()) for phrase in phrases)

    def tokens_after(self, text: bytes, allowed: frozenset[bytes] = frozenset()) -> Collection[int]:
        """Return the tokens with which a text would have one of the phrases, but for those allowed."""
        if self._free:
            allowed |= {name for name, times in self._free.items() if _count(name, text) < times}
        tail = folded(text[-self._longest - _LONGEST_CHARACTER :])
        tokens: Collection[int] = self._whole(in_word=_ends_in_word(tail), allowed=allowed)
        for length in range(1, min(self._longest, len(tail) + 1)):
            begun = self._begun.get(tail[len(tail) - length :])
            if begun is None:
                continue
            in_word = _ends_in_word(tail[: len(tail) - length])
            for name in begun:
                if name not in allowed and not (in_word and self._begins_a_word(name)):
                    tokens = {*tokens, *self._completing_after(name, length)}
        return tokens

    def _whole(self, *, in_word: bool, allowed: frozenset[bytes]) -> frozenset[int]:
        """Return the tokens that have a whole phrase, after a text that is inside of a word or is not."""
        known = self._unbegun.get((in_word, allowed))
        if known is None:
            names = [name for name in self._phrases if name not in allowed]
            known = frozenset(
                token
                for name in names
                for token, before, after in self._tokens.containing(name)
                if self._stands_alone(name, before, after, in_word=in_word)
            )
            if len(self._unbegun) >= _KEPT:
                self._unbegun = {}
            self._unbegun[in_word, allowed] = known
        return known

    def _stands_alone(self, name: bytes, before: bytes, after: bytes, *, in_word: bool) -> bool:
        inside = _ends_in_word(before) if before else in_word
        return not (inside and self._begins_a_word(name)) and self._may_end(name, after)

    def _completing_after(self, name: bytes, length: int) -> tuple[int, ...]:
        """Return the tokens that complete a phrase of which so many bytes are written."""
        known = self._completing.get((name, length))
        if known is None:
            found = self._tokens.beginning_with(name[length:])
            known = tuple(token for token, after in found if self._may_end(name, after))
            self._completing[name, length] = known
        return known

    def _begins_a_word(self, name: bytes) -> bool:
        return self._phrases[name].match == "word" and is_word_character(chr(name[0]))

    def _may_end(self, name: bytes, after: bytes) -> bool:
        """Return whether a phrase is over where this follows it; nothing may be the end of the word."""
        if self._phrases[name].match != "word" or not is_word_character(chr(name[-1])):
            return True
        return not after or not is_word_character(after.decode(errors="replace")[0])


@dataclass(frozen=True)
class Unwanted:
    """Unwanted phrases, but for some that are allowed, by their names."""

    phrases: UnwantedPhrases
    allowed: frozenset[bytes] = frozenset()

    def tokens_after(self, text: bytes) -> Collection[int]:
        """Return the tokens with which a text would have one of the phrases."""
        return self.phrases.tokens_after(text, self.allowed)


def _count(name: bytes, text: bytes) -> int:
    """Return how often a text has these words."""
    return len(re.findall(rb"(?<!\w)" + re.escape(name) + rb"(?!\w)", folded(text)))


def _ends_in_word(text: bytes) -> bool:
    return bool(text) and is_word_character(text[-_LONGEST_CHARACTER:].decode(errors="ignore")[-1:] or " ")
