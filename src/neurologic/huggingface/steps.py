"""The steps of a search as Hugging Face shapes them: fixed rows per input, and a record of their scores.

Rows of a search come and go; processors that look at their place among all rows, and the scores that
`model.generate` returns, count with batch × beams rows. A place that a search has no row for shows a copy of
another row of its input, as all beams are alike at first; in the record, inputs that are over have -inf.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from neurologic.search.matrix import MINUS_INFINITY

# The input of a row, and its place in the beam of that input.
Row = tuple[int, int]


class Steps:
    """Runs processors on full-width rows, and keeps what they made of each step.

    beams  places per input; decoders with more rows than beams get as many as they need
    """

    def __init__(
        self,
        processors: Sequence[Any],
        inputs: int,
        beams: int,
        *,
        scores: bool = False,
        logits: bool = False,
    ) -> None:
        """`scores`, `logits`: whether to keep those of every step."""
        self._processors = processors
        self._inputs = inputs
        self.beams = beams
        self._scores: list[tuple[Sequence[Row], torch.Tensor]] | None = [] if scores else None
        self._logits: list[tuple[Sequence[Row], torch.Tensor]] | None = [] if logits else None

    def scored(
        self, rows: Sequence[Row], ids: torch.Tensor, logits: torch.Tensor, scores: torch.Tensor
    ) -> torch.Tensor:
        """The processed scores of a step; see `neurologic.search.engine.Watcher`."""
        self.beams = max(self.beams, 1 + max(place for _, place in rows))
        scores = self._process(rows, ids, scores)
        if self._scores is not None:
            self._scores.append((rows, scores.clone()))
        if self._logits is not None:
            self._logits.append((rows, logits.clone()))
        return scores

    @property
    def scores(self) -> tuple[torch.Tensor, ...] | None:
        """Per step [inputs × beams, vocabulary]: processed log-probabilities."""
        return None if self._scores is None else tuple(self._spread(*step) for step in self._scores)

    @property
    def logits(self) -> tuple[torch.Tensor, ...] | None:
        """Per step [inputs × beams, vocabulary]: what the model said."""
        return None if self._logits is None else tuple(self._spread(*step) for step in self._logits)

    def _process(self, rows: Sequence[Row], ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        if not self._processors:
            return scores
        shown = [0 if row is None else row for row in self._shown(rows)]
        is_full = shown == list(range(len(rows)))
        if not is_full:
            chosen = torch.tensor(shown, device=scores.device)
            ids, scores = ids[chosen], scores[chosen]
        for processor in self._processors:
            scores = processor(ids, scores)
        if is_full:
            return scores
        own = torch.tensor([number * self.beams + place for number, place in rows], device=scores.device)
        return scores[own]

    def _shown(self, rows: Sequence[Row]) -> list[int | None]:
        """The row that each of the inputs × beams places shows; None where the input is over."""
        row_of = {row: number for number, row in enumerate(rows)}
        shown: list[int | None] = []
        for number in range(self._inputs):
            latest: int | None = None
            for place in range(self.beams):
                latest = row_of.get((number, place), latest)
                shown.append(latest)
        return shown

    def _spread(self, rows: Sequence[Row], values: torch.Tensor) -> torch.Tensor:
        shown = self._shown(rows)
        chosen = torch.tensor([0 if row is None else row for row in shown], device=values.device)
        over = torch.tensor([row is None for row in shown], device=values.device)
        return values[chosen].masked_fill(over[:, None], MINUS_INFINITY)
