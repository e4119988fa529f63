"""A trace that numbers inputs by their place in the run, not in the batch. Imports torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

from neurologic.search.beam import Beam
from neurologic.search.decoder import Selection
from neurologic.search.trace import Trace


class NumberedTrace(Trace):
    """A `Trace` of one batch whose inputs have the numbers `indices`; bad lines leave gaps between them."""

    def __init__(self, file: IO[str], indices: Sequence[int]) -> None:
        super().__init__(file)
        self._indices = indices
        self._first = 0

    def start_batch(self, first_input: int) -> None:
        self._first = first_input

    def step(self, number: int, beam: Beam, selection: Selection) -> None:
        super().start_batch(self._indices[self._first + number] - number)
        super().step(number, beam, selection)
