"""NeuroLogic beyond the paper: dominated texts wait, and drawn texts are different.

The paper's own example is in tests/search/test_paper_example.py.
"""

from __future__ import annotations

import pytest
import torch

from decoders.cases import Case
from neurologic.decoders.neurologic import NeuroLogicDecoder
from neurologic.decoders.registry import DECODERS
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.logic import parse
from neurologic.search.beam import Beam
from neurologic.search.settings import SearchSettings
from toys import ToyModel, toy_vocabulary

DRAWN = Case(DECODERS["neurologic"], {"do_sample": True})
PIECES = (" a", " a!", " c", " d", " e")
VOCABULARY = toy_vocabulary(*PIECES)


def selected(likes: dict[str, float], num_beams: int, dominance: bool) -> list[str]:
    """The tokens that are selected first for "a & e", in their order."""
    settings = SearchSettings(num_beams=num_beams, dominance=dominance)
    beam = Beam(compile_formula(parse("a & e"), VOCABULARY), settings)
    scores = torch.full((1, len(VOCABULARY)), -torch.inf)
    for piece, logprob in likes.items():
        scores[0, PIECES.index(piece) + 1] = logprob
    return [PIECES[one.token - 1] for one in NeuroLogicDecoder().step(beam, scores).running]


def test_a_dominated_candidate_waits() -> None:
    """ "c" has satisfied nothing and is less likely than "a", which has satisfied a clause."""
    likes = {" a": -1.0, " c": -1.5, " a!": -2.0, " d": -3.0}
    assert selected(likes, num_beams=2, dominance=True) == [" a", " a!"]
    assert selected(likes, num_beams=2, dominance=False) == [" a", " c"]


def test_dominated_candidates_fill_places_that_are_free() -> None:
    likes = {" a": -1.0, " c": -1.5, " a!": -2.0, " d": -3.0}
    assert selected(likes, num_beams=3, dominance=True) == [" a", " a!", " c"]
    assert selected(likes, num_beams=9, dominance=True) == [" a", " a!", " c", " d"]


def test_a_likelier_candidate_or_one_with_another_clause_is_not_dominated() -> None:
    assert selected({" c": -0.5, " a": -1.0, " a!": -2.0}, num_beams=2, dominance=True) == [" c", " a"]
    assert selected({" a": -1.0, " e": -5.0, " a!": -2.0}, num_beams=2, dominance=True) == [" a", " e"]


@pytest.mark.parametrize(("phrase_groups", "second"), [(True, " new"), (False, " city")])
def test_a_text_inside_of_a_phrase_gets_a_place_however_unlikely(phrase_groups: bool, second: str) -> None:
    """ "new" is 5 nats behind, far more than lambda makes up for, and only "new york" would satisfy."""
    pieces = (" new", " york", " the", " city")
    vocabulary = toy_vocabulary(*pieces)
    settings = SearchSettings(num_beams=2, phrase_groups=phrase_groups)
    beam = Beam(compile_formula(parse('"new york"'), vocabulary), settings)
    scores = torch.tensor([[-torch.inf, -6.0, -7.0, -1.0, -2.0]])
    running = NeuroLogicDecoder().step(beam, scores).running
    assert [pieces[one.token - 1] for one in running] == [" the", second]


@pytest.mark.parametrize(("possible", "found"), [(1, 1), (8, 4)])
def test_four_drawn_texts_are_different_where_there_are_so_many(possible: int, found: int) -> None:
    """A model that writes one of a few words and ends."""
    vocabulary = toy_vocabulary(*(f" {word}" for word in "abcdefgh"))

    def logits_of(tokens: tuple[int, ...]) -> torch.Tensor:
        logits = torch.full((len(vocabulary),), -torch.inf)
        allowed = range(1, possible + 1) if len(tokens) == 1 else [0]
        logits[list(allowed)] = 0.0
        return logits

    model = ToyModel(vocabulary, logits_of)
    output = DRAWN.write(model, None, num_beams=1, num_return_sequences=4, max_new_tokens=3)
    texts = [text.text for text in output.texts]
    assert len(set(texts)) == len(texts) == found
