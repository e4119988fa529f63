"""Grid beam search: a bank per covered token, closed hypotheses, and the true optimum with a wide beam."""

from __future__ import annotations

import pytest
import torch

from decoders.cases import Case
from neurologic.decoders.gbs import GridBeamSearch
from neurologic.decoders.registry import DECODERS
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.logic import parse
from neurologic.search.beam import Beam
from neurologic.search.decoder import Selection
from neurologic.search.rules import Rule
from neurologic.search.settings import SearchSettings
from search.test_optimum import VOCABULARY, best_text
from toys import END, random_model, toy_vocabulary

GBS = Case(DECODERS["gbs"])
WORDS = toy_vocabulary(" new", " york", " city", " big", " the")
NEW, YORK, CITY, BIG, THE = range(1, 6)


def first_steps(formula: str, steps: int, **knobs: int) -> list[tuple[Selection, list[tuple[int, ...]]]]:
    """What is selected, and the texts then, where the model likes "the" best, then "city", and no end."""
    beam = Beam(compile_formula(parse(formula), WORDS), SearchSettings(**knobs), rule=Rule.UNPLANNED)
    likes = torch.tensor([-99.0, -6.0, -7.0, -2.0, -5.0, -1.0])
    taken = []
    for _ in range(steps):
        scores = torch.tensor([[one.logprob] for one in beam.hypotheses]) + likes
        selection = GridBeamSearch().step(beam, scores)
        beam.replace([beam.extended(candidate) for candidate in selection.running])
        taken.append((selection, [one.tokens for one in beam.hypotheses]))
    return taken


def test_the_grid_has_a_bank_for_every_number_of_covered_tokens() -> None:
    """The paper's figure in miniature, one hypothesis a bank: none covered, one, two, three."""
    first, second, third = (texts for _, texts in first_steps('"new york" & big', 3, num_beams=1))
    assert first == [(THE,), (BIG,)]  # "big" is likelier than "new"
    assert second == [(THE, THE), (THE, BIG), (BIG, NEW)]
    assert third == [(THE, THE, THE), (THE, THE, BIG), (THE, BIG, NEW), (BIG, NEW, YORK)]


def test_a_closed_hypothesis_has_to_continue_its_phrase() -> None:
    (first, _), (second, _) = first_steps('"new york"', 2, num_beams=1)
    closed = next(place for place, one in enumerate(first.running) if one.memory is not None)
    assert first.running[closed].token == NEW
    after_closed = [candidate.token for candidate in second.considered if candidate.row == closed]
    assert after_closed == [YORK]
    after_open = {candidate.token for candidate in second.considered if candidate.row != closed}
    assert {THE, CITY, NEW} <= after_open


def test_a_word_that_begins_a_phrase_can_also_be_meant_otherwise() -> None:
    """ "new" may be written without starting "new york", as in "the new city … new york"."""
    ((first, _),) = first_steps('"new york"', 1, num_beams=8)
    assert sorted(one.memory is None for one in first.running if one.token == NEW) == [False, True]
    (*_, (_, texts)) = first_steps('"new york"', 3, num_beams=100)
    assert (NEW, CITY, THE) in texts
    assert texts.count((NEW, YORK, THE)) == 1  # which both ways lead to


def test_rows_grow_with_the_number_of_constraint_tokens() -> None:
    formulas = ("big", '"new york"', '"new york" & big', '"new york" & big & city')
    for tokens, formula in enumerate(formulas, start=1):
        rows = [len(texts) for _, texts in first_steps(formula, 6, num_beams=1)]
        assert rows == [min(step + 1, tokens) + 1 for step in range(6)]


def test_rows_can_be_shared_out_over_the_banks_instead() -> None:
    rows = [len(texts) for _, texts in first_steps('"new york" & big', 6, num_beams=1, rows=8)]
    assert max(rows) <= 8
    assert rows[-1] == 8


@pytest.mark.parametrize("formula", ["a", "ab", "a & b", '"a b"', "ab & b"])
def test_a_wide_grid_finds_the_best_of_all_texts_with_the_phrases(formula: str) -> None:
    constraint = compile_formula(parse(formula), VOCABULARY)
    everything = len(VOCABULARY) ** 4
    for seed in range(3):
        model = random_model(VOCABULARY, seed)
        expected = best_text(model, constraint, limit=5, length_penalty=1.0)
        output = GBS.write(model, formula, num_beams=everything, max_new_tokens=5, early_stopping="never")
        assert output.texts[0].text == expected
        assert output.texts[0].tokens[-1] == END
