"""Show a search to Hugging Face's processors in batch × beams rows, and record the scores of its steps.

A search has as many rows as it needs. Processors that look at the place of a row, and the scores that
`model.generate` returns, expect a fixed number per input. A place without a row shows a copy of another row
of its input; in the record, inputs that are done have -inf.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from neurologic.search.score_matrix import MINUS_INFINITY

# The input of a row, and its place in the beam of that input.
Row = tuple[int, int]


class BeamRows:
    """Runs processors on all rows, and keeps the scores of each step.

    beams  places per input; decoders with more rows than beams get as many as they need

    If several texts are drawn for each input, every draw has rows of its own: first the inputs of the first
    draw, then those of the second, and so on. Processors see one draw at a time.
    """

    def __init__(
        self,
        processors: Sequence[Any],
        inputs: int,
        beams: int,
        *,
        draws: int = 1,
        scores: bool = False,
        logits: bool = False,
    ) -> None:
        """`scores`, `logits`: whether to keep those of every step."""
        self._processors = processors
        self._inputs = inputs
        self._draws = draws
        self.beams = beams
        self._scores: list[tuple[Sequence[Row], torch.Tensor]] | None = [] if scores else None
        self._logits: list[tuple[Sequence[Row], torch.Tensor]] | None = [] if logits else None

    def process(
        self, rows: Sequence[Row], ids: torch.Tensor, logits: torch.Tensor, scores: torch.Tensor
    ) -> torch.Tensor:
        """Return the processed scores of a step; see `neurologic.search.hooks.RowProcessor`."""
        self.beams = max(self.beams, 1 + max(place for _, place in rows))
        if self._processors:
            scores = torch.cat([self._of_draw(part, ids, scores, rows) for part in self._by_draw(rows)])
        if self._scores is not None:
            self._scores.append((rows, scores.clone()))
        if self._logits is not None:
            self._logits.append((rows, logits.clone()))
        return scores

    @property
    def scores(self) -> tuple[torch.Tensor, ...] | None:
        """Per step [inputs × draws × beams, vocabulary]: processed log-probabilities."""
        return None if self._scores is None else tuple(self._spread(*step) for step in self._scores)

    @property
    def logits(self) -> tuple[torch.Tensor, ...] | None:
        """Per step [inputs × draws × beams, vocabulary]: the model's logits."""
        return None if self._logits is None else tuple(self._spread(*step) for step in self._logits)

    def place(self, number: int, row: int = 0) -> int:
        """Return the place of a row in `scores`, from the number of its search and its row there."""
        draw, own = divmod(number, self._inputs)
        return (own * self._draws + draw) * self.beams + row

    def _by_draw(self, rows: Sequence[Row]) -> list[range]:
        """Return the rows of each draw, which are adjacent."""
        parts, start = [], 0
        for draw in range(self._draws):
            count = sum(number // self._inputs == draw for number, _ in rows)
            parts.append(range(start, start + count))
            start += count
        return [part for part in parts if part]

    def _of_draw(
        self, part: range, ids: torch.Tensor, scores: torch.Tensor, rows: Sequence[Row]
    ) -> torch.Tensor:
        """Return the processed scores of the rows of one draw."""
        own = [(rows[row][0] % self._inputs, rows[row][1]) for row in part]
        places = [number * self.beams + place for number, place in own]
        shown = [part.start + (row or 0) for row in self._shown(own, self._inputs)]
        if shown != list(range(len(rows))):
            chosen = torch.tensor(shown, device=scores.device)
            ids, scores = ids[chosen], scores[chosen]
        for processor in self._processors:
            shape = scores.shape
            scores = processor(ids, scores)
            if not isinstance(scores, torch.Tensor) or scores.shape != shape:
                raise TypeError(
                    f"the logits processor {type(processor).__name__} must return scores of the shape "
                    f"{list(shape)} that it was given"
                )
        if places == list(range(len(shown))):
            return scores
        return scores[torch.tensor(places, device=scores.device)]

    def _shown(self, rows: Sequence[Row], inputs: int) -> list[int | None]:
        """Return the row that each of the inputs × beams places shows; None if the input is done."""
        row_of = {row: number for number, row in enumerate(rows)}
        shown: list[int | None] = []
        for number in range(inputs):
            latest: int | None = None
            for place in range(self.beams):
                latest = row_of.get((number, place), latest)
                shown.append(latest)
        return shown

    def _spread(self, rows: Sequence[Row], values: torch.Tensor) -> torch.Tensor:
        ordered = [(self.place(number) // self.beams, place) for number, place in rows]
        shown = self._shown(ordered, self._inputs * self._draws)
        chosen = torch.tensor([row or 0 for row in shown], device=values.device)
        over = torch.tensor([row is None for row in shown], device=values.device)
        return values[chosen].masked_fill(over[:, None], MINUS_INFINITY)
