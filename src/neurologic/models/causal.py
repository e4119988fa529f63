"""Causal language models (GPT-2, Llama, Qwen, Mistral, Mamba, …) behind the protocol of `base`.

A batch of prompts is run once, and what all of them begin with only once for all. After that every step is
one token per row: as branches of one tree per input where the model can read that (`tree`), otherwise row by
row. Prompts are padded on the left, or behind their common beginning; scores of padded and unpadded prompts
agree up to floating-point noise. Models that cannot be padded run prompts of different lengths apart. Limits:
text only; one cache per decoding that grows with the text, and none where its rows cannot be moved (then
every step reads the whole text anew); nothing is moved between devices but the indices that `advance` gets.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import torch

from neurologic.errors import ModelError, PromptError
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models.base import EncodedPrompt
from neurologic.models.internals import caches, calls, support
from neurologic.models.rows import CachedRows, detached_logits
from neurologic.models.separate import SeparateRows, start_separately
from neurologic.models.tree import (
    WORTH_SHARING,
    TreeDecoding,
    can_share_columns,
    common_beginning,
    reads_trees,
)


class CausalModel:
    """A causal model that prompts can be started on; holds no state of its own."""

    def __init__(self, model: Any, vocabulary: Vocabulary, *, pad_id: int = 0) -> None:
        support.require_supported(model)
        self.model = model
        self.vocabulary = vocabulary
        self.pad_id = pad_id
        self.traits = calls.causal_traits(model)

    @cached_property
    def reads_trees(self) -> bool:
        """Whether the rows of an input can share one line of the cache; tried when first needed."""
        return reads_trees(self)

    def start(self, prompts: Sequence[EncodedPrompt]) -> TreeDecoding | CachedRows | SeparateRows:
        if not prompts or not all(prompt.ids for prompt in prompts):
            raise PromptError("a causal model needs at least one token of prompt")
        if not self.traits.can_pad:
            return start_separately(
                prompts, lambda prompt: len(prompt.ids), self.read_prompts, pad_id=self.pad_id
            )
        rows = self.read_prompts(prompts)
        return TreeDecoding(self, rows) if self.reads_trees else rows

    def read_prompts(
        self, prompts: Sequence[EncodedPrompt], begun: tuple[Any, int] | None = None
    ) -> CausalDecoding:
        """Ordinary rows, one per prompt.

        begun  the cache, with one line, of a number of tokens that all prompts begin with
        """
        ids = [prompt.ids for prompt in prompts]
        if begun is None and len(prompts) > 1 and can_share_columns(self):
            shared = common_beginning(ids)
            if shared >= WORTH_SHARING:
                begun = CausalDecoding(self, [ids[0][:shared]]).cache, shared
        return CausalDecoding(self, ids, begun)


class CausalDecoding(CachedRows):
    """Rows under way in one causal model."""

    def __init__(
        self, owner: CausalModel, prompts: Sequence[Sequence[int]], begun: tuple[Any, int] | None = None
    ) -> None:
        """Read prompts; of what they begin with, `begun` is the cache, with one line, and the length."""
        self._owner = owner
        device = calls.input_device(owner.model)
        longest = max(map(len, prompts))
        padding = [longest - len(ids) for ids in prompts]
        shared = begun[1] if begun is not None else 0
        self._ids = _left_padded(prompts, longest, owner.pad_id, device)  # [rows, length], int64
        self._padding = torch.tensor(padding, device=device)[:, None]  # [rows, 1]
        # Without padding no mask is needed, which lets models take their fastest path.
        self._mask: torch.Tensor | None = None
        if any(padding):
            # Padding stands after what the prompts share.
            columns = torch.arange(longest, device=device)
            self._mask = ((columns < shared) | (columns >= shared + self._padding)).long()  # [rows, length]
        self._cache: Any = None
        with torch.inference_mode():
            if begun is not None:
                self._cache = begun[0]
                caches.reorder(self._cache, torch.zeros(len(prompts), dtype=torch.long, device=device))
            elif owner.traits.cache_argument:
                self._cache = caches.new_cache(owner.model)
        rest = [ids[shared:] for ids in prompts]
        self._logits = self._forward(_left_padded(rest, longest - shared, owner.pad_id, device))

    @classmethod
    def resumed(
        cls,
        owner: CausalModel,
        ids: torch.Tensor,
        padding: torch.Tensor,
        mask: torch.Tensor | None,
        cache: Any,
        logits: torch.Tensor,
    ) -> CausalDecoding:
        """Rows that have been read elsewhere.

        ids      [rows, length], padded on the left
        padding  of every row, [rows]
        mask     [rows, length], None where nothing is padded
        cache    of [rows, length]
        logits   [rows, vocabulary]
        """
        rows = cls.__new__(cls)
        rows._owner = owner
        rows._ids, rows._padding, rows._mask = ids, padding[:, None], mask
        rows._cache, rows._logits = cache, logits
        return rows

    @property
    def cache(self) -> Any:
        """The model's cache; whoever takes it goes on in the place of this decoding."""
        return self._cache

    def visible_columns(self) -> torch.Tensor:
        """Which columns of the cache belong to a row's text: bool [rows, length]."""
        return torch.ones_like(self._ids, dtype=torch.bool) if self._mask is None else self._mask.bool()

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
        return self._forward(tokens[:, None])

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

    def _forward(self, new: torch.Tensor) -> torch.Tensor:
        """Run new columns, [rows, columns], the last ones of `_ids`, of which the cache knows nothing yet."""
        model, traits = self._owner.model, self._owner.traits
        length = self._ids.shape[1]
        if not traits.cache_argument:
            new = self._ids  # without a cache everything is run again
        begin = length - new.shape[1]
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
            output = model(input_ids=new, return_dict=True, **arguments)
        if traits.cache_argument:
            self._cache = getattr(output, traits.cache_argument, None)
            if self._cache is None:
                raise ModelError(f"{type(model).__name__} returned no cache")
        return detached_logits(output)


def _left_padded(
    rows: Sequence[Sequence[int]], width: int, pad_id: int, device: torch.device
) -> torch.Tensor:
    """Rows of tokens padded on the left, [rows, width]."""
    return torch.tensor([[pad_id] * (width - len(row)) + list(row) for row in rows], device=device)
