"""Causal language models (GPT-2, Llama, Qwen, Mistral, Mamba, …) behind the protocol of `base`.

A batch of prompts is run once, padded on the left; after that every step is one token per row. Scores of
padded and unpadded prompts agree up to floating-point noise; models that cannot be padded run prompts of
different lengths apart. Limits: text only; one cache per decoding that grows with the text, and none where
its rows cannot be moved (then every step reads the whole text anew); nothing is moved between devices but
the indices that `advance` gets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from neurologic.errors import ModelError, PromptError
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models.base import EncodedPrompt
from neurologic.models.internals import caches, calls, support
from neurologic.models.rows import CachedRows, detached_logits
from neurologic.models.separate import SeparateRows, start_separately


class CausalModel:
    """A causal model that prompts can be started on; holds no state of its own."""

    def __init__(self, model: Any, vocabulary: Vocabulary, *, pad_id: int = 0) -> None:
        support.require_supported(model)
        self.model = model
        self.vocabulary = vocabulary
        self.pad_id = pad_id
        self.traits = calls.causal_traits(model)

    def start(self, prompts: Sequence[EncodedPrompt]) -> CachedRows | SeparateRows:
        if not prompts or not all(prompt.ids for prompt in prompts):
            raise PromptError("a causal model needs at least one token of prompt")
        if self.traits.can_pad:
            return self._start_together(prompts)
        return start_separately(
            prompts, lambda prompt: len(prompt.ids), self._start_together, pad_id=self.pad_id
        )

    def _start_together(self, prompts: Sequence[EncodedPrompt]) -> CausalDecoding:
        return CausalDecoding(self, [prompt.ids for prompt in prompts])


class CausalDecoding(CachedRows):
    """Rows under way in one causal model."""

    def __init__(self, owner: CausalModel, prompts: Sequence[Sequence[int]]) -> None:
        self._owner = owner
        device = calls.input_device(owner.model)
        padding = [max(map(len, prompts)) - len(ids) for ids in prompts]
        self._ids = torch.tensor(
            [[owner.pad_id] * pads + list(ids) for pads, ids in zip(padding, prompts, strict=True)],
            device=device,
        )  # [rows, length], int64
        self._padding = torch.tensor(padding, device=device)[:, None]  # [rows, 1]
        # Without padding no mask is needed, which lets models take their fastest path.
        self._mask: torch.Tensor | None = None
        if any(padding):
            columns = torch.arange(self._ids.shape[1], device=device)
            self._mask = (columns >= self._padding).long()  # [rows, length]
        with torch.inference_mode():
            self._cache: Any = caches.new_cache(owner.model) if owner.traits.cache_argument else None
        self._logits = self._forward(new=self._ids.shape[1])

    def _take_rows(self, parents: torch.Tensor) -> None:
        parents = parents.to(self._ids.device)
        self._ids = self._ids.index_select(0, parents)
        self._padding = self._padding.index_select(0, parents)
        if self._mask is not None:
            self._mask = self._mask.index_select(0, parents)
        if self._cache is not None:
            with torch.inference_mode():
                caches.reorder(self._cache, parents)

    def _read(self, tokens: torch.Tensor) -> torch.Tensor:
        if self._mask is not None:
            self._mask = torch.cat([self._mask, self._mask.new_ones(len(tokens), 1)], dim=1)
        return self._forward(new=1)

    def rewind(self, count: int, logits: torch.Tensor) -> None:
        super().rewind(count, logits)
        if self._mask is not None:
            self._mask = self._mask[:, : self._ids.shape[1]]

    def join(self, other: CausalDecoding) -> None:
        super().join(other)
        self._padding = torch.cat([self._padding, other._padding])
        # Both come from the same batch of prompts, so that both have a mask or none has.
        if self._mask is not None and other._mask is not None:
            self._mask = torch.cat([self._mask, other._mask])

    def _forward(self, new: int) -> torch.Tensor:
        """Run the last `new` columns, of which the cache knows nothing yet."""
        model, traits = self._owner.model, self._owner.traits
        length = self._ids.shape[1]
        begin = length - new if traits.cache_argument else 0  # without a cache everything is run again
        arguments: dict[str, Any] = {**traits.last_logits_only, **traits.whole_text}
        if traits.cache_argument:
            arguments.update({traits.cache_argument: self._cache, "use_cache": True})
        if traits.takes_positions:
            columns = torch.arange(begin, length, device=self._ids.device)
            arguments["position_ids"] = (columns - self._padding).clamp(min=0) + traits.first_position
        # A recurrent state has swallowed the padding already; its mask speaks of the new columns only.
        if self._mask is not None and not (traits.recurrent and begin):
            arguments["attention_mask"] = self._mask
        with torch.inference_mode():
            output = model(input_ids=self._ids[:, begin:], return_dict=True, **arguments)
        if traits.cache_argument:
            self._cache = getattr(output, traits.cache_argument, None)
            if self._cache is None:
                raise ModelError(f"{type(model).__name__} returned no cache")
        return detached_logits(output)
