"""Run a masked model as a sequence-to-sequence model: the attention mask and the cache of one forward pass.

The source sees all of itself. A target position sees the source, the target before it, and itself. The mask
token is in the last target position, so the same rule holds for it, and no written token ever sees it.
The forward pass gets all this as ordinary arguments. Only the cache reaches inside the model: during a
call, `AttentionCache` puts the keys and values of earlier calls before those that torch's
`scaled_dot_product_attention` gets, in this thread only. The model itself stays unchanged.

Limit: `probe` finds out by trying whether a model follows these arguments.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import torch
from torch.overrides import TorchFunctionMode
from transformers import DynamicCache

from neurologic.errors import ModelError

_attend: Callable[..., torch.Tensor] = torch.nn.functional.scaled_dot_product_attention


@dataclass(frozen=True)
class MaskedConvention:
    """How to call a masked model.

    first_position  the id of the first position (RoBERTa's family starts after the padding token's id); None
                    if the model numbers positions itself
    type_ids        token types of source and target; None if the model has no types
    window          how far layers with local attention see to either side; None if it has no such layers
    cached          whether keys and values can be kept between calls
    """

    first_position: int | None
    type_ids: tuple[int, int] | None
    window: int | None
    cached: bool


@dataclass(frozen=True)
class Columns:
    """The place of each column of a batch in its text.

    positions  [rows, columns], int64: the place in the row's own text, without padding
    is_real    [rows, columns], bool: False for padding
    lengths    [rows, 1], int64: the length of the source with its special tokens
    """

    positions: torch.Tensor
    is_real: torch.Tensor
    lengths: torch.Tensor

    @classmethod
    def padded_between(cls, lengths: torch.Tensor, width: int, written: int) -> Columns:
        """Place sources padded to `width` columns, then `written` columns of target, as in the cache."""
        column = torch.arange(width + written, device=lengths.device)
        positions = torch.where(column < width, column, lengths + column - width)
        return cls(positions, (column < lengths) | (column >= width), lengths)

    @classmethod
    def padded_behind(cls, lengths: torch.Tensor, width: int, written: int) -> Columns:
        """Place source and target without a gap, padded behind, for sources of at most `width` tokens.

        A model that takes distances between tokens from their columns then sees the right ones.
        """
        column = torch.arange(width + written, device=lengths.device)
        positions = column.expand(lengths.shape[0], -1)
        return cls(positions, column < lengths + written, lengths)

    def visible(self, new: int, window: int | None = None) -> torch.Tensor:
        """Return which columns each of the last `new` columns sees: [rows, new, columns], bool."""
        begin = self.positions.shape[1] - new
        query = self.positions[:, begin:, None]  # [rows, new, 1]
        key = self.positions[:, None, :]  # [rows, 1, columns]
        length = self.lengths[:, :, None]  # [rows, 1, 1]
        seen = torch.where(query < length, key < length, key <= query) & self.is_real[:, None, :]
        if window is not None:
            seen &= (query - key).abs() <= window
        # Padding sees itself, since a softmax over nothing is not a number; no other column sees padding.
        own = torch.eye(self.positions.shape[1], dtype=torch.bool, device=seen.device)
        return seen | own[begin:]


def run(
    model: Any,
    convention: MaskedConvention,
    ids: torch.Tensor,
    columns: Columns,
    cache: AttentionCache | None = None,
) -> torch.Tensor:
    """Run the last columns with the tokens `ids` [rows, new]; return scores, [rows, new, vocabulary]."""
    new = ids.shape[1]
    positions = columns.positions[:, columns.positions.shape[1] - new :]  # [rows, new]
    arguments: dict[str, Any] = {"attention_mask": _attention_mask(model, convention, columns, new)}
    if convention.first_position is not None:
        arguments["position_ids"] = positions + convention.first_position
    if convention.type_ids is not None:
        source, target = convention.type_ids
        arguments["token_type_ids"] = torch.where(positions < columns.lengths, source, target)
    with torch.inference_mode(), cache or contextlib.nullcontext():
        return model(input_ids=ids, return_dict=True, **arguments).logits


def _attention_mask(model: Any, convention: MaskedConvention, columns: Columns, new: int) -> Any:
    """Return the mask that attention adds to its scores, 0 or the least number: [rows, 1, new, columns]."""

    def added(window: int | None) -> torch.Tensor:
        seen = columns.visible(new, window)[:, None]
        nothing = torch.zeros((), dtype=model.dtype, device=seen.device)
        return torch.where(seen, nothing, torch.finfo(model.dtype).min)

    if convention.window is None:
        return added(None)
    # Models with two kinds of layers take a mask for each kind, named as in their config.
    return {"full_attention": added(None), "sliding_attention": added(convention.window)}


class AttentionCache(TorchFunctionMode):
    """Keys and values of earlier calls, one layer of `cache` per call of attention in a forward pass.

    Counting calls instead of asking modules keeps the layers of ALBERT apart, which share one module.
    Function modes of torch belong to the thread that enters them.
    """

    def __init__(self, cache: DynamicCache) -> None:
        super().__init__()
        self.cache = cache
        self._calls = 0

    def __enter__(self) -> Self:
        self._calls = 0
        super().__enter__()
        return self

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        super().__exit__(exc_type, exc_value, traceback)
        if exc_type is None and (self._calls == 0 or self._calls != len(self.cache.layers)):
            raise ModelError(
                f"the model called torch's attention {self._calls} times, but the cache has "
                f'{len(self.cache.layers)} layers. Its attention must stay "sdpa" after wrapping'
            )

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is _attend:
            return self._attend(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))

    def _attend(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attn_mask: torch.Tensor | None = None,
        *others: Any,
        **options: Any,
    ) -> torch.Tensor:
        key, value = self.cache.update(key, value, self._calls)
        self._calls += 1
        if attn_mask is None or attn_mask.shape[-1] != key.shape[-2]:
            raise ModelError("the model does not pass the attention mask on to its attention")
        return _attend(query, key, value, attn_mask, *others, **options)
