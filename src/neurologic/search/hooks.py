"""Hooks into a search: processors of scores, stopping criteria, and observers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from neurologic.search.stopwatch import Stopwatch
from neurologic.search.trace import Trace

Processor = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
Criterion = Callable[[torch.Tensor, torch.Tensor], Any]


class RowProcessor(Protocol):
    """A processor that knows which input each row belongs to, and sees the model's own logits."""

    def process(
        self, rows: Sequence[tuple[int, int]], ids: torch.Tensor, logits: torch.Tensor, scores: torch.Tensor
    ) -> torch.Tensor:
        """Return the scores to continue with.

        rows    for every row its input and its place in the beam of that input
        ids     `Decoding.input_ids`, [rows, length]
        logits  the model's scores, [rows, vocabulary]
        scores  processed so far, [rows, vocabulary]
        """


@dataclass(frozen=True)
class Hooks:
    """What a caller plugs into a search.

    processors     Hugging Face's logits processors; the decoder decides whether they get log-probabilities
                   or logits
    row_processor  runs after them
    criteria       Hugging Face's stopping criteria; they cannot end a text that still owes a clause
    forced_end     whether a processor forces the end token at the limit
    trace          records every step
    stopwatch      measures where the time goes
    """

    processors: Sequence[Processor] = ()
    criteria: Sequence[Criterion] = ()
    row_processor: RowProcessor | None = None
    forced_end: bool = False
    trace: Trace | None = None
    stopwatch: Stopwatch | None = None

    @property
    def need_equal_lengths(self) -> bool:
        """Whether all texts of a batch must start together: processors and criteria rely on it."""
        return bool(self.processors or self.criteria or self.row_processor)
