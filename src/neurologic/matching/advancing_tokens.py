"""Find the tokens that bring a wanted phrase forward.

A search that still owes phrases must look beyond the likeliest tokens. This module finds the tokens that
start, continue or finish a wanted phrase: first by the pair of characters at which a phrase begins or goes
on, then exactly, by the matcher.
"""

from __future__ import annotations

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
            candidates.update(places.get(pair, ()))
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


def _advances(matcher: Matcher, state: int, token: int, wanted: int) -> bool:
    after, found = matcher.step(state, token)
    if after == DEAD:
        return False
    if (found | matcher.provisional(after)) & wanted:
        return True
    return any(wanted >> phrase & 1 for phrase, _ in matcher.progress(after))
