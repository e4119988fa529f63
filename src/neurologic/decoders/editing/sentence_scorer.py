"""What a causal language model thinks of whole sentences after a prompt.

The prompt is run once. The sentences of a batch mostly differ from a place on, so what they have in common is
run once as well, in one row, and only the rest in a row per sentence. Models whose cache cannot be continued
by several tokens at once (recurrent ones) and those without a cache run every sentence from the prompt on.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import torch

from neurologic.decoders.editing.sentence import Sentence
from neurologic.errors import ModelError
from neurologic.matching.vocabulary import TokenIds
from neurologic.models.base import EncodedPrompt
from neurologic.models.causal import CausalModel
from neurologic.models.internals import caches

# Beginnings of the sentence under edit that are remembered with their caches.
_KEPT_READINGS = 12
# Scores held at a time, in numbers: rows × tokens × vocabulary.
_MOST_SCORES = 1 << 26


class SentenceScorer(Protocol):
    """What an editor asks of a model."""

    calls: int

    def next_logprobs(self, opening: TokenIds) -> torch.Tensor:
        """Log-likelihoods of the token after a sentence's first ones, [vocabulary], float32."""

    def score(self, opening: TokenIds, rests: Sequence[TokenIds]) -> list[Sentence]:
        """The sentences that begin alike and go on with these tokens, in one batch."""


@dataclass(frozen=True, eq=False)
class PrefixState:
    """The model after the prompt and the first tokens of a sentence.

    tokens   of the sentence
    cache    keys and values of prompt and tokens; None where the model is run without one
    logprob  log-likelihood of the sentence's tokens
    after    log-likelihoods of what comes next, [vocabulary]
    """

    tokens: TokenIds
    cache: Any
    logprob: float
    after: torch.Tensor


