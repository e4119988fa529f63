"""Inputs of different lengths for models that cannot be padded: one decoding per length, presented as one.

This is correct for every model, since no row ever sees padding. It costs one forward pass per length and step
instead of one per step.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Self, TypeVar

import torch

from neurologic.models.cached_rows import CachedRows

Item = TypeVar("Item")


class RowsByLength:
    """The rows of several decodings in one order; implements `neurologic.models.base.Rewindable`.

    parts  per length of prompt, the decoding of the rows that started with it
    rows   per row, the length of its prompt and its place in that decoding
    """

    def __init__(
        self, parts: Mapping[int, CachedRows], rows: Sequence[tuple[int, int]], *, pad_id: int
    ) -> None:
        self._parts = dict(parts)  # only those that still have rows
        self._rows = list(rows)
        self._pad_id = pad_id
        widths = {length: part.input_ids().shape[1] for length, part in parts.items()}
        self._padding = {length: max(widths.values()) - width for length, width in widths.items()}
        self._logits = self._gather(lambda _, part: part.logits)

    @property
    def logits(self) -> torch.Tensor:
        """Scores of the next token, [rows, vocabulary]."""
        return self._logits

    def input_ids(self) -> torch.Tensor:
        """Return the tokens of every row, padded on the left: [rows, length]."""

        def padded(length: int, part: CachedRows) -> torch.Tensor:
            return torch.nn.functional.pad(part.input_ids(), (self._padding[length], 0), value=self._pad_id)

        return self._gather(padded)

    def advance(self, parents: torch.Tensor, tokens: torch.Tensor) -> None:
        """Let new row i continue old row parents[i] with tokens[i]."""

        def advanced(part: CachedRows, rows: torch.Tensor, numbers: torch.Tensor) -> CachedRows:
            part.advance(rows, tokens[numbers.to(tokens.device)])
            return part

        self._take_rows(parents, advanced)

    def branch(self, parents: torch.Tensor) -> Self:
        """Return rows that continue these independently; the rows here stay as they are."""
        other = copy.copy(self)
        other._take_rows(parents, lambda part, rows, _: part.branch(rows))
        return other

    @property
    def can_rewind(self) -> bool:
        """Whether `rewind` and `join` work."""
        return all(part.can_rewind for part in self._parts.values())

    def rewind(self, count: int, logits: torch.Tensor) -> None:
        """Take back the last tokens of every row; `logits` are the scores from before these tokens."""
        for length, part in self._parts.items():
            own = sorted((row, place) for place, (of, row) in enumerate(self._rows) if of == length)
            part.rewind(count, logits[torch.tensor([place for _, place in own], device=logits.device)])
        self._logits = logits

    def join(self, other: Self) -> None:
        """Append the rows of a branch of the same length."""
        offsets = {length: len(part.input_ids()) for length, part in self._parts.items()}
        for length, part in other._parts.items():
            if length in self._parts:
                self._parts[length].join(part)
            else:  # all rows of this length are gone here
                self._parts[length] = part.branch(torch.arange(len(part.input_ids())))
        self._rows = self._rows + [(length, row + offsets.get(length, 0)) for length, row in other._rows]
        self._logits = torch.cat([self._logits, other._logits])

    def _take_rows(
        self,
        parents: torch.Tensor,
        continued: Callable[[CachedRows, torch.Tensor, torch.Tensor], CachedRows],
    ) -> None:
        """Let every part continue with its share of the new rows; drop parts that have none."""
        taken = [self._rows[parent] for parent in parents.tolist()]
        self._rows, shares = grouped(taken, lambda row: row[0])
        self._parts = {
            length: continued(
                self._parts[length],
                torch.tensor([taken[number][1] for number in numbers]),
                torch.tensor(numbers),
            )
            for length, numbers in shares.items()
        }
        self._logits = self._gather(lambda _, part: part.logits)

    def _gather(self, of_part: Callable[[int, CachedRows], torch.Tensor]) -> torch.Tensor:
        """Collect a tensor of every part, [rows of the part, …], in the order of the rows here."""
        tensors, offsets, total = [], {}, 0
        for length, part in self._parts.items():
            tensors.append(of_part(length, part))
            offsets[length] = total
            total += len(tensors[-1])
        order = torch.tensor([offsets[length] + row for length, row in self._rows])
        return torch.cat(tensors).index_select(0, order.to(tensors[0].device))


def start_by_length(
    inputs: Sequence[Item],
    length: Callable[[Item], int],
    start: Callable[[list[Item]], CachedRows],
    *,
    pad_id: int,
) -> CachedRows | RowsByLength:
    """Start inputs of equal length together, and inputs of different lengths apart."""
    rows, shares = grouped(inputs, length)
    parts = {size: start([inputs[number] for number in numbers]) for size, numbers in shares.items()}
    if len(parts) == 1:
        return next(iter(parts.values()))
    return RowsByLength(parts, rows, pad_id=pad_id)


def grouped(
    items: Sequence[Item], key: Callable[[Item], int]
) -> tuple[list[tuple[int, int]], dict[int, list[int]]]:
    """Return each item's key and place in its group, and per key the numbers of its items.

    >>> grouped(["aa", "b", "cc"], len)
    ([(2, 0), (1, 0), (2, 1)], {2: [0, 2], 1: [1]})
    """
    groups: dict[int, list[int]] = {}
    places = []
    for number, item in enumerate(items):
        group = groups.setdefault(key(item), [])
        places.append((key(item), len(group)))
        group.append(number)
    return places, groups
