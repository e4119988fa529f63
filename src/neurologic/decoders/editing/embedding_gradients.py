"""The gradient of a sentence's log-likelihood with respect to the embeddings of its tokens.

Relax a sentence: instead of one token, each place holds a mixture of tokens. The model reads the mixture of
their embeddings, and predicts with the mixture of their log-likelihoods. The derivative by a token's share in
a place, taken where the mixture is the sentence itself, then has two parts:

    log P(token | tokens before)     the token as a prediction, exact
    embedding(token) · gradient      the token as context for the tokens after it

The gradient is that of the log-likelihood with respect to the embedding that the model read in that place.
The model's weights stay as they are, without gradients.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from neurologic.decoders.editing.sentence import Hole
from neurologic.decoders.editing.sentence_scorer import CausalSentenceScorer
from neurologic.errors import ModelError
from neurologic.matching.vocabulary import TokenIds
from neurologic.models.internals.calling_convention import forward_parameters

# The token of a hole, where the model reads a mixture and predicts nothing.
_NO_TOKEN = -1


@dataclass(frozen=True, eq=False)
class SentenceGradient:
    """The gradient at one sentence.

    before     log-likelihoods of every token in every place, by the tokens before it: [tokens, vocabulary]
    gradients  with respect to the embeddings that the model read, the first of them that of the prompt's
               last token: [1 + tokens, size of an embedding]
    """

    before: torch.Tensor
    gradients: torch.Tensor


class EmbeddingGradients:
    """Computes gradients with the model and prompt of a scorer; each counts as one call."""

    def __init__(self, scorer: CausalSentenceScorer) -> None:
        model = scorer.adapter.model
        if "inputs_embeds" not in forward_parameters(model):
            raise ModelError(
                f"{type(model).__name__} takes no embeddings as input, so they have no gradient; "
                "use the decoder cgmh with it"
            )
        self.scorer = scorer
        self._lookup = _embedding_matrix(model)  # [tokens that can be read, size]
        # The vocabulary may have fewer tokens than the model reads.
        self._vocabulary = self._lookup[: len(scorer.adapter.vocabulary)].float()  # [vocabulary, size]

    def at(self, tokens: TokenIds) -> SentenceGradient:
        """Return the gradient at a sentence as it is."""
        return self._slope(tokens, self._embedded(tokens))

    def in_hole(self, hole: Hole) -> SentenceGradient:
        """Return the gradient at a sentence with a hole, where the model reads the mixture it expects."""
        expected = self.scorer.next_logprobs(hole.before).exp() @ self._vocabulary
        parts = [self._embedded(hole.before), expected[None].to(self._lookup), self._embedded(hole.after)]
        return self._slope(hole.filled(_NO_TOKEN), torch.cat(parts))

    def gains(self, slope: SentenceGradient, place: int) -> torch.Tensor:
        """Return the first-order gain of every token in a place, up to a constant: [vocabulary], float32."""
        return slope.before[place] + self._vocabulary @ slope.gradients[place + 1]

    def _embedded(self, tokens: TokenIds) -> torch.Tensor:
        return self._lookup[torch.tensor(tokens, dtype=torch.long, device=self._lookup.device)]

    def _slope(self, tokens: TokenIds, embedded: torch.Tensor) -> SentenceGradient:
        scorer = self.scorer
        scorer.calls += 1
        with torch.enable_grad(), _explaining_in_place_errors(scorer.adapter.model):
            last = self._embedded(scorer.prompt.ids[-1:])
            leaf = torch.cat([last, embedded]).detach().requires_grad_()  # [1 + tokens, size]
            scores = torch.log_softmax(self._run(leaf).float(), dim=-1)  # [1 + tokens, vocabulary]
            places = [place for place, token in enumerate(tokens) if token != _NO_TOKEN]
            predicted = scores[places, [tokens[place] for place in places]]
            ending = scores[-1, sorted(scorer.adapter.vocabulary.end_ids)].max()
            # For the embeddings alone torch does not even compute the gradients of the weights.
            (gradients,) = torch.autograd.grad(predicted.sum() + ending, leaf)
        return SentenceGradient(scores[:-1].detach(), gradients.float())

    def _run(self, leaf: torch.Tensor) -> torch.Tensor:
        """Return scores after the prompt's last token and each token of a sentence, given as embeddings."""
        scorer = self.scorer
        *known, _ = scorer.prompt.ids
        given = leaf if scorer.cached else torch.cat([self._embedded(tuple(known)), leaf])
        start = len(known) if scorer.cached else 0
        arguments = scorer.arguments(len(given), scorer.before_last(), start)
        output = scorer.adapter.model(inputs_embeds=given[None], **arguments)
        return output.logits[0, -len(leaf) :]


def _embedding_matrix(model: torch.nn.Module) -> torch.Tensor:
    """Return the embedding that the model reads for every token, [vocabulary, size]."""
    embedding = model.get_input_embeddings()  # type: ignore[operator]
    if type(embedding) is torch.nn.Embedding:
        return embedding.weight.detach()
    with torch.no_grad():  # some scale what they look up
        every = torch.arange(embedding.num_embeddings, device=embedding.weight.device)
        return embedding(every).detach()


@contextlib.contextmanager
def _explaining_in_place_errors(model: Any) -> Iterator[None]:
    """Explain torch's error for models (CTRL, RWKV, …) that overwrite values a gradient needs."""
    try:
        yield
    except RuntimeError as error:
        if "in-place" not in str(error) and "inplace" not in str(error):
            raise
        raise ModelError(
            f"{type(model).__name__} changes its own intermediate values, so that torch can give no "
            "gradients; use the decoder cgmh"
        ) from error
