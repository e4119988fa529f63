"""Which tokens bring a wanted phrase forward.

A search that has to pay what it owes must look beyond the likeliest tokens. This index finds, without
reading the whole vocabulary, the tokens that start, continue or finish a wanted phrase: first by the pair
of characters at which a phrase begins or goes on, then exactly, by the matcher.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from neurologic.logic.characters import is_word_character, normalise
from neurologic.matching.clause_tracker import bits
from neurologic.matching.matcher import DEAD, Matcher
from neurologic.matching.vocabulary import Vocabulary

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
    def of(cls, vocabulary: Vocabulary) -> Self:
        """The index of a vocabulary; reads every character of every token."""
        starting: dict[Pair, list[int]] = defaultdict(list)
        word_start: dict[Pair, list[int]] = defaultdict(list)
        inside: dict[Pair, list[int]] = defaultdict(list)
        for table in filter(None, (vocabulary.pieces, vocabulary.first_pieces)):
            for token, piece in enumerate(table):
                # A half character at either edge cannot be indexed; the plan covers such phrases.
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


def advancing_tokens(matcher: Matcher, index: TokenIndex, state: int, wanted: int) -> tuple[int, ...]:
    """The tokens that find a phrase of the bit set `wanted` or match a part of it, in ascending order."""
    candidates: set[int] = set()
    for phrase in bits(wanted):
        if phrase in matcher.token_ids:
            candidates.update(matcher.token_ids[phrase][:1])
            continue
        text = normalise(matcher.phrases[phrase].text, exact_case=False)
        places = index.word_start if matcher.phrases[phrase].edges[0] else index.inside
        for pair in {text[:1], text[:2]}:
            candidates.update(places.get(pair, ()))
    for phrase, matched in matcher.under_way(state):
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


def _advances(matcher: Matcher, state: int, token: int, wanted: int) -> bool:
    after, found = matcher.step(state, token)
    if after == DEAD:
        return False
    if (found | matcher.provisional(after)) & wanted:
        return True
    return any(wanted >> phrase & 1 for phrase, _ in matcher.progress(after))
