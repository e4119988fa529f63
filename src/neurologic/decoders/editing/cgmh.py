"""CGMH: draw sentences by Metropolis–Hastings (Miao et al., "CGMH: Constrained Sentence Generation by
Metropolis–Hastings Sampling", AAAI 2019).

A random walk moves between sentences; its stationary distribution is the language model's, restricted to
sentences that contain every keyword. A step draws one of insert, delete and replace, then a place, then
(except for delete) a token. The walk accepts it with the probability that makes the flow between any two
sentences the same in both directions.

The paper draws the token with a forward and a backward model. Here one causal model does both: the likeliest
tokens after the tokens before the place make a shortlist, and the likelihood of the whole sentence with each
of them, all in one batch, is its weight. A small part of the proposals comes from the model's distribution
over all tokens, without which a token outside its shortlist could never leave.

Cost: O(E) edit steps, whatever the number of keywords; a step evaluates at most `shortlist` + 1 sentences.
Cannot express alternatives, negatives or any other clause than a required phrase.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import torch

from neurologic.decoders.editing.sentence import Hole, Keywords, Sentence, gap, hole_of
from neurologic.decoders.editing.sentence_scorer import SentenceScorer

# Tokens to look at for each one on the shortlist; the rules allow most likely tokens nearly everywhere.
_LOOKED_AT = 4
# Holes to remember with their shortlists; a sentence of 15 tokens has about 30.
_KEPT_HOLES = 128


@dataclass(frozen=True)
class Fillings:
    """The distribution of proposed tokens for a hole; it does not depend on the token that is there.

    sentences  those of the shortlist, by token
    weights    the shortlist's share of the proposals, by token; they add up to 1 - stray
    after      log-likelihoods of all tokens after those before the hole
    stray      the share of the proposals from `after`
    """

    sentences: dict[int, Sentence]
    weights: dict[int, float]
    after: torch.Tensor
    stray: float

    def logprob(self, token: int) -> float:
        """Return the log-probability of proposing a token."""
        probability = self.weights.get(token, 0.0) + self.stray * math.exp(float(self.after[token]))
        return math.log(probability) if probability > 0 else -math.inf

    def draw(self, chance: random.Random) -> int:
        """Draw a token."""
        drawn = chance.random()
        for token, weight in self.weights.items():
            drawn -= weight
            if drawn < 0:
                return token
        cumulative = self.after.double().exp().cumsum(0)
        wanted = chance.random() * float(cumulative[-1])
        return min(int(torch.searchsorted(cumulative, wanted, right=True)), len(cumulative) - 1)


class MetropolisHastings:
    """Draws sentences; with a temperature below 1 the walk keeps closer to the likeliest ones."""

    def __init__(self, shortlist: int = 16, stray: float = 0.02, temperature: float = 1.0) -> None:
        self.shortlist = shortlist
        self.stray = stray
        self.temperature = temperature

    def edits(
        self, start: Sentence, scorer: SentenceScorer, keywords: Keywords, chance: random.Random
    ) -> Iterator[Sentence]:
        sentence = start
        walk = _Walk(self, scorer, keywords, chance)
        while True:
            step = chance.choice((walk.insert, walk.delete, walk.replace))
            sentence = step(sentence)
            yield sentence


class _Walk:
    """One random walk."""

    def __init__(
        self, decoder: MetropolisHastings, scorer: SentenceScorer, keywords: Keywords, chance: random.Random
    ) -> None:
        self.decoder = decoder
        self.scorer = scorer
        self.keywords = keywords
        self.chance = chance
        self._known: dict[Hole, Fillings] = {}

    # The three kinds of step are equally likely, so their probabilities cancel out of every ratio. What is
    # left is the number of places to choose from: any gap for an insertion, otherwise any token that no
    # keyword needs.

    def insert(self, old: Sentence) -> Sentence:
        """Try one token more; the reverse step deletes it."""
        if old.length >= self.keywords.limit:
            return old
        hole = gap(old.tokens, self.chance.randrange(old.length))
        return self._fill(old, hole, -math.log(old.length), 0.0)

    def delete(self, old: Sentence) -> Sentence:
        """Try one token less; the reverse step inserts the same token."""
        free = self.keywords.free_places(old.tokens)
        if not free:
            return old
        place = self.chance.choice(free)
        hole = hole_of(old.tokens, place)
        new = self.scorer.score(hole.before, [hole.after])[0]
        there = -math.log(len(free))
        back = -math.log(new.length)
        threshold = self._threshold()
        # The token's own probability in the reverse step, which takes a batch to compute, is 1 at most.
        if self._log_ratio(old, new, there, back) <= threshold:
            return old
        back += self._fillings(hole).logprob(old.tokens[place])
        return new if self._log_ratio(old, new, there, back) > threshold else old

    def replace(self, old: Sentence) -> Sentence:
        """Try another token in a place; the reverse step restores the old one."""
        free = self.keywords.free_places(old.tokens)
        if not free:
            return old
        place = self.chance.choice(free)
        hole = hole_of(old.tokens, place)
        return self._fill(old, hole, -math.log(len(free)), self._fillings(hole).logprob(old.tokens[place]))

    def _fill(self, old: Sentence, hole: Hole, there: float, back: float) -> Sentence:
        """Draw a token for the hole and accept or refuse it.

        there, back  log-probabilities of this step without the drawn token, and of the reverse step without
                     the choice of its place
        """
        fillings = self._fillings(hole)
        token = fillings.draw(self.chance)
        new = self._filled(hole, token, fillings)
        if new is None:
            return old
        there += fillings.logprob(token)
        back -= math.log(len(self.keywords.free_places(new.tokens)))
        return new if self._log_ratio(old, new, there, back) > self._threshold() else old

    # -- proposals ---------------------------------------------------------------------------------

    def _fillings(self, hole: Hole) -> Fillings:
        """Return the proposals for a hole; both directions share them, whatever token is there.

        Remember them: while the walk refuses steps, the same holes come up again and again.
        """
        known = self._known.get(hole)
        if known is None:
            known = self._find_fillings(hole)
            if len(self._known) >= _KEPT_HOLES:
                self._known.pop(next(iter(self._known)))
            self._known[hole] = known
        return known

    def _find_fillings(self, hole: Hole) -> Fillings:
        decoder = self.decoder
        after = self.scorer.next_logprobs(hole.before)
        looked_at = after.topk(min(_LOOKED_AT * decoder.shortlist, len(after))).indices.tolist()
        tokens = list(islice(self.keywords.fillings(hole, iter(looked_at)), decoder.shortlist))
        if not tokens:
            return Fillings({}, {}, after, 1.0)
        sentences = self.scorer.score(hole.before, [(token, *hole.after) for token in tokens])
        best = max(sentence.logprob for sentence in sentences)
        scaled = [math.exp((sentence.logprob - best) / decoder.temperature) for sentence in sentences]
        shares = [(1 - decoder.stray) * value / sum(scaled) for value in scaled]
        by_token = dict(zip(tokens, sentences, strict=True))
        return Fillings(by_token, dict(zip(tokens, shares, strict=True)), after, decoder.stray)

    def _filled(self, hole: Hole, token: int, fillings: Fillings) -> Sentence | None:
        """Return the sentence with the token, None if the rules forbid it."""
        known = fillings.sentences.get(token)
        if known is not None or not self.keywords.allow(hole.filled(token)):
            return known
        return self.scorer.score(hole.before, [(token, *hole.after)])[0]

    # -- acceptance --------------------------------------------------------------------------------

    def _log_ratio(self, old: Sentence, new: Sentence, there: float, back: float) -> float:
        """Return Hastings' ratio: the log of p(new)·q(old|new) / (p(old)·q(new|old))."""
        return (new.logprob - old.logprob) / self.decoder.temperature + back - there

    def _threshold(self) -> float:
        """Draw a number between 0 and 1, which an accepted ratio exceeds; return its logarithm."""
        drawn = self.chance.random()
        return math.log(drawn) if drawn > 0 else -math.inf
