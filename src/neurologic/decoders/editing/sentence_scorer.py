"""Score whole sentences after a prompt with a causal language model.

The model reads the prompt once. The sentences of a batch mostly differ from a place on, so the model reads
their common beginning once as well, in one row, and only the rest in a row per sentence. Models with a cache
that takes one token at a time (recurrent ones), or without a cache, read every sentence from the prompt on.
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

# How many beginnings of the edited sentence to remember with their caches.
_KEPT_PREFIXES = 12
# The most scores at a time: rows × tokens × vocabulary.
_MOST_SCORES = 1 << 26


class SentenceScorer(Protocol):
    """A model as editors use it; `calls` counts the sentences that it has evaluated."""

    calls: int

    def next_logprobs(self, opening: TokenIds) -> torch.Tensor:
        """Return log-likelihoods of the token after a sentence's first ones, [vocabulary], float32."""

    def score(self, opening: TokenIds, rests: Sequence[TokenIds]) -> list[Sentence]:
        """Score the sentences that begin with `opening` and continue with each of `rests`, in one batch."""


@dataclass(frozen=True, eq=False)
class PrefixState:
    """The model after the prompt and the first tokens of a sentence.

    tokens   the sentence's first tokens
    cache    keys and values of prompt and tokens; None where the model runs without one
    logprob  log-likelihood of the sentence's tokens
    after    log-likelihoods of the next token, [vocabulary]
    """

    tokens: TokenIds
    cache: Any
    logprob: float
    after: torch.Tensor


class CausalSentenceScorer:
    """Scores sentences after one prompt."""

    def __init__(self, adapter: CausalModel, prompt: EncodedPrompt) -> None:
        self.adapter = adapter
        self.prompt = prompt
        self.calls = 0
        self.cached = adapter.convention.cache_argument is not None and not adapter.convention.recurrent
        self._end_ids = torch.tensor(sorted(adapter.vocabulary.end_ids), device=adapter.model.device)
        self._prefixes: dict[TokenIds, PrefixState] = {}

    @property
    def device(self) -> torch.device:
        return self.adapter.model.device

    def next_logprobs(self, opening: TokenIds) -> torch.Tensor:
        return self.read(opening).after

    def score(self, opening: TokenIds, rests: Sequence[TokenIds]) -> list[Sentence]:
        prefix = self.read(opening)
        width = max(map(len, rests), default=0)
        rows = max(1, _MOST_SCORES // (max(1, width) * len(self.adapter.vocabulary)))
        self.calls += len(rests)
        return [
            sentence
            for start in range(0, len(rests), rows)
            for sentence in self._score_rows(prefix, rests[start : start + rows])
        ]

    # -- reading the common beginning --------------------------------------------------------------

    def read(self, opening: TokenIds) -> PrefixState:
        """Read on after the prompt and these tokens, from the longest known beginning."""
        if not opening:
            return self._prompt_state
        known = self._prefixes.pop(opening, None)
        if known is None:
            known = self._read_on(self._longest_known(opening), opening)
        self._prefixes[opening] = known  # at the end: the first one has been unused for longest
        if len(self._prefixes) > _KEPT_PREFIXES:
            self._prefixes.pop(next(iter(self._prefixes)))
        return known

    def _longest_known(self, opening: TokenIds) -> PrefixState:
        beginnings = (opening[:length] for length in range(len(opening) - 1, 0, -1))
        known = next((tokens for tokens in beginnings if tokens in self._prefixes), None)
        return self._prompt_state if known is None else self._prefixes[known]

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
        """The cache after all of the prompt but its last token; None where the model runs without one."""
        if not self.cached:
            return None
        cache = caches.new_cache(self.adapter.model)
        *ids, _ = self.prompt.ids
        return self._forward(torch.tensor([ids], device=self.device), cache, 0)[1] if ids else cache

    def before_last(self) -> Any:
        """Return a copy of the cache after all of the prompt but its last token."""
        return copy.deepcopy(self._almost_prompt)

    @cached_property
    @torch.no_grad()
    def _prompt_state(self) -> PrefixState:
        known = len(self.prompt.ids) - 1 if self.cached else 0
        ids = torch.tensor([self.prompt.ids[known:]], device=self.device)
        logits, cache = self._forward(ids, self.before_last(), known)
        return PrefixState((), cache, 0.0, torch.log_softmax(logits[0, -1].float(), dim=-1))

    # -- scoring the rest --------------------------------------------------------------------------

    @torch.no_grad()
    def _score_rows(self, prefix: PrefixState, rests: Sequence[TokenIds]) -> list[Sentence]:
        """Score one batch of sentences, each with its likeliest end."""
        width = max(map(len, rests))
        after = prefix.after.expand(len(rests), 1, -1)  # [rows, 1, vocabulary]
        if width:
            logits, _ = self._run(prefix, rests)
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
        totals = (prefix.logprob + written + ending).tolist()
        return [
            Sentence(prefix.tokens + tuple(rest), end, total)
            for rest, end, total in zip(rests, ends, totals, strict=True)
        ]

    def _run(self, prefix: PrefixState, rests: Sequence[TokenIds]) -> tuple[torch.Tensor, Any]:
        """Return scores after each further token, [rows, width, vocabulary], and the cache.

        Rows are padded on the right, which needs no mask: no token of a causal model sees the padding.
        """
        width = max(map(len, rests))
        pad = self.adapter.pad_id
        known = () if self.cached else (*self.prompt.ids, *prefix.tokens)
        rows = [[*known, *rest, *[pad] * (width - len(rest))] for rest in rests]
        cache = None
        if self.cached:
            cache = copy.deepcopy(prefix.cache)
            if len(rests) > 1:
                caches.reorder(cache, torch.zeros(len(rests), dtype=torch.long, device=self.device))
        start = len(self.prompt.ids) + len(prefix.tokens) if self.cached else 0
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
        """Return the arguments of a forward pass beside its tokens, the first of them at position `start`."""
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
