"""Rows of a causal model, each with its own line in the cache.

Prompts are padded on the left, or behind the beginning that all of them share; scores of padded and unpadded
prompts agree up to floating-point noise. Limits: the cache grows with the text; if the rows of a
model's cache cannot be moved, it reads the whole text again at every step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Any

import torch

from neurologic.errors import ModelError
from neurologic.models.cached_rows import CachedRows, detached_logits
from neurologic.models.internals import caches
from neurologic.models.internals.calling_convention import causal_convention, input_device
from neurologic.models.token_rows import left_padded

# Reading a common beginning in a forward pass of its own pays off from this many tokens on.
WORTH_SHARING = 16
# These models count their attention windows in columns, and a short trial need not reach a window's end.
_WINDOWS_OF_COLUMNS = {"gpt_neo"}


@dataclass(frozen=True)
class ReadPrefix:
    """The tokens that several prompts begin with, already read.

    cache   one line with the keys and values of these tokens
    length  their number
    """

    cache: Any
    length: int


class CausalReader:
    """Reads prompts with a causal model."""

    def __init__(self, model: Any, pad_id: int) -> None:
        self.model = model
        self.pad_id = pad_id
        self.convention = causal_convention(model)

    @cached_property
    def columns_can_move(self) -> bool:
        """Whether a token's column may be anywhere in the cache.

        It may if positions and masks alone say where the token is in its text.
        """
        return (
            self.convention.cache_argument == "past_key_values"
            and self.convention.takes_positions
            and self.convention.can_pad
            and caches.is_plain(caches.new_cache(self.model))
            and self.model.config.model_type not in _WINDOWS_OF_COLUMNS
        )

    def read(self, prompts: Sequence[Sequence[int]], prefix: ReadPrefix | None = None) -> CausalRows:
        """Return one row per prompt; all prompts begin with `prefix` if there is one."""
        if prefix is None and len(prompts) > 1 and self.columns_can_move:
            length = common_beginning(prompts)
            if length >= WORTH_SHARING:
                prefix = ReadPrefix(self.read([prompts[0][:length]]).cache, length)
        device = input_device(self.model)
        shared = 0 if prefix is None else prefix.length
        longest = max(map(len, prompts))
        padding = torch.tensor([[longest - len(ids)] for ids in prompts], device=device)  # [rows, 1]
        # Without padding no mask is needed, which lets models take their fastest path.
        mask = None
        if min(map(len, prompts)) < longest:
            columns = torch.arange(longest, device=device)
            mask = ((columns < shared) | (columns >= shared + padding)).long()  # [rows, longest]
        cache = None
        with torch.inference_mode():
            if prefix is not None:
                cache = prefix.cache
                caches.reorder(cache, torch.zeros(len(prompts), dtype=torch.long, device=device))
            elif self.convention.cache_argument:
                cache = caches.new_cache(self.model)
        ids = left_padded(prompts, longest, self.pad_id).to(device)
        rows = CausalRows(self, ids, padding, mask, cache)
        rest = [prompt[shared:] for prompt in prompts]
        rows.run(left_padded(rest, longest - shared, self.pad_id).to(device))
        return rows


class CausalRows(CachedRows):
    """Unfinished texts in a causal model.

    ids      [rows, length], int64, padded on the left
    padding  [rows, 1], the number of padding tokens of each row
    mask     [rows, length], 1 where a column belongs to the row's text; None if nothing is padded
    cache    the keys and values of [rows, length]
    logits   [rows, vocabulary]; `run` makes them if the rows have not been read yet
    """

    def __init__(
        self,
        reader: CausalReader,
        ids: torch.Tensor,
        padding: torch.Tensor,
        mask: torch.Tensor | None,
        cache: Any,
        logits: torch.Tensor | None = None,
    ) -> None:
        self._reader = reader
        self._ids, self._padding, self._mask, self._cache = ids, padding, mask, cache
        if logits is not None:
            self._logits = logits

    @property
    def cache(self) -> Any:
        """The model's cache; whoever takes it replaces these rows."""
        return self._cache

    def visible_columns(self) -> torch.Tensor:
        """Return which columns of the cache belong to each row's text: bool [rows, length]."""
        return torch.ones_like(self._ids, dtype=torch.bool) if self._mask is None else self._mask.bool()

    def run(self, new: torch.Tensor) -> None:
        """Run the last columns of `ids`, [rows, columns], which the cache does not hold yet."""
        model, convention = self._reader.model, self._reader.convention
        length = self._ids.shape[1]
        if not convention.cache_argument:
            new = self._ids  # without a cache the model reads everything again
        begin = length - new.shape[1]
        arguments: dict[str, Any] = {**convention.last_logits_only, **convention.whole_text}
        if convention.cache_argument:
            arguments.update({convention.cache_argument: self._cache, "use_cache": True})
        if convention.takes_positions:
            columns = torch.arange(begin, length, device=self._ids.device)
            arguments["position_ids"] = (columns - self._padding).clamp(min=0) + convention.first_position
        # A recurrent state has swallowed the padding already, so its mask covers the new columns only.
        if self._mask is not None and not (convention.recurrent and begin):
            arguments["attention_mask"] = self._mask
        with torch.inference_mode():
            output = model(input_ids=new, return_dict=True, **arguments)
        if convention.cache_argument:
            self._cache = getattr(output, convention.cache_argument, None)
            if self._cache is None:
                raise ModelError(f"{type(model).__name__} returned no cache")
        self._logits = detached_logits(output)

    def _take_rows(self, parents: torch.Tensor) -> None:
        parents = parents.to(self._ids.device)
        self._ids = self._ids.index_select(0, parents)
        self._padding = self._padding.index_select(0, parents)
        if self._mask is not None:
            self._mask = self._mask.index_select(0, parents)
        if self._cache is not None:
            with torch.inference_mode():
                caches.reorder(self._cache, parents)

    def _read(self, tokens: torch.Tensor) -> None:
        if self._mask is not None:
            self._mask = torch.cat([self._mask, self._mask.new_ones(len(tokens), 1)], dim=1)
        self.run(tokens[:, None])

    def rewind(self, count: int, logits: torch.Tensor) -> None:
        super().rewind(count, logits)
        if self._mask is not None:
            self._mask = self._mask[:, : self._ids.shape[1]]

    def join(self, other: CausalRows) -> None:
        super().join(other)
        self._padding = torch.cat([self._padding, other._padding])
        # Both come from the same batch of prompts, so either both have a mask or neither has.
        if self._mask is not None and other._mask is not None:
            self._mask = torch.cat([self._mask, other._mask])


def common_beginning(prompts: Sequence[Sequence[int]]) -> int:
    """Return how many tokens all prompts begin with, leaving each at least one token of its own.

    >>> common_beginning([(1, 2, 3), (1, 2, 4, 5)])
    2
    """
    together = zip(*(prompt[:-1] for prompt in prompts), strict=False)
    return sum(1 for _ in takewhile(lambda tokens: len(set(tokens)) == 1, together))
