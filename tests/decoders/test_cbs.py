"""Constrained beam search: a beam in every state of a machine that knows which constraints are satisfied."""

from __future__ import annotations

import pytest
import torch

from decoders.cases import Case
from neurologic.decoders.cbs import ConstrainedBeamSearch
from neurologic.decoders.registry import DECODERS
from neurologic.errors import ExpressivityError
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.logic import parse
from neurologic.search.beam import Beam
from neurologic.search.rules import Rule
from neurologic.search.settings import SearchSettings
from search.test_optimum import VOCABULARY, best_text
from toys import random_model, toy_vocabulary

CBS = Case(DECODERS["cbs"])
WORDS = toy_vocabulary(" dog", " cat", " runs", " fast", " the")


def states(formula: str, steps: int) -> list[list[tuple[int, bool]]]:
    """Per step the states that have a hypothesis: unsatisfied clauses, and whether inside a phrase."""
    beam = Beam(compile_formula(parse(formula), WORDS), SearchSettings(num_beams=1), rule=Rule.UNPLANNED)
    likes = torch.tensor([-99.0, -6.0, -7.0, -5.0, -4.0, -1.0])
    per_step = []
    for _ in range(steps):
        scores = torch.tensor([[one.logprob] for one in beam.hypotheses]) + likes
        running = ConstrainedBeamSearch().step(beam, scores).running
        per_step.append(sorted((one.status.unsatisfied, bool(one.memory)) for one in running))
        beam.replace([beam.extended(candidate) for candidate in running])
    return per_step


def test_two_constraints_make_four_states() -> None:
    first, second, third = states("dog & runs", 3)
    assert first == [(0b01, False), (0b10, False), (0b11, False)]  # one of the two, or none yet
    assert second == third == [(0b00, False), (0b01, False), (0b10, False), (0b11, False)]


def test_a_set_of_alternatives_is_one_constraint() -> None:
    assert states("(dog | cat) & runs", 3)[-1] == states("dog & runs", 3)[-1]


def test_a_phrase_of_several_tokens_adds_states_inside_of_it() -> None:
    first, second, third = states('"runs fast"', 3)
    assert first == [(1, False), (1, True)]
    assert second == third == [(0, False), (1, False), (1, True)]


@pytest.mark.parametrize("formula", ["a", "a & b", "ab | ba", "(a | b) & ba", '"a b"', '"a b" | ba'])
def test_wide_beams_find_the_best_of_all_texts_that_satisfy_the_constraints(formula: str) -> None:
    constraint = compile_formula(parse(formula), VOCABULARY)
    everything = len(VOCABULARY) ** 4
    for seed in range(3):
        model = random_model(VOCABULARY, seed)
        expected = best_text(model, constraint, limit=5, length_penalty=1.0)
        output = CBS.write(model, formula, num_beams=everything, max_new_tokens=5, early_stopping="never")
        assert output.texts[0].text == expected


def test_a_machine_with_too_many_states_is_refused() -> None:
    def require(formula: str) -> None:
        vocabulary = toy_vocabulary(*(f" {word}" for word in "abcdefghijk"))
        ConstrainedBeamSearch().require(compile_formula(parse(formula), vocabulary))

    require(" & ".join("abcdefg"))  # 128 states
    for formula in (" & ".join("abcdefgh"), '"k k" & ' + " & ".join("abcdef")):
        with pytest.raises(ExpressivityError, match=r"256 states .* may have 128; use neurologic"):
            require(formula)


def test_rows_can_be_shared_out_over_the_states_instead() -> None:
    model = random_model(WORDS, 3)
    output = CBS.write(model, "dog & cat", num_beams=1, rows=6, max_new_tokens=5, early_stopping="never")
    assert output.calls <= 1 + 4 * 6


def test_a_few_rows_go_to_the_states_that_have_most() -> None:
    """With fewer rows than states, texts still get to the state in which all is satisfied."""
    for seed in range(5):
        output = CBS.write(
            random_model(WORDS, seed), "dog & cat & fast", rows=3, num_beams=3, max_new_tokens=9
        )
        assert output.texts[0].satisfied == 3
