"""The shipped laws hold for every decoder, and catch a decoder that breaks them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from neurologic.decoders.neurologic import NeuroLogicDecoder
from neurologic.decoders.registry import DECODERS
from neurologic.search.beam import Beam
from neurologic.search.decoder import Decoder, Selection
from neurologic.search.rules import Rule
from neurologic.search.score_matrix import ScoreMatrix
from neurologic.testing.decoder_laws import (
    DECODER_LAWS,
    DecoderLaw,
    batches_change_nothing,
    check_decoder,
    promises_are_kept,
    texts_repeat,
)

LEFT_TO_RIGHT = [name for name, entry in DECODERS.items() if not entry.edits]


@pytest.mark.parametrize("law", DECODER_LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("name", LEFT_TO_RIGHT)
def test_every_decoder_obeys(name: str, law: DecoderLaw) -> None:
    law(DECODERS[name].load, DECODERS[name].expresses)


class Careless(NeuroLogicDecoder):
    """Claims to plan, but takes the likeliest candidates whatever they owe."""

    def choose(self, beams: Sequence[Beam], matrix: ScoreMatrix) -> list[Selection]:
        for beam in beams:
            beam.rule = Rule.ANYTHING
        return super().choose(beams, matrix)


class Moody(Decoder):
    """Chooses by how often it was asked."""

    rule = Rule.FREE
    asked = 0

    def choose(self, beams: Sequence[Beam], matrix: ScoreMatrix) -> list[Selection]:
        Moody.asked += 1
        chosen = []
        for beam, cells in zip(beams, matrix.likeliest(2), strict=True):
            cell = cells[Moody.asked % 2]
            chosen.append(Selection.of([beam.consider(cell.row, cell.token, cell.logprob)]))
        return chosen


def test_a_broken_promise_is_found() -> None:
    with pytest.raises(AssertionError, match="promised"):
        promises_are_kept(Careless)


def test_a_decoder_that_changes_its_mind_is_found() -> None:
    with pytest.raises(AssertionError, match="two runs differ"):
        texts_repeat(Moody)
    with pytest.raises(AssertionError, match="in a batch"):
        batches_change_nothing(Moody)
    with pytest.raises(AssertionError):
        check_decoder(Moody)
