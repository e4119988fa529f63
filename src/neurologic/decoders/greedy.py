"""Greedy decoding: the likeliest token at each step, until that token ends the text.

Costs O(N) model calls. Cannot express any constraint.
"""

from __future__ import annotations

from collections.abc import Sequence

from neurologic.search.beam import Beam
from neurologic.search.decoder import Decoder, Selection
from neurologic.search.rules import Rule
from neurologic.search.score_matrix import ScoreMatrix


class Greedy(Decoder):
    """One row, one token."""

    name = "greedy"
    rule = Rule.FREE
    processes_logits = True

    def choose(self, beams: Sequence[Beam], matrix: ScoreMatrix) -> list[Selection]:
        return [
            Selection.of([beam.consider(*cell) for cell in cells])
            for beam, cells in zip(beams, matrix.likeliest(1), strict=True)
        ]
