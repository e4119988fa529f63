"""Beam search as Hugging Face transformers does it, text for text: the yardstick without constraints.

Costs O(N·k) model calls for texts of N tokens and k beams. Cannot express any constraint: special tokens and
bytes that are no text may appear, a text may end at any time, and texts that read the same both take a place;
of `num_return_sequences` texts that read the same one is returned. N-gram blocking looks at the prompt of a
causal model as well, as Hugging Face's does.
"""

from __future__ import annotations

from collections.abc import Sequence

from neurologic.search.beam import Beam, Rule
from neurologic.search.decoder import Decoder, Selection
from neurologic.search.score_matrix import Cell, ScoreMatrix


class BeamSearch(Decoder):
    """The k likeliest continuations of the whole matrix go on; an end counts if it is among them."""

    name = "beam"
    rule = Rule.FREE

    def choose(self, beams: Sequence[Beam], matrix: ScoreMatrix) -> list[Selection]:
        # Should all of the first k end, there are still k others: one more for every token that ends.
        spare = max(2, 1 + len(beams[0].constraint.vocabulary.end_ids))
        listed = matrix.likeliest(spare * beams[0].settings.num_beams)
        return [self._select(*one) for one in zip(beams, listed, strict=True)]

    def _select(self, beam: Beam, cells: Sequence[Cell]) -> Selection:
        k = beam.settings.num_beams
        selection = Selection()
        is_last = beam.length + 1 == beam.limit
        for rank, cell in enumerate(cells):
            candidate = beam.consider(*cell)
            selection.considered.append(candidate)
            if candidate.ends and rank < k:
                candidate.fate = "finished"
                selection.ending.append(candidate)
            elif not candidate.ends and len(selection.running) < k and (rank < k or not is_last):
                candidate.fate = "selected"
                selection.running.append(candidate)
            else:
                candidate.fate = "not selected"
        return selection
