"""Gradient-guided editing (Sha, "Gradient-guided Unsupervised Lexically Constrained Text Generation",
EMNLP 2020).

Hill climbing on a sentence's log-likelihood per token, the end of text included. (By the log-likelihood of
the whole, three bare keywords and a full stop are a maximum already. Per token, sentences that repeat
themselves would be one, so the editor refuses an edit that repeats a pair of neighbouring tokens.)

The gradient with respect to the embeddings shows where to edit: the token with the longest gradient comes
first. The editor replaces or deletes it, or inserts another one behind it; the last token of the prompt takes
part, since a sentence starts behind it. The first-order gain of every token of the vocabulary (see
`embedding_gradients`) gives a shortlist; the editor evaluates the shortlist exactly, in one batch, and makes
the best edit if it improves the objective. Otherwise it leaves the place alone until the sentence has
changed; where no place is left, the climb is over.

Cost: O(E) edit steps, whatever the number of keywords; a step takes up to two gradients and evaluates at most
2 · `shortlist` + 1 sentences. Cannot express alternatives, negatives or any other clause than a required
phrase, and cannot leave a sentence that no single edit improves.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice, pairwise

import torch

from neurologic.decoders.editing.embedding_gradients import EmbeddingGradients, SentenceGradient
from neurologic.decoders.editing.sentence import Hole, Keywords, Sentence, gap, hole_of
from neurologic.decoders.editing.sentence_scorer import CausalSentenceScorer
from neurologic.matching.vocabulary import TokenIds

# Tokens to look at for each one on the shortlist.
_LOOKED_AT = 8


class GradientGuided:
    """Climbs; `shortlist` is the number of tokens to try for an insertion, and again for a replacement."""

    def __init__(self, shortlist: int = 8) -> None:
        self.shortlist = shortlist

    def edits(
        self, start: Sentence, scorer: CausalSentenceScorer, keywords: Keywords, chance: random.Random
    ) -> Iterator[Sentence]:
        """Yield the sentence after each step. A climb ignores chance: the same start has the same end."""
        climb = _Climb(self.shortlist, EmbeddingGradients(scorer), keywords)
        sentence, at_top = start, False
        while not at_top:
            slope = climb.finder.at(sentence.tokens)
            at_top = True
            for place in steepest_first(slope):
                edited = climb.best_edit(sentence, slope, place)
                if edited is not None and edited.mean_logprob > sentence.mean_logprob:
                    sentence, at_top = edited, False
                yield sentence
                if not at_top:
                    break


def steepest_first(slope: SentenceGradient) -> list[int]:
    """Return the places of tokens, the longest gradient first; -1 is the end of the prompt."""
    lengths = slope.gradients.norm(dim=-1)
    return [place - 1 for place in lengths.argsort(descending=True, stable=True).tolist()]


def repetitions(tokens: TokenIds) -> int:
    """Return how many pairs of neighbouring tokens repeat an earlier one."""
    pairs = list(pairwise(tokens))
    return len(pairs) - len(set(pairs))


class _Climb:
    """Finds the edits of one climb."""

    def __init__(self, shortlist: int, finder: EmbeddingGradients, keywords: Keywords) -> None:
        self.shortlist = shortlist
        self.finder = finder
        self.keywords = keywords

    def best_edit(self, old: Sentence, slope: SentenceGradient, place: int) -> Sentence | None:
        """Return the best of the edits at a token: insert behind it, replace it, or delete it."""
        sentences = [hole.filled(token) for hole, token in self._insertions(old, place)]
        if place >= 0 and self.keywords.allow(hole_of(old.tokens, place).closed):
            hole = hole_of(old.tokens, place)
            gains = self.finder.gains(slope, place)
            sentences += [hole.filled(token) for token in self._best(hole, gains, but=old.tokens[place])]
            sentences.append(hole.closed)
        most = repetitions(old.tokens)
        sentences = [tokens for tokens in sentences if repetitions(tokens) <= most]
        if not sentences:
            return None
        opening = old.tokens[: max(place, 0)]
        scored = self.finder.scorer.score(opening, [tokens[len(opening) :] for tokens in sentences])
        return max(scored, key=lambda sentence: sentence.mean_logprob)

    def _insertions(self, old: Sentence, place: int) -> Iterator[tuple[Hole, int]]:
        if old.length >= self.keywords.limit:
            return
        hole = gap(old.tokens, place + 1)
        gains = self.finder.gains(self.finder.in_hole(hole), place + 1)
        for token in self._best(hole, gains):
            yield hole, token

    def _best(self, hole: Hole, gains: torch.Tensor, but: int | None = None) -> TokenIds:
        """Return the allowed tokens of the highest first-order gain."""
        looked_at = gains.topk(min(_LOOKED_AT * self.shortlist, len(gains))).indices.tolist()
        allowed = self.keywords.fillings(hole, (token for token in looked_at if token != but))
        return tuple(islice(allowed, self.shortlist))
