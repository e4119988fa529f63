"""Rows with a cache of transformers: copied, moved, rewound and joined.

Look-ahead decoders rely on this. `branch` works for every kind of cache; `rewind` and `join` only for a cache
that holds nothing but keys and values per position (`can_rewind`).
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from typing import Any, Self

import torch

from neurologic.models.internals import caches


class CachedRows:
    """Unfinished texts in a model of transformers; `_ids` is [rows, length], `_logits` [rows, vocabulary].

    Subclasses reorder their other per-row data in `_take_rows`, and run the model in `_read`.
    """

    _ids: torch.Tensor
    _logits: torch.Tensor
    _cache: Any

    @property
    def logits(self) -> torch.Tensor:
        """Scores of the next token, [rows, vocabulary]."""
        return self._logits

    def input_ids(self) -> torch.Tensor:
        """Return the tokens of every row, [rows, length]."""
        return self._ids

    def advance(self, parents: torch.Tensor, tokens: torch.Tensor) -> None:
        """Let new row i continue old row parents[i] with tokens[i]."""
        if not is_identity(parents, self._ids.shape[0]):
            self._take_rows(parents)
        tokens = tokens.to(self._ids.device)
        self._ids = torch.cat([self._ids, tokens[:, None]], dim=1)
        self._read(tokens)

    def branch(self, parents: torch.Tensor) -> Self:
        """Return rows that continue these independently; the rows here stay as they are."""
        other = copy.copy(self)
        other._cache = caches.fork(self._cache)
        if not is_identity(parents, self._ids.shape[0]):
            other._take_rows(parents)
            other._logits = self._logits.index_select(0, parents.to(self._logits.device))
        return other

    @property
    def can_rewind(self) -> bool:
        """Whether `rewind` and `join` work."""
        return caches.is_plain(self._cache)

    def rewind(self, count: int, logits: torch.Tensor) -> None:
        """Take back the last tokens of every row; `logits` are the scores from before these tokens."""
        self._logits = logits
        if count:
            self._ids = self._ids[:, :-count]
            caches.rewind(self._cache, count)

    def join(self, other: Self) -> None:
        """Append the rows of another decoding of the same model and length."""
        self._ids = torch.cat([self._ids, other._ids])
        self._logits = torch.cat([self._logits, other._logits])
        with torch.inference_mode():
            caches.join(self._cache, other._cache)

    @abstractmethod
    def _take_rows(self, parents: torch.Tensor) -> None:
        """Let row i become a copy of row parents[i]."""

    @abstractmethod
    def _read(self, tokens: torch.Tensor) -> None:
        """Run one more token per row, [rows], which `_ids` already holds, and set `_logits`."""


def detached_logits(output: Any) -> torch.Tensor:
    """Return the last position's scores as an ordinary float32 tensor.

    The copy is made outside of inference mode on purpose: processors may change it in place, and it does not
    keep the (possibly large) scores of the other positions alive.
    """
    return output.logits[:, -1].to(torch.float32, copy=True)


def is_identity(parents: torch.Tensor, rows: int) -> bool:
    """Return whether every row simply continues; False for indices on a GPU, to avoid waiting for it."""
    if parents.device.type != "cpu" or parents.shape[0] != rows:
        return False
    return torch.equal(parents, torch.arange(rows))
