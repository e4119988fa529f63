"""Whole sentences to edit, and the keywords that every edit must keep.

The *text* must keep a keyword: any tokens may write it, and an edit that merely makes another word of it
("dog" to "dogs", or a word between "ice" and "cream") is as bad as one that deletes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from neurologic.feasibility.compiled_constraint import CompiledConstraint
from neurologic.matching.vocabulary import TokenIds


@dataclass(frozen=True)
class Sentence:
    """A sentence with its score.

    tokens   the sentence's tokens without the end token
    end      the end token; the likeliest here if there are several
    logprob  log-likelihood after the prompt, end token included
    """

    tokens: TokenIds
    end: int
    logprob: float

    @property
    def length(self) -> int:
        """The number of tokens, end token included."""
        return len(self.tokens) + 1

    @property
    def mean_logprob(self) -> float:
        """Log-likelihood per token; the exponential of its negative is the perplexity."""
        return self.logprob / self.length


class Hole(NamedTuple):
    """A place for one token: the tokens before it and those after it."""

    before: TokenIds
    after: TokenIds

    def filled(self, token: int) -> TokenIds:
        return (*self.before, token, *self.after)

    @property
    def closed(self) -> TokenIds:
        return self.before + self.after


def gap(tokens: TokenIds, place: int) -> Hole:
    """Return the hole before the token at `place`; at its end if `place` is the sentence's length."""
    return Hole(tokens[:place], tokens[place:])


def hole_of(tokens: TokenIds, place: int) -> Hole:
    """Return the hole that the token at `place` leaves."""
    return Hole(tokens[:place], tokens[place + 1 :])


@dataclass(frozen=True, eq=False)
class Keywords:
    """The rules for allowed sentences.

    constraint  required phrases only
    before      the text directly before the sentence (see `EncodedPrompt`)
    limit       the most tokens of a sentence, end token included
    kept        bit set of the phrases that the sentence must have
    """

    constraint: CompiledConstraint
    before: str
    limit: int
    kept: int = 0

    def keeping(self, kept: int) -> Keywords:
        return replace(self, kept=kept)

    @cached_property
    def start_state(self) -> int:
        return self.constraint.matcher.start(self.before)

    @cached_property
    def banned(self) -> frozenset[int]:
        """Tokens that are not text."""
        vocabulary = self.constraint.vocabulary
        return frozenset(vocabulary.forbidden_ids) | vocabulary.end_ids

    def present(self, tokens: TokenIds) -> int | None:
        """Return the bit set of the phrases in the sentence's text; None if the tokens are not text."""
        matcher = self.constraint.matcher
        after = matcher.read(self.start_state, tokens)
        if after is None or not matcher.may_end(after[0]):
            return None
        return self.constraint.present(*after)

    def allow(self, tokens: TokenIds) -> bool:
        """Return whether a sentence of these tokens is text, short enough, and has every keyword."""
        if not tokens or len(tokens) + 1 > self.limit or not self.banned.isdisjoint(tokens):
            return False
        present = self.present(tokens)
        return present is not None and not self.kept & ~present

    def free_places(self, tokens: TokenIds) -> list[int]:
        """Return the places of tokens that an edit may delete."""
        return [place for place in range(len(tokens)) if self.allow(hole_of(tokens, place).closed)]

    def fillings(self, hole: Hole, candidates: Iterator[int]) -> Iterator[int]:
        """Yield those of the candidates that may fill a hole."""
        return (token for token in candidates if self.allow(hole.filled(token)))
