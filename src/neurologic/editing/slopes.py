"""The slope of a sentence's log-likelihood: how it would change with the embeddings of its tokens.

A sentence is relaxed: instead of one token, each place holds a mixture of tokens, which the model reads as
the mixture of their embeddings and is asked to predict with the mixture of their log-likelihoods. The
derivative by a token's share in a place, taken where the mixture is the sentence itself, then has two parts:

    log P(token | what comes before)          the token as something to be predicted, exact
    embedding(token) · gradient               the token as something that what follows is predicted from

The gradient is the one of the log-likelihood with respect to the embedding that the model read in that place.
The model's weights stay as they are, and nothing is derived with respect to them.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import torch

from neurologic.editing.scoring import SentenceScorer
from neurologic.editing.sentence import Hole
from neurologic.errors import ModelError
from neurologic.matching.vocabulary import TokenIds
from neurologic.models import internals


@dataclass(frozen=True, eq=False)
class Slope:
    """The slope at one sentence.

    before     log-likelihoods of every token in every place, after the tokens before it, and after the
               last one: [tokens + 1, vocabulary]
    gradients  of the log-likelihood by the embedding in every place: [tokens, size of an embedding]
    """

    before: torch.Tensor
    gradients: torch.Tensor


class SlopeFinder:
    """Finds slopes with the model and prompt of a scorer; each counts as one call."""

    def __init__(self, scorer: SentenceScorer) -> None:
        model = scorer.adapter.model
        if "inputs_embeds" not in internals.forward_parameters(model):
            raise ModelError(
                f"{type(model).__name__} takes no embeddings as input, so there is no gradient by them; "
                "use the decoder cgmh with it"
            )
        self.scorer = scorer
        self.embeddings = _embedding_matrix(model)  # [vocabulary, size]

    def at(self, tokens: TokenIds) -> Slope:
        """The slope at a sentence as it is."""
        return self._slope(tokens, self._embedded(tokens))

    def in_hole(self, hole: Hole) -> Slope:
        """The slope at a sentence with a hole in it, where the model reads what it expects there."""
        expected = self.scorer.next_logprobs(hole.before).exp() @ self.embeddings.float()
        parts = [self._embedded(hole.before), expected[None].to(self.embeddings), self._embedded(hole.after)]
        # The token in the hole is predicted by nobody: any id will do.
        return self._slope(hole.filled(-1), torch.cat(parts))

    def gains(self, slope: Slope, place: int) -> torch.Tensor:
        """First-order gain of every token in a place, but for a constant: [vocabulary], float32."""
        return slope.before[place] + self.embeddings.float() @ slope.gradients[place]

    def _embedded(self, tokens: TokenIds) -> torch.Tensor:
        return self.embeddings[torch.tensor(tokens, dtype=torch.long, device=self.embeddings.device)]

    def _slope(self, tokens: TokenIds, embedded: torch.Tensor) -> Slope:
        scorer = self.scorer
        reading = scorer.read(())
        scorer.calls += 1
        with torch.enable_grad():
            leaf = embedded.detach().clone().requires_grad_()  # [tokens, size]
            logits = self._run(leaf)  # [tokens, vocabulary]
            before = torch.cat([reading.after[None], torch.log_softmax(logits.float(), dim=-1)])
            end_ids = sorted(scorer.adapter.vocabulary.end_ids)
            logprob = before[-1, end_ids].max()
            for place, token in enumerate(tokens):
                if token >= 0:
                    logprob = logprob + before[place, token]
            (gradients,) = torch.autograd.grad(logprob, leaf)
        return Slope(before.detach(), gradients.float())

    def _run(self, leaf: torch.Tensor) -> torch.Tensor:
        """Scores after each token of a sentence given by its embeddings."""
        scorer = self.scorer
        if scorer.cached:
            cache = copy.deepcopy(scorer.read(()).cache)
            start = len(scorer.prompt.ids)
            given = leaf
        else:
            cache, start = None, 0
            given = torch.cat([self._embedded(scorer.prompt.ids), leaf])
        arguments = scorer.arguments(len(given), cache, start)
        output = scorer.adapter.model(inputs_embeds=given[None], **arguments)
        return output.logits[0, -len(leaf) :]


def _embedding_matrix(model: torch.nn.Module) -> torch.Tensor:
    """What the model reads for every token, [vocabulary, size]."""
    embedding = model.get_input_embeddings()  # type: ignore[operator]
    if type(embedding) is torch.nn.Embedding:
        return embedding.weight.detach()
    with torch.no_grad():  # some scale what they look up
        every = torch.arange(embedding.num_embeddings, device=embedding.weight.device)
        return embedding(every).detach()
