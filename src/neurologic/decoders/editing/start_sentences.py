"""The sentences that editing starts from: just the keywords, first in the given order.

The result depends on the order of the keywords, so an editor that ends with some of its budget left starts
again from another order.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from neurologic.decoders.editing.sentence import Keywords, Sentence
from neurologic.decoders.editing.sentence_scorer import SentenceScorer
from neurologic.errors import UnsatisfiedWarning, warn_user
from neurologic.matching.vocabulary import TokenIds

# Orders to draw after the given one, more than any budget is likely to need.
_MOST_ORDERS = 1000


def starting_sentences(
    scorer: SentenceScorer, keywords: Keywords, chance: random.Random
) -> Iterator[Sentence]:
    """Yield a sentence for the given order of the keywords, then for random others, each once."""
    order = tuple(range(len(keywords.constraint.phrases)))
    first = starting_sentence(scorer, keywords, order)
    yield first
    tried = {order}
    present = keywords.present(first.tokens) or 0
    for _ in range(_MOST_ORDERS if present.bit_count() == len(order) else 0):
        order = tuple(chance.sample(order, len(order)))
        if order not in tried and any(keywords.keeping(present).allow(way) for way in _ways(keywords, order)):
            yield starting_sentence(scorer, keywords, order)
        tried.add(order)


def starting_sentence(scorer: SentenceScorer, keywords: Keywords, order: Sequence[int]) -> Sentence:
    """Return the best way of writing just the keywords; without keywords, the likeliest first token."""
    everything = keywords.keeping((1 << len(order)) - 1)
    ways = [way for way in _ways(keywords, order) if everything.allow(way)]
    if not order:
        ways = [_likeliest_token(scorer, keywords)]
    elif not ways:
        ways = [_as_many_as_fit(scorer, keywords)]
        warn_user(
            f"the formula may stay unsatisfied within {keywords.limit} tokens: the keywords alone need more",
            UnsatisfiedWarning,
        )
    return max(scorer.score((), list(dict.fromkeys(ways))), key=lambda sentence: sentence.mean_logprob)


def _spelling(keywords: Keywords, phrase: int) -> TokenIds:
    return keywords.constraint.planner.usual_spelling(phrase) or ()


def _ways(keywords: Keywords, order: Sequence[int]) -> Iterator[TokenIds]:
    """Yield the keywords one after the other: with a space at the start, without, with a capital.

    Last comes the payment plan, for keywords that cannot simply follow each other.
    """
    if not order:
        return
    rest = tuple(token for phrase in order[1:] for token in _spelling(keywords, phrase))
    yield _spelling(keywords, order[0]) + rest
    text = keywords.constraint.phrases[order[0]].text
    for written in (text, text[:1].upper() + text[1:]):
        yield keywords.constraint.vocabulary.segment(written) + rest
    if list(order) == sorted(order):
        yield keywords.constraint.planner.plan(keywords.start_state, 0) or ()


def _as_many_as_fit(scorer: SentenceScorer, keywords: Keywords) -> TokenIds:
    """Return keywords in their order, without those that would make the sentence too long."""
    chosen: TokenIds = ()
    for number in range(len(keywords.constraint.phrases)):
        longer = chosen + _spelling(keywords, number)
        if keywords.allow(longer):
            chosen = longer
    return chosen or _likeliest_token(scorer, keywords)


def _likeliest_token(scorer: SentenceScorer, keywords: Keywords) -> TokenIds:
    order = scorer.next_logprobs(()).argsort(descending=True, stable=True).tolist()
    return next(((token,) for token in order if keywords.allow((token,))), ())
