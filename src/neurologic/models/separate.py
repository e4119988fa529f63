"""Inputs of different lengths for models that cannot be padded: one decoding per length, seen as one.

Correct for every model, since no row ever sees padding; the price is one forward pass per length and step
instead of one per step.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Self, TypeVar

import torch

from neurologic.models.rows import CachedRows

Item = TypeVar("Item")


class SeparateRows:
    """Rows of several decodings in one order; `neurologic.models.base.Rewindable`."""

    def __init__(
        self, parts: Mapping[int, CachedRows], rows: Sequence[tuple[int, int]], *, pad_id: int
    ) -> None:
        self._parts = dict(parts)  # only those that still have rows
        self._rows = list(rows)  # of each row: the number of its part, and its row there
        self._pad_id = pad_id
        widths = {number: part.input_ids().shape[1] for number, part in parts.items()}
        self._padding = {number: max(widths.values()) - width for number, width in widths.items()}
        self._logits = self._gather(lambda _, part: part.logits)

    @property
    def logits(self) -> torch.Tensor:
        """Scores of the next token, [rows, vocabulary]."""
        return self._logits

    def input_ids(self) -> torch.Tensor:
        """The tokens of every row, padded on the left, [rows, length]."""
        return self._gather(self._padded_ids)

    def advance(self, parents: torch.Tensor, tokens: torch.Tensor) -> None:
        """New row i continues old row parents[i] with tokens[i]."""

        def go_on(part: CachedRows, rows: torch.Tensor, numbers: torch.Tensor) -> CachedRows:
            part.advance(rows, tokens[numbers.to(tokens.device)])
            return part

        self._take(parents, go_on)

    def branch(self, parents: torch.Tensor) -> Self:
        """Rows of their own that go on from these; the rows here stay as they are."""
        other = copy.copy(self)
        other._take(parents, lambda part, rows, _: part.branch(rows))
        return other

    @property
    def can_rewind(self) -> bool:
        """Whether tokens can be taken back and rows put together."""
        return all(part.can_rewind for part in self._parts.values())

    def rewind(self, count: int, logits: torch.Tensor) -> None:
        """Take back the last tokens of every row; `logits` are the scores that the rows had before them."""
        for number, part in self._parts.items():
            own = sorted((row, place) for place, (of, row) in enumerate(self._rows) if of == number)
            part.rewind(count, logits[torch.tensor([place for _, place in own], device=logits.device)])
        self._logits = logits

    def join(self, other: Self) -> None:
        """Put the rows of a branch of the same length after these."""
        offsets = {number: len(part.input_ids()) for number, part in self._parts.items()}
        for number, part in other._parts.items():
            if number in self._parts:
                self._parts[number].join(part)
            else:  # its rows have all been dropped here
                self._parts[number] = part.branch(torch.arange(len(part.input_ids())))
        self._rows = self._rows + [(number, row + offsets.get(number, 0)) for number, row in other._rows]
        self._logits = torch.cat([self._logits, other._logits])

    def _take(
        self,
        parents: torch.Tensor,
        go_on: Callable[[CachedRows, torch.Tensor, torch.Tensor], CachedRows],
    ) -> None:
        """Let every part go on with its share of the new rows; parts without any are dropped."""
        taken = [self._rows[parent] for parent in parents.tolist()]
        parts: dict[int, CachedRows] = {}
        self._rows, shares = placed(taken, lambda row: row[0])
        for number, numbers in shares.items():
            rows = torch.tensor([taken[place][1] for place in numbers])
            parts[number] = go_on(self._parts[number], rows, torch.tensor(numbers))
        self._parts = parts
        self._logits = self._gather(lambda _, part: part.logits)

    def _gather(self, of_part: Callable[[int, CachedRows], torch.Tensor]) -> torch.Tensor:
        """A tensor of every part, [rows of the part, …], in the order of the rows here."""
        tensors, offsets, total = [], {}, 0
        for number, part in self._parts.items():
            tensors.append(of_part(number, part))
            offsets[number] = total
            total += len(tensors[-1])
        order = torch.tensor([offsets[number] + row for number, row in self._rows])
        return torch.cat(tensors).index_select(0, order.to(tensors[0].device))

    def _padded_ids(self, number: int, part: CachedRows) -> torch.Tensor:
        ids = part.input_ids()
        pads = ids.new_full((len(ids), self._padding[number]), self._pad_id)
        return torch.cat([pads, ids], dim=1)


def placed(
    items: Sequence[Item], key: Callable[[Item], int]
) -> tuple[list[tuple[int, int]], dict[int, list[int]]]:
    """Each item's key and place among those with the same key; and per key the numbers of its items.

    >>> placed(["aa", "b", "cc"], len)
    ([(2, 0), (1, 0), (2, 1)], {2: [0, 2], 1: [1]})
    """
    shares: dict[int, list[int]] = {}
    places = []
    for number, item in enumerate(items):
        share = shares.setdefault(key(item), [])
        places.append((key(item), len(share)))
        share.append(number)
    return places, shares


def start_separately(
    inputs: Sequence[Item],
    length: Callable[[Item], int],
    start: Callable[[list[Item]], CachedRows],
    *,
    pad_id: int,
) -> CachedRows | SeparateRows:
    """Start inputs of equal length together, those of different lengths apart."""
    rows, shares = placed(inputs, length)
    parts = {size: start([inputs[number] for number in numbers]) for size, numbers in shares.items()}
    if len(parts) == 1:
        return next(iter(parts.values()))
    return SeparateRows(parts, rows, pad_id=pad_id)
