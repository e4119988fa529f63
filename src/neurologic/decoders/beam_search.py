"""Beam search as Hugging Face transformers does it, text for text: the baseline without constraints.

Costs O(N·k) model calls for texts of N tokens and k beams. Cannot express any constraint: special tokens and
bytes that are not text may appear, a text may end at any time, and texts that read the same both take a
place, though only one of them comes back. N-gram blocking looks at the prompt of a causal model as well, as
Hugging Face's does.
"""

from __future__ import annotations

from collections.abc import Sequence

from neurologic.search.beam import Beam
from neurologic.search.decoder import Decoder, Selection
from neurologic.search.rules import Rule
from neurologic.search.score_matrix import Cell, ScoreMatrix


class BeamSearch(Decoder):
    """Keeps the k likeliest continuations of the whole matrix; an end counts if it is among them."""

    name = "beam"
    rule = Rule.FREE

    def choose(self, beams: Sequence[Beam], matrix: ScoreMatrix) -> list[Selection]:
        # Even if all of the first k end, k others are left: one more for every end token.
        spare = max(2, 1 + len(beams[0].constraint.vocabulary.end_ids))
        listed = matrix.likeliest(spare * beams[0].settings.num_beams)
        return [_select(beam, cells) for beam, cells in zip(beams, listed, strict=True)]


def _select(beam: Beam, cells: Sequence[Cell]) -> Selection:
    k = beam.settings.num_beams
    candidates = [beam.consider(*cell) for cell in cells]
    is_last = beam.length + 1 == beam.limit
    selection = Selection.of(candidates[:k] if is_last else candidates, k)
    selection.considered = candidates
    for candidate in candidates:
        candidate.fate = candidate.fate or "not selected"
    return selection
