"""The steps of a search as Hugging Face shapes them: fixed rows per input, and a record of their scores.

Rows of a search come and go; processors that look at their place among all rows, and the scores that
`model.generate` returns, count with batch × beams rows. Rows that a search does not have are filled up: with
copies for the processors, with -inf in the record.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from neurologic.search.matrix import MINUS_INFINITY


class Steps:
    """Runs processors on full-width rows, and keeps what they made of each step."""

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
        self.scores: list[torch.Tensor] | None = [] if scores else None
        self.logits: list[torch.Tensor] | None = [] if logits else None

    def scored(
        self, rows: Sequence[tuple[int, int]], ids: torch.Tensor, logits: torch.Tensor, scores: torch.Tensor
    ) -> torch.Tensor:
        """The processed scores of a step; see `neurologic.search.engine.Watcher`."""
        # Decoders with more rows than beams get as many places per input as they need.
        self.beams = max(self.beams, 1 + max(row for _, row in rows))
        places = [number * self.beams + row for number, row in rows]
        scores = self._process(places, ids, scores)
        if self.scores is not None:
            self.scores.append(self._spread(places, scores))
        if self.logits is not None:
            self.logits.append(self._spread(places, logits))
        return scores

    def _process(self, places: list[int], ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        if not self._processors:
            return scores
        full = self._inputs * self.beams
        if places == list(range(full)):
            for processor in self._processors:
                scores = processor(ids, scores)
            return scores
        # Every place shows the row that it has, a place without a row the one before it.
        shown, latest = [], 0
        row_at = {place: row for row, place in enumerate(places)}
        for place in range(full):
            latest = row_at.get(place, latest)
            shown.append(latest)
        chosen = torch.tensor(shown, device=scores.device)
        ids, wide = ids[chosen], scores[chosen]
        for processor in self._processors:
            wide = processor(ids, wide)
        return wide[torch.tensor(places, device=scores.device)]

    def _spread(self, places: list[int], values: torch.Tensor) -> torch.Tensor:
        """[inputs × beams, vocabulary], -inf where there is no row."""
        spread = values.new_full((self._inputs * self.beams, values.shape[-1]), MINUS_INFINITY)
        spread[torch.tensor(places, device=values.device)] = values
        return spread
