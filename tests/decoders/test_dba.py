"""Dynamic beam allocation: k places divided over the banks, one phrase tracked at a time."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from decoders.cases import Case
from neurologic.decoders.banks import allocate
from neurologic.decoders.dba import DynamicBeamAllocation
from neurologic.decoders.registry import DECODERS
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.logic import parse
from neurologic.search.beam import Beam
from neurologic.search.decoder import Selection
from neurologic.search.rules import Rule
from neurologic.search.settings import SearchSettings
from toys import random_model, toy_vocabulary, word_model

DBA = Case(DECODERS["dba"])
WORDS = toy_vocabulary(" new", " york", " zealand", " the", " city")
NEW, YORK, ZEALAND, THE, CITY = range(1, 6)


def test_places_are_divided_equally_and_the_rest_goes_to_the_fullest_banks() -> None:
    assert allocate(6, [9, 9, 9]) == [2, 2, 2]
    assert allocate(5, [9, 9, 9]) == [1, 2, 2]
    assert allocate(2, [9, 9, 9]) == [0, 1, 1]


def test_places_that_a_bank_cannot_fill_go_to_its_neighbours() -> None:
    assert allocate(6, [9, 1, 9]) == [2, 1, 3]  # of two neighbours, to the one that covers more
    assert allocate(6, [9, 9, 0]) == [2, 4, 0]
    assert allocate(6, [9, 0, 0]) == [6, 0, 0]
    assert allocate(6, [1, 2, 1]) == [1, 2, 1]


@given(st.integers(1, 30), st.lists(st.integers(0, 20), min_size=1, max_size=8))
def test_no_place_is_wasted_and_none_is_given_twice(k: int, available: list[int]) -> None:
    places = allocate(k, available)
    assert sum(places) == min(k, sum(available))
    assert all(0 <= given <= there for given, there in zip(places, available, strict=True))


def test_one_phrase_is_tracked_at_a_time() -> None:
    """After "new" the tracker is inside of the first phrase, and does not think of the second."""
    constraint = compile_formula(parse('"new york" & "new zealand"'), WORDS)
    beam = Beam(constraint, SearchSettings(num_beams=1), rule=Rule.UNPLANNED)
    beam.replace([beam.extended(one) for one in step(beam, NEW).running])
    phrase, done = beam.hypotheses[0].memory
    assert (str(constraint.phrases[phrase]), done) == ('"new york"', 1)
    proposed = {candidate.token for candidate in step(beam, THE).considered}
    assert YORK in proposed
    assert ZEALAND not in proposed


def test_a_phrase_under_way_is_followed_to_its_end() -> None:
    beam = Beam(
        compile_formula(parse('"new york city"'), WORDS), SearchSettings(num_beams=1), rule=Rule.UNPLANNED
    )
    memories = []
    for word in (NEW, YORK, CITY):
        beam.replace([beam.extended(one) for one in step(beam, word).running])
        memories.append(beam.hypotheses[0].memory)
    assert memories == [(0, 1), (0, 2), None]
    assert beam.hypotheses[0].tokens == (NEW, YORK, CITY)


def test_a_phrase_that_is_left_before_its_end_counts_as_not_begun() -> None:
    constraint = compile_formula(parse('"new york"'), WORDS)
    beam = Beam(constraint, SearchSettings(num_beams=1), rule=Rule.UNPLANNED)
    beam.replace([beam.extended(one) for one in step(beam, NEW).running])
    left = next(candidate for candidate in step(beam, THE).considered if candidate.token == THE)
    assert left.memory is None


def step(beam: Beam, liked: int) -> Selection:
    """A step of a model that likes one word, then "city", and finds all others unlikely."""
    scores = torch.full((len(beam.hypotheses), len(WORDS)), -20.0)
    scores[:, CITY] = -3.0
    scores[:, 0] = -torch.inf
    scores[:, liked] = -0.1
    return DynamicBeamAllocation().step(beam, scores)


def test_rows_do_not_grow_with_the_number_of_constraints() -> None:
    vocabulary = toy_vocabulary(*(f" {word}" for word in "abcdefgh"))
    calls = [
        DBA.write(
            random_model(vocabulary, 1), formula, num_beams=4, max_new_tokens=8, early_stopping="never"
        ).calls
        for formula in ("a & b", "a & b & c & d & e & f")
    ]
    assert max(calls) <= 1 + 4 * 7


def test_banks_keep_places_for_texts_that_beam_search_would_drop() -> None:
    """ "frisbee" is never among the likeliest tokens; its bank gives it a place all the same."""
    model = word_model(
        {
            "": {"the": 0.9, "dog": 0.09},
            "the": {"dog": 0.9, "the": 0.09},
            "dog": {".": 0.9, "the": 0.09},
            "frisbee": {".": 0.9},
            ".": {"</s>": 0.9},
        }
    )
    free = Case(DECODERS["beam"]).write(model, None, num_beams=4, max_new_tokens=8).texts[0]
    assert free.text == b" the dog."
    best = DBA.write(model, "frisbee", num_beams=4, max_new_tokens=8).texts[0]
    assert b" frisbee" in best.text
    assert best.ending == "end"