class CausalSentenceScorer:
    """Scores sentences after one prompt. `calls` counts the sentences that the model has evaluated."""

    def __init__(self, adapter: CausalModel, prompt: EncodedPrompt) -> None:
        self.adapter = adapter
        self.prompt = prompt
        self.calls = 0
        self.cached = adapter.convention.cache_argument is not None and not adapter.convention.recurrent
        self._end_ids = torch.tensor(sorted(adapter.vocabulary.end_ids), device=adapter.model.device)
        self._readings: dict[TokenIds, PrefixState] = {}

    @property
    def device(self) -> torch.device:
        return self.adapter.model.device

    def next_logprobs(self, opening: TokenIds) -> torch.Tensor:
        return self.read(opening).after

    def score(self, opening: TokenIds, rests: Sequence[TokenIds]) -> list[Sentence]:
        reading = self.read(opening)
        width = max(map(len, rests), default=0)
        rows = max(1, _MOST_SCORES // (max(1, width) * len(self.adapter.vocabulary)))
        self.calls += len(rests)
        return [
            sentence
            for start in range(0, len(rests), rows)
            for sentence in self._score_rows(reading, rests[start : start + rows])
        ]

    # -- reading what sentences have in common -----------------------------------------------------

    def read(self, opening: TokenIds) -> PrefixState:
        """The model after the prompt and these tokens; goes on from the longest beginning that is known."""
        if not opening:
            return self._prompt_reading
        known = self._readings.pop(opening, None)
        if known is None:
            known = self._read_on(self._longest_known(opening), opening)
        self._readings[opening] = known  # behind the others: the one unused for longest is forgotten
        if len(self._readings) > _KEPT_READINGS:
            self._readings.pop(next(iter(self._readings)))
        return known

    def _longest_known(self, opening: TokenIds) -> PrefixState:
        beginnings = (opening[:length] for length in range(len(opening) - 1, 0, -1))
        known = next((tokens for tokens in beginnings if tokens in self._readings), None)
        return self._prompt_reading if known is None else self._readings[known]

    @torch.no_grad()
    def _read_on(self, known: PrefixState, opening: TokenIds) -> PrefixState:
        new = opening[len(known.tokens) :]
        logits, cache = self._run(known, [new])
        scores = torch.log_softmax(logits[0], dim=-1)  # [new tokens, vocabulary]
        here = torch.cat([known.after[None], scores[:-1]])
        wanted = torch.tensor(new, device=self.device)
        logprob = known.logprob + float(here.gather(1, wanted[:, None]).sum(dtype=torch.float64))
        return PrefixState(opening, cache, logprob, scores[-1].clone())

    @cached_property
    @torch.no_grad()
    def _almost_prompt(self) -> Any:
        """The cache after all of the prompt but its last token; None where the model is run without one."""
        if not self.cached:
            return None
        cache = caches.new_cache(self.adapter.model)
        *ids, _ = self.prompt.ids
        return self._forward(torch.tensor([ids], device=self.device), cache, 0)[1] if ids else cache

    def before_last(self) -> Any:
        """A copy of that cache, after which the prompt's last token is still to be read."""
        return copy.deepcopy(self._almost_prompt)

    @cached_property
    @torch.no_grad()
    def _prompt_reading(self) -> PrefixState:
        known = len(self.prompt.ids) - 1 if self.cached else 0
        ids = torch.tensor([self.prompt.ids[known:]], device=self.device)
        logits, cache = self._forward(ids, self.before_last(), known)
        return PrefixState((), cache, 0.0, torch.log_softmax(logits[0, -1].float(), dim=-1))

    # -- scoring the rest --------------------------------------------------------------------------

    @torch.no_grad()
    def _score_rows(self, reading: PrefixState, rests: Sequence[TokenIds]) -> list[Sentence]:
        """Each row's log-likelihood, and its likeliest end."""
        width = max(map(len, rests))
        after = reading.after.expand(len(rests), 1, -1)  # [rows, 1, vocabulary]
        if width:
            logits, _ = self._run(reading, rests)
            after = torch.cat([after, torch.log_softmax(logits, dim=-1)], dim=1)
        padded = [[*rest, *[self.adapter.pad_id] * (width - len(rest))] for rest in rests]
        tokens = torch.tensor(padded, dtype=torch.long, device=self.device)  # [rows, width]
        each = after[:, :-1].gather(2, tokens[..., None])[..., 0].double()
        lengths = torch.tensor([len(rest) for rest in rests], device=self.device)
        inside = torch.arange(width, device=self.device) < lengths[:, None]
        written = torch.where(inside, each, 0.0).sum(dim=1)
        last = after[torch.arange(len(rests), device=self.device), lengths]  # [rows, vocabulary]
        ending, which = last[:, self._end_ids].double().max(dim=1)
        ends = self._end_ids[which].tolist()
        totals = (reading.logprob + written + ending).tolist()
        return [
            Sentence(reading.tokens + tuple(rest), end, total)
            for rest, end, total in zip(rests, ends, totals, strict=True)
        ]

    def _run(self, reading: PrefixState, rests: Sequence[TokenIds]) -> tuple[torch.Tensor, Any]:
        """Scores after each further token, [rows, width, vocabulary], padded on the right; and the cache.

        Padding on the right needs no mask: a causal model sees it from behind only.
        """
        width = max(map(len, rests))
        pad = self.adapter.pad_id
        known = () if self.cached else (*self.prompt.ids, *reading.tokens)
        rows = [[*known, *rest, *[pad] * (width - len(rest))] for rest in rests]
        cache = None
        if self.cached:
            cache = copy.deepcopy(reading.cache)
            if len(rests) > 1:
                caches.reorder(cache, torch.zeros(len(rests), dtype=torch.long, device=self.device))
        start = len(self.prompt.ids) + len(reading.tokens) if self.cached else 0
        logits, cache = self._forward(torch.tensor(rows, device=self.device), cache, start)
        return logits[:, -width:].float(), cache

    def _forward(self, ids: torch.Tensor, cache: Any, start: int) -> tuple[torch.Tensor, Any]:
        output = self.adapter.model(input_ids=ids, **self.arguments(ids.shape[1], cache, start))
        if bool(torch.isnan(output.logits[:, -1]).any()):
            raise ModelError(
                "the model's scores are not numbers (NaN); half precision on a CPU or a damaged checkpoint "
                "are the usual causes: try dtype=float32"
            )
        cache = getattr(output, self.adapter.convention.cache_argument or "", None) if self.cached else None
        return output.logits, cache

    def arguments(self, width: int, cache: Any, start: int) -> dict[str, Any]:
        """What the forward pass takes beside the tokens, of which the first has the position `start`."""
        convention = self.adapter.convention
        arguments: dict[str, Any] = {"return_dict": True}
        if convention.cache_argument:
            arguments["use_cache"] = self.cached
        if self.cached and convention.cache_argument:
            arguments[convention.cache_argument] = cache
        if convention.takes_positions:
            start += convention.first_position
            arguments["position_ids"] = torch.arange(start, start + width, device=self.device)[None]
        return arguments
