"""What a caller adds to a search from outside: processors of scores, criteria for stopping, and watchers."""

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
    """A processor that knows whose rows are whose, and sees what the model itself said."""

    def process(
        self, rows: Sequence[tuple[int, int]], ids: torch.Tensor, logits: torch.Tensor, scores: torch.Tensor
    ) -> torch.Tensor:
        """The scores to go on with.

        rows    the input of every row, and its place in the beam of that input
        ids     `Decoding.input_ids`, [rows, length]
        logits  of the model, [rows, vocabulary]
        scores  processed so far, [rows, vocabulary]
        """


@dataclass(frozen=True)
class Surroundings:
    """What the caller adds to a search from outside.

    processors     Hugging Face's logits processors, on log-probabilities or raw scores as the decoder has it
    row_processor  acts after them
    criteria       Hugging Face's stopping criteria; they cannot end a text that still owes
    forced_end     whether a processor forces the end token at the limit
    trace          receives what happened in each step
    stopwatch      receives where the time went
    """

    processors: Sequence[Processor] = ()
    criteria: Sequence[Criterion] = ()
    row_processor: RowProcessor | None = None
    forced_end: bool = False
    trace: Trace | None = None
    stopwatch: Stopwatch | None = None

    @property
    def acts_on_scores(self) -> bool:
        """Whether something other than the search reads or changes scores, or ends texts."""
        return bool(self.processors or self.criteria or self.row_processor)
