"""Scores with caches, in batches and from shared beginnings are those of running each sentence alone."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from neurologic.decoders.editing.sentence_scorer import CausalSentenceScorer
from neurologic.errors import ModelError
from neurologic.matching.vocabulary import TokenIds, Vocabulary
from neurologic.models.base import EncodedPrompt
from neurologic.models.causal import CausalModel
from tiny.families import CAUSAL, SIZE, make

VOCABULARY = Vocabulary((b"x",) * SIZE, frozenset({2, 3}), lambda text: ())
PROMPT = (9, 8, 7, 6, 5, 4, 11)


def scorer_of(model: Any) -> CausalSentenceScorer:
    return CausalSentenceScorer(CausalModel(model, VOCABULARY), EncodedPrompt(PROMPT))


@torch.no_grad()
def alone(model: Any, tokens: TokenIds) -> tuple[int, float]:
    """The likeliest end of a sentence, and its log-likelihood with it."""
    scores = torch.log_softmax(model(torch.tensor([[*PROMPT, *tokens]])).logits[0].double(), dim=-1)
    written = sum(float(scores[len(PROMPT) - 1 + place, token]) for place, token in enumerate(tokens))
    end = max((2, 3), key=lambda token: float(scores[-1, token]))
    return end, written + float(scores[-1, end])


@pytest.mark.parametrize("family", CAUSAL)
def test_a_sentence_scores_as_if_it_were_run_alone(family: str) -> None:
    model = make(CAUSAL[family])
    scorer = scorer_of(model)
    batches: list[tuple[TokenIds, list[TokenIds]]] = [
        ((), [(20, 21, 22), (30,), (31, 32, 33, 34, 35)]),
        ((20, 21), [(22,), (), (40, 41)]),  # one that ends with what is shared
        ((20, 21, 22, 23), [(24, 25)]),  # goes on from what was read before
        ((50,), [(51, 52)]),
        ((20, 21), [()]),
    ]
    for opening, rests in batches:
        sentences = scorer.score(opening, rests)
        assert [sentence.tokens for sentence in sentences] == [opening + rest for rest in rests]
        for sentence in sentences:
            end, logprob = alone(model, sentence.tokens)
            assert sentence.end == end
            assert sentence.logprob == pytest.approx(logprob, abs=1e-3)
    assert scorer.calls == sum(len(rests) for _, rests in batches)


@pytest.mark.parametrize("family", CAUSAL)
def test_the_next_token_after_a_beginning(family: str) -> None:
    model = make(CAUSAL[family])
    scorer = scorer_of(model)
    with torch.no_grad():
        expected = torch.log_softmax(model(torch.tensor([[*PROMPT, 20, 21, 22]])).logits[0], dim=-1)
    for length in (0, 2, 1, 3):
        found = scorer.next_logprobs((20, 21, 22)[:length])
        torch.testing.assert_close(found, expected[len(PROMPT) - 1 + length], atol=1e-4, rtol=0)


def test_many_beginnings_do_not_fill_the_memory() -> None:
    scorer = scorer_of(make(CAUSAL["llama"]))
    first = scorer.next_logprobs((20,))
    for token in range(21, 61):
        scorer.next_logprobs((token,))
    assert len(scorer._prefixes) < 20
    torch.testing.assert_close(scorer.next_logprobs((20,)), first)


def test_scores_that_are_not_numbers_are_refused() -> None:
    model = make(CAUSAL["llama"])
    with torch.no_grad():
        model.model.norm.weight.fill_(float("nan"))
    with pytest.raises(ModelError, match="not numbers"):
        scorer_of(model).next_logprobs(())
