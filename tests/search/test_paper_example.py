"""The paper's Figure 3, step by step: k=3, alpha=8, beta=2, lambda=0.1 on a hand-made model.

The figure's picture is not in the paper's source, so the words and probabilities are ours; the settings and
the rules are the paper's. The formula has the kinds of clauses of its text: "(climb | climbs) & ("apple
tree") & !ladder".
"""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from neurologic.decoders.neurologic import NeuroLogicDecoder
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.logic import parse
from neurologic.models.base import EncodedPrompt
from neurologic.search.beam import Beam
from neurologic.search.engine import search
from neurologic.search.hooks import Hooks
from neurologic.search.input_output import SearchInput, SearchOutput
from neurologic.search.settings import SearchSettings
from neurologic.search.trace import Trace
from toys import END, ToyModel, toy_vocabulary

# The last piece has no space before it: with it, a forbidden "ladder" can still become "ladders".
WORDS = ["The", "boy", "girl", "climbs", "sits", "on", "an", "apple", "tree", "ladder", ".", "s"]
VOCABULARY = toy_vocabulary(*(word if word in (".", "s") else " " + word for word in WORDS))
FORMULA = '(climb | climbs) & "apple tree" & !ladder'

# Probabilities of the next word after the last one; what is not listed shares the rest evenly.
NEXT = {
    "": {"The": 0.85, "climbs": 0.04, "boy": 0.03},
    "The": {"boy": 0.5, "girl": 0.3, "apple": 0.1},
    "boy": {"sits": 0.5, "climbs": 0.3, "on": 0.1},
    "girl": {"sits": 0.6, "climbs": 0.2, "on": 0.1},
    "climbs": {"an": 0.4, "ladder": 0.4, "on": 0.1},
    "sits": {"on": 0.3, "an": 0.2, ".": 0.2, "The": 0.2},
    "on": {"an": 0.5, "The": 0.2, "ladder": 0.2},
    "an": {"apple": 0.7, "on": 0.1},
    "apple": {"tree": 0.4, ".": 0.4, "ladder": 0.1},
    "tree": {".": 0.6, "ladder": 0.2},
    "ladder": {".": 0.8},
    ".": {"</s>": 0.9},
    "s": {".": 0.9},
}


def logits_of(tokens: tuple[int, ...]) -> torch.Tensor:
    last = WORDS[tokens[-1] - 1] if len(tokens) > 1 else ""
    chances = NEXT[last]
    names = ["</s>", *WORDS]
    rest = (1 - sum(chances.values())) / (len(names) - len(chances))
    return torch.tensor([math.log(chances.get(name, rest)) for name in names])


@pytest.fixture(scope="module")
def run() -> tuple[SearchOutput, list[dict[str, Any]]]:
    steps: list[dict[str, Any]] = []
    model = ToyModel(VOCABULARY, logits_of)
    constraint = compile_formula(parse(FORMULA), VOCABULARY)
    settings = SearchSettings(
        dominance=False,
        phrase_groups=False,
        num_beams=3,
        alpha=8,
        beta=2,
        lambda_=0.1,
        max_new_tokens=12,
    )
    hooks = Hooks(trace=Trace(steps.append))
    one = SearchInput(EncodedPrompt((END,)), constraint)
    (output,) = search(model, [one], NeuroLogicDecoder(), settings, hooks)
    return output, steps


def with_fate(step: dict[str, Any], fate: str) -> list[str]:
    """Candidates of a step with a fate, written as the hypothesis' last words and the new one."""
    rows = step["beam"]
    return [rows[c["row"]]["text"] + c["piece"] for c in step["candidates"] if c["fate"] == fate]


def candidate(step: dict[str, Any], text: str) -> dict[str, Any]:
    rows = step["beam"]
    return next(c for c in step["candidates"] if rows[c["row"]]["text"] + c["piece"] == text)


def test_the_steps_are_those_of_the_paper(run: tuple[SearchOutput, list[dict[str, Any]]]) -> None:
    _, steps = run

    # Step 1. Prune: of the 12 pieces, the top alpha=8 by likelihood are kept, and the forbidden word is
    # not dropped yet: " ladder" is only certain when the next character is known. Group: no clause is in S4
    # but for " climbs", which is provisionally so. Select: the groups in turn, the one with the best
    # candidate first.
    assert with_fate(steps[0], "selected")[0] == " The"
    assert candidate(steps[0], " climbs")["group"] == ["climb | climbs"]
    assert candidate(steps[0], " climbs")["states"] == ["S4", "S1", "S3"]

    # Step 3 extends, among others, "The boy". Its group stands for no satisfied clause; "The boy climbs"
    # founds another, so it is selected although "The boy sits" is likelier.
    third = steps[2]
    assert candidate(third, " The boy climbs")["group"] == ["climb | climbs"]
    assert candidate(third, " The boy sits")["group"] == []
    assert candidate(third, " The boy sits")["logprob"] > candidate(third, " The boy climbs")["logprob"]
    assert " The boy climbs" in with_fate(third, "selected")

    # Step 4. "The boy climbs ladder" survives pruning, since its last word may still become another, but the
    # rotation gives the group's place to "The boy climbs an", which earns no less and comes first.
    fourth = steps[3]
    assert candidate(fourth, " The boy climbs ladder")["states"] == ["S4", "S1", "S3"]
    assert candidate(fourth, " The boy climbs ladder")["fate"] == "not selected"
    assert with_fate(fourth, "selected") == [" The boy sits on", " The boy climbs an", " The girl sits on"]


def test_a_forbidden_word_is_in_s2_once_it_is_over() -> None:
    constraint = compile_formula(parse(FORMULA), VOCABULARY)
    beam = Beam(constraint, SearchSettings(max_new_tokens=12))
    for word in ("boy", "climbs", "ladder"):
        beam.replace([beam.extended(beam.consider(0, WORDS.index(word) + 1, -1.0))])
    over, longer = (beam.consider(0, WORDS.index(piece) + 1, -1.0) for piece in (".", "s"))
    assert over.fate == "S2"
    assert not longer.fate  # "ladders" is another word


def test_half_of_apple_tree_earns_half_of_lambda(run: tuple[SearchOutput, list[dict[str, Any]]]) -> None:
    """The paper: for "The boy climbs an apple" and "apple tree" the matched prefix is "apple"."""
    _, steps = run
    apple = candidate(steps[4], " The boy climbs an apple")
    assert apple["score"] == pytest.approx(apple["logprob"] + 0.1 * 1 / 2)
    tree = candidate(steps[5], " The boy climbs an apple tree")
    assert tree["score"] == pytest.approx(tree["logprob"])  # the clause is satisfied, nothing is owed


def test_pruning_keeps_alpha_candidates_and_beta_tiers(
    run: tuple[SearchOutput, list[dict[str, Any]]],
) -> None:
    _, steps = run
    for step in steps:
        survivors = [
            c
            for c in step["candidates"]
            if c["fate"] in ("selected", "finished", "not selected", "same text")
        ]
        by_tier = [c for c in step["candidates"] if c["fate"] == "beta"]
        assert len(survivors) + len(by_tier) <= 8
        assert len({c["satisfied"] for c in survivors}) <= 2
        assert len([c for c in step["candidates"] if c["fate"] == "selected"]) <= 3


def test_the_best_satisfied_text_wins(run: tuple[SearchOutput, list[dict[str, Any]]]) -> None:
    output, _ = run
    assert output.texts[0].text.decode() == " The boy climbs an apple tree."
    assert output.texts[0].forced == 0
