"""An index of a vocabulary by pairs of characters, to find tokens without reading all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from neurologic.logic.characters import is_word_character, normalise

Pair = str  # one or two normalised characters


@dataclass(frozen=True, eq=False)
class TokenIndex:
    """Tokens by the pairs of characters in them; built once per vocabulary, with `of`.

    starting[pair]    tokens whose text starts with the pair
    word_start[pair]  tokens in which a word starts with the pair
    inside[pair]      tokens that have the pair anywhere
    A pair is a single character where the token's text ends after it.
    """

    starting: Mapping[Pair, Sequence[int]]
    word_start: Mapping[Pair, Sequence[int]]
    inside: Mapping[Pair, Sequence[int]]

    @classmethod
    def of(cls, *tables: Sequence[bytes | None]) -> Self:
        """Index tables of the bytes that each token adds; reads every character of every token."""
        starting: dict[Pair, list[int]] = defaultdict(list)
        word_start: dict[Pair, list[int]] = defaultdict(list)
        inside: dict[Pair, list[int]] = defaultdict(list)
        for table in tables:
            for token, piece in enumerate(table):
                # The index leaves out half a character at either edge; the plan covers such phrases.
                text = normalise((piece or b"").decode(errors="ignore"), exact_case=False)
                if not text:
                    continue
                starting[text[:2]].append(token)
                in_word = False
                for start, character in enumerate(text):
                    pair = text[start : start + 2]
                    inside[pair].append(token)
                    if is_word_character(character) and not in_word:
                        word_start[pair].append(token)
                    in_word = is_word_character(character)
        return cls(dict(starting), dict(word_start), dict(inside))
