"""Rows kept as lists of token ids, for backends that manage their own cache or have none."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Sequence
from typing import Self

import torch

from neurologic.matching.vocabulary import TokenIds


class TokenRows:
    """Unfinished texts as tuples of token ids, prompt included; implements `models.base.Rewindable`.

    Subclasses score the rows in `_read`, and reorder their other per-row data in `_take_rows`.
    """

    can_rewind = True

    def __init__(self, rows: Sequence[TokenIds], *, pad_id: int) -> None:
        self._rows = list(rows)
        self._pad_id = pad_id
        self._width = max(map(len, rows), default=0)  # the width of `input_ids`, whichever rows are left
        self._logits: torch.Tensor

    @property
    def logits(self) -> torch.Tensor:
        """Scores of the next token, [rows, vocabulary]."""
        return self._logits

    def input_ids(self) -> torch.Tensor:
        """Return the tokens of every row, padded on the left: [rows, length]."""
        return left_padded(self._rows, self._width, self._pad_id)

    def advance(self, parents: torch.Tensor, tokens: torch.Tensor) -> None:
        """Let new row i continue old row parents[i] with tokens[i]."""
        chosen = parents.tolist()
        self._take_rows(chosen)
        pairs = zip(chosen, tokens.tolist(), strict=True)
        self._rows = [(*self._rows[parent], token) for parent, token in pairs]
        self._width += 1
        self._read()

    def branch(self, parents: torch.Tensor) -> Self:
        """Return rows that continue these independently; the rows here stay as they are."""
        other = copy.copy(self)
        other._rows = [self._rows[parent] for parent in parents.tolist()]
        other._logits = self._logits.index_select(0, parents.to(self._logits.device))
        return other

    def rewind(self, count: int, logits: torch.Tensor) -> None:
        """Take back the last tokens of every row; `logits` are the scores from before these tokens."""
        self._rows = [row[: len(row) - count] for row in self._rows]
        self._width -= count
        self._logits = logits

    def join(self, other: Self) -> None:
        """Append the rows of a branch of the same length."""
        self._rows = self._rows + other._rows
        self._logits = torch.cat([self._logits, other._logits])

    def _take_rows(self, parents: list[int]) -> None:
        """Reorder the other per-row data: new row i continues old row parents[i]."""

    @abstractmethod
    def _read(self) -> None:
        """Score the rows, each of which has one more token, and set `_logits`."""


def left_padded(rows: Sequence[Sequence[int]], width: int, pad_id: int) -> torch.Tensor:
    """Return rows of different lengths as one table, padded on the left: [rows, width], int64."""
    padded = [[pad_id] * (width - len(row)) + list(row) for row in rows]
    return torch.tensor(padded, dtype=torch.long).reshape(len(rows), width)
