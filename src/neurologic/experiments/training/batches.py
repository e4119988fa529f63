"""Which examples are trained on together, planned from the first step to the last before anything runs.

Examples of similar size share a batch, since a batch is padded to its longest. The whole plan follows from
sizes and seed, so that a training that goes on takes exactly the batches that are left.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch.utils.data import Sampler

from neurologic.experiments.training.examples import IGNORED, Example

# Examples are shuffled, and sorted by size among so many batches: enough to save most of the padding, and few
# enough that a batch is a random choice of its sizes.
_BATCHES_TOGETHER = 32


def plan_batches(
    sizes: Sequence[int],
    batch_size: int,
    *,
    epochs: float | None = None,
    steps: int | None = None,
    seed: int = 0,
) -> list[list[int]]:
    """The examples of every step by their places, for so many passes or so many steps.

    Every pass has each example once, in a new order.
    """
    per_epoch = math.ceil(len(sizes) / batch_size)
    total = steps if steps is not None else max(1, round((epochs or 0) * per_epoch))
    chance = random.Random(seed)
    batches: list[list[int]] = []
    while len(batches) < total:
        batches.extend(_epoch(sizes, batch_size, chance))
    return batches[:total]


def _epoch(sizes: Sequence[int], batch_size: int, chance: random.Random) -> list[list[int]]:
    order = list(range(len(sizes)))
    chance.shuffle(order)
    together = batch_size * _BATCHES_TOGETHER
    batches: list[list[int]] = []
    for start in range(0, len(order), together):
        # Only one batch of a pass may be short: that with the longest examples of the last stretch.
        some = sorted(order[start : start + together], key=lambda place: sizes[place])
        batches.extend(some[place : place + batch_size] for place in range(0, len(some), batch_size))
    chance.shuffle(batches)
    return batches


class Planned(Sampler[list[int]]):
    """A plan as torch's data loader takes it."""

    def __init__(self, batches: Sequence[Sequence[int]]) -> None:
        self._batches = batches

    def __iter__(self) -> Iterator[list[int]]:
        return (list(batch) for batch in self._batches)

    def __len__(self) -> int:
        return len(self._batches)


class Collator:
    """Makes the tensors of a batch: `input_ids`, `attention_mask` and `labels`, padded on the right."""

    def __init__(self, pad_id: int) -> None:
        self._pad_id = pad_id

    def __call__(self, examples: Sequence[Example]) -> dict[str, Any]:
        read = [example.input_ids for example in examples]
        return {
            "input_ids": _padded(read, self._pad_id),  # [batch, longest]
            "attention_mask": _padded([(1,) * len(ids) for ids in read], 0),  # [batch, longest]
            "labels": _padded([example.labels for example in examples], IGNORED),  # [batch, longest label]
        }


def _padded(rows: Sequence[Sequence[int]], filling: int) -> torch.Tensor:
    width = max(len(row) for row in rows)
    return torch.tensor([[*row, *(filling for _ in range(width - len(row)))] for row in rows])
