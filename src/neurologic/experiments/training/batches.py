"""Plan the batches of a whole training before it runs, and make tensors of them.

Examples of similar size share a batch, because a batch is padded to its longest. The plan follows from sizes
and seed alone, so a resumed training takes exactly the batches that are left.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import torch
from torch.nn.utils.rnn import pad_sequence

from neurologic.experiments.training.examples import IGNORED, Example

# Examples are shuffled, then sorted by size within this many batches: enough to save most of the padding, few
# enough to keep the batches random.
_BATCHES_SORTED = 32


def plan_batches(
    sizes: Sequence[int],
    batch_size: int,
    *,
    epochs: float | None = None,
    steps: int | None = None,
    seed: int = 0,
) -> list[list[int]]:
    """Return the indices of the examples of every step, for a number of passes or of steps.

    Every pass has each example once, in a new order.
    """
    per_epoch = math.ceil(len(sizes) / batch_size)
    total = steps if steps is not None else max(1, round((epochs or 0) * per_epoch))
    generator = random.Random(seed)
    batches: list[list[int]] = []
    while len(batches) < total:
        batches.extend(_epoch(sizes, batch_size, generator))
    return batches[:total]


def _epoch(sizes: Sequence[int], batch_size: int, generator: random.Random) -> list[list[int]]:
    order = list(range(len(sizes)))
    generator.shuffle(order)
    sorted_together = batch_size * _BATCHES_SORTED
    batches: list[list[int]] = []
    for start in range(0, len(order), sorted_together):
        # Only one batch of a pass may be short: the one with the longest examples of the last stretch.
        stretch = sorted(order[start : start + sorted_together], key=lambda index: sizes[index])
        batches.extend(stretch[first : first + batch_size] for first in range(0, len(stretch), batch_size))
    generator.shuffle(batches)
    return batches


def collate(examples: Sequence[Example], pad_id: int) -> dict[str, torch.Tensor]:
    """Return `input_ids`, `attention_mask` and `labels` of a batch, padded on the right."""
    read = [example.input_ids for example in examples]
    return {
        "input_ids": _padded(read, pad_id),  # [batch, longest]
        "attention_mask": _padded([(1,) * len(ids) for ids in read], 0),  # [batch, longest]
        "labels": _padded([example.labels for example in examples], IGNORED),  # [batch, longest label]
    }


def _padded(rows: Sequence[Sequence[int]], filling: int) -> torch.Tensor:
    return pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=filling)
