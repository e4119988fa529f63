"""A tiny model with a real tokenizer, and a toy scorer whose every sentence can be looked up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from neurologic.decoders.editing.sentence import Keywords, Sentence
from neurologic.decoders.editing.sentence_scorer import CausalSentenceScorer
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.logic import parse
from neurologic.matching.vocabulary import TokenIds, Vocabulary
from neurologic.models.base import EncodedPrompt
from neurologic.models.loading import LoadedModel, wrap
from tiny import models
from tiny.tokenizers import gpt2_like

PROMPT = EncodedPrompt((5, 6, 7))


def tiny_model() -> LoadedModel:
    """A Llama with random weights that writes bytes and English pieces."""
    tokenizer = gpt2_like()
    model = models.tiny_model(
        "LlamaForCausalLM",
        tokenizer,
        max_position_embeddings=128,
        initializer_range=0.5,  # distributions with some shape, as a trained model has them
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    return wrap(model, tokenizer)


def keywords_for(model: LoadedModel, formula: str, limit: int) -> Keywords:
    """What a formula of required phrases allows."""
    constraint = compile_formula(parse(formula), model.vocabulary)
    return Keywords(constraint, "", limit, (1 << len(constraint.phrases)) - 1)


def scorer_for(model: LoadedModel) -> CausalSentenceScorer:
    adapter: Any = model.adapter
    return CausalSentenceScorer(adapter, PROMPT)


class ToyScorer:
    """Scores sentences by a function from the tokens so far to the next token's logits."""

    def __init__(self, vocabulary: Vocabulary, logits_of: Callable[[TokenIds], torch.Tensor]) -> None:
        self.logits_of = logits_of
        (self.end,) = vocabulary.end_ids
        self.calls = 0
        self._known: dict[TokenIds, torch.Tensor] = {}

    def next_logprobs(self, opening: TokenIds) -> torch.Tensor:
        if opening not in self._known:
            self._known[opening] = torch.log_softmax(self.logits_of(opening).double(), dim=-1)
        return self._known[opening]

    def score(self, opening: TokenIds, rests: Sequence[TokenIds]) -> list[Sentence]:
        self.calls += len(rests)
        return [self.sentence(opening + tuple(rest)) for rest in rests]

    def sentence(self, tokens: TokenIds) -> Sentence:
        whole = (*tokens, self.end)
        each = (float(self.next_logprobs(whole[:place])[token]) for place, token in enumerate(whole))
        return Sentence(tokens, self.end, sum(each))
