"""First-order gains against derivatives taken the long way: every token's share in a place as a variable."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from neurologic.decoders.editing.embedding_gradients import EmbeddingGradients
from neurologic.decoders.editing.sentence import gap
from neurologic.decoders.editing.sentence_scorer import CausalSentenceScorer
from neurologic.errors import ModelError
from neurologic.matching.vocabulary import TokenIds, Vocabulary
from neurologic.models.base import EncodedPrompt
from neurologic.models.causal import CausalModel
from tiny.families import CAUSAL, SIZE, make

VOCABULARY = Vocabulary((b"x",) * SIZE, frozenset({2}), lambda text: ())
PROMPT = (9, 8, 7, 6)
SENTENCE = (20, 21, 22)


def finder_of(model: Any) -> EmbeddingGradients:
    return EmbeddingGradients(CausalSentenceScorer(CausalModel(model, VOCABULARY), EncodedPrompt(PROMPT)))


def relaxed_logprob(model: Any, shares: torch.Tensor) -> torch.Tensor:
    """The log-likelihood of a sentence of mixtures, [tokens, vocabulary], without any cache."""
    embedding = model.get_input_embeddings()
    every = embedding(torch.arange(SIZE))
    given = torch.cat([embedding(torch.tensor(PROMPT)), shares @ every])
    scores = torch.log_softmax(model(inputs_embeds=given[None]).logits[0], dim=-1)[len(PROMPT) - 1 :]
    return (shares * scores[:-1]).sum() + scores[-1, 2]


def one_hot(tokens: TokenIds) -> torch.Tensor:
    return torch.nn.functional.one_hot(torch.tensor(tokens), SIZE).float()


@pytest.mark.parametrize("family", CAUSAL)
def test_gains_rank_tokens_as_the_brute_force_derivative_does(family: str) -> None:
    model = make(CAUSAL[family])
    finder = finder_of(model)
    shares = one_hot(SENTENCE).requires_grad_()
    (expected,) = torch.autograd.grad(relaxed_logprob(model, shares), shares)
    slope = finder.at(SENTENCE)
    for place in range(len(SENTENCE)):
        gains = finder.gains(slope, place)
        torch.testing.assert_close(gains, expected[place], atol=1e-3, rtol=1e-3)
        assert gains.topk(5).indices.tolist() == expected[place].topk(5).indices.tolist()


def test_gains_in_a_hole_are_taken_at_what_the_model_expects_there() -> None:
    model = make(CAUSAL["llama"])
    finder = finder_of(model)
    hole = gap(SENTENCE, 1)
    expected_token = finder.scorer.next_logprobs(hole.before).exp()
    shares = torch.stack([one_hot(SENTENCE[:1])[0], expected_token, *one_hot(SENTENCE[1:])]).requires_grad_()
    embedded = model.get_input_embeddings().weight

    def reading_only(shares: torch.Tensor) -> torch.Tensor:
        given = torch.cat([embedded[list(PROMPT)], shares @ embedded])
        scores = torch.log_softmax(model(inputs_embeds=given[None]).logits[0], dim=-1)[len(PROMPT) - 1 :]
        return scores[0, 20] + scores[2, 21] + scores[3, 22] + scores[4, 2]

    (by_share,) = torch.autograd.grad(reading_only(shares), shares)
    expected = by_share[1] + finder.scorer.next_logprobs(hole.before)
    torch.testing.assert_close(finder.gains(finder.in_hole(hole), 1), expected, atol=1e-4, rtol=1e-3)


@pytest.mark.parametrize("family", CAUSAL)
def test_the_end_of_the_prompt_has_a_gradient_too(family: str) -> None:
    model = make(CAUSAL[family])
    leaf = model.get_input_embeddings()(torch.tensor([*PROMPT, *SENTENCE])).detach().requires_grad_()
    scores = torch.log_softmax(model(inputs_embeds=leaf[None]).logits[0], dim=-1)[len(PROMPT) - 1 :]
    logprob = scores[0, 20] + scores[1, 21] + scores[2, 22] + scores[3, 2]
    (expected,) = torch.autograd.grad(logprob, leaf)
    found = finder_of(model).at(SENTENCE).gradients
    torch.testing.assert_close(found, expected[len(PROMPT) - 1 :], atol=1e-4, rtol=1e-3)


def test_the_weights_are_left_alone_whatever_the_caller_has_switched_off() -> None:
    model = make(CAUSAL["gpt2"])
    flags = [weight.requires_grad for weight in model.parameters()]
    with torch.no_grad():
        slope = finder_of(model).at(SENTENCE)
    assert float(slope.gradients.norm()) > 0
    assert all(weight.grad is None for weight in model.parameters())
    assert [weight.requires_grad for weight in model.parameters()] == flags
    for weight in model.parameters():
        weight.requires_grad_(False)
    torch.testing.assert_close(finder_of(model).at(SENTENCE).gradients, slope.gradients)


def test_a_model_without_embeddings_as_input_is_refused() -> None:
    model = make(CAUSAL["llama"])
    model.forward = lambda input_ids: None
    with pytest.raises(ModelError, match="use the decoder cgmh"):
        finder_of(model)
