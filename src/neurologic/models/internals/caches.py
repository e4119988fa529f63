"""Work with caches of transformers: make, copy, rewind and join them, move their rows and columns."""

from __future__ import annotations

import copy
from typing import Any

import torch
from transformers import DynamicCache, EncoderDecoderCache
from transformers.cache_utils import DynamicLayer

# These models keep their state in themselves, where rows cannot be moved: every step reads the whole text.
_STATE_IN_THE_MODEL = {"recurrent_gemma"}


def new_cache(model: Any) -> Any:
    """Return an empty cache; None for models that make their own in the first forward pass."""
    if not model._supports_default_dynamic_cache():
        return None
    config = model.config.get_text_config(decoder=True)
    if not model.config.is_encoder_decoder:
        return DynamicCache(config=config)
    own = DynamicCache(config=config)
    if is_plain(own):
        own = DynamicCache()  # grows as needed: T5's config counts the encoder's layers, not the decoder's
    # The encoder's cache keeps every position of the input: windows apply to the decoder's own text.
    return EncoderDecoderCache(own, DynamicCache())


def can_move_rows(model: Any) -> bool:
    """Return whether the layers of a model's cache let their rows be copied, moved and dropped.

    A layer of the model's own may keep more than keys and values; unless it reorders rows itself, moving
    them would leave the rest behind.
    """
    if model.config.model_type in _STATE_IN_THE_MODEL or not model._supports_default_dynamic_cache():
        return False
    return all(
        type(layer).__module__ == DynamicLayer.__module__ or "reorder_cache" in vars(type(layer))
        for layer in own_layers(new_cache(model))
    )


def own_layers(cache: Any) -> list[Any]:
    """Return the layers of a cache; with an encoder, those of the decoder's own positions."""
    return getattr(cache, "self_attention_cache", cache).layers


def reorder(cache: Any, index: torch.Tensor) -> None:
    """Let row i become a copy of row index[i]; the number of rows may change."""
    cache.reorder_cache(index)


def reorder_own(cache: Any, index: torch.Tensor) -> None:
    """Do the same for the decoder's own positions only; the encoder's stay."""
    getattr(cache, "self_attention_cache", cache).reorder_cache(index)


def is_plain(cache: Any) -> bool:
    """Return whether a cache holds keys and values of every position and nothing else."""
    own = getattr(cache, "self_attention_cache", cache)
    return type(own) is DynamicCache and all(type(layer) is DynamicLayer for layer in own.layers)


def fork(cache: Any) -> Any:
    """Return an independent copy; the two share keys and values until one of them grows."""
    if cache is None:
        return None
    if not is_plain(cache):
        return copy.deepcopy(cache)  # models change recurrent states in place
    other = copy.copy(cache)
    if isinstance(cache, EncoderDecoderCache):
        other.self_attention_cache = fork(cache.self_attention_cache)
        other.cross_attention_cache = fork(cache.cross_attention_cache)
        other.is_updated = dict(cache.is_updated)
    else:
        # Plain layers replace their tensors and never change them.
        other.layers = [copy.copy(layer) for layer in cache.layers]
    return other


def rewind(cache: Any, count: int) -> None:
    """Drop the last positions of a plain cache; the encoder's stay."""
    getattr(cache, "self_attention_cache", cache).crop(-count)


def join(cache: Any, other: Any) -> None:
    """Append the rows of another plain cache of the same length."""
    if isinstance(cache, EncoderDecoderCache):
        join(cache.self_attention_cache, other.self_attention_cache)
        join(cache.cross_attention_cache, other.cross_attention_cache)
        return
    for layer, more in zip(cache.layers, other.layers, strict=True):
        if not layer.is_initialized:  # a layer that shares the keys of another one
            continue
        layer.keys = torch.cat([layer.keys, more.keys])
        layer.values = torch.cat([layer.values, more.values])


def take_columns(cache: Any, inputs: torch.Tensor, columns: torch.Tensor) -> None:
    """Let row i of a plain cache become columns[i] of row inputs[i]; columns is [rows, columns], int64."""
    for layer in cache.layers:
        if not layer.is_initialized:
            continue
        _, heads, width, _ = layer.keys.shape
        # Seen as one list of vectors, `index_select` copies whole ones: several times faster than `gather`.
        lines = (inputs[:, None] * heads + torch.arange(heads))[:, :, None] * width  # [rows, heads, 1]
        vectors = (lines + columns[:, None, :]).to(layer.keys.device)  # [rows, heads, columns]
        for name in ("keys", "values"):
            old = getattr(layer, name)
            taken = old.reshape(-1, old.shape[-1]).index_select(0, vectors.flatten())
            setattr(layer, name, taken.view(*vectors.shape, old.shape[-1]))


def widen(cache: Any, width: int) -> None:
    """Append columns of zeros to a plain cache, up to this width."""
    for layer in cache.layers:
        if layer.is_initialized and (missing := width - layer.keys.shape[-2]) > 0:
            layer.keys = torch.nn.functional.pad(layer.keys, (0, 0, 0, missing))
            layer.values = torch.nn.functional.pad(layer.values, (0, 0, 0, missing))
