"""Runs with new formulas, and the same texts once more."""

from __future__ import annotations

import itertools

import pytest

import neurologic as nl
from experiments.bench.test_sides import ticking
from neurologic.errors import NeurologicError
from neurologic.experiments.bench.fresh import FreshRuns
from neurologic.experiments.bench.measure import measure
from neurologic.experiments.bench.workload import AGAIN, NEW, Inputs, Workload

WORDS = ("dog", "boat", "rope", "wind", "cat", "tree", "girl", "ball")


def workload(words=WORDS):
    """Two texts a run, each with a word that no run before has required."""
    left = iter(words)

    def deal() -> Inputs:
        pair = tuple(itertools.islice(left, 2))
        return Inputs(tuple(f"A {word}" for word in pair), tuple(map(nl.phrase, pair)))

    return Workload("g2", "", (), {}, num_beams=2, max_new_tokens=8, fresh=deal, batch_size=2)


def test_every_run_is_dealt_new_formulas_and_its_compiling_is_timed_apart(tiny):
    runs = FreshRuns(tiny, workload(), ticking())
    first, second = runs.run_new(), runs.run_new()
    assert (first.texts, first.tokens, first.satisfied, first.steps) == (2, 16, 2, 16)
    assert (first.compiling, first.seconds, second.compiling) == (1.0, 1.0, 1.0)


def test_the_newest_texts_are_written_again(tiny, monkeypatch):
    asked: list[list[str]] = []
    plain = tiny.generate

    def generate(prompts, constraints, **options):
        asked.append([*prompts, *(each.clauses[0].text for each in constraints)])
        return plain(prompts, constraints, **options)

    monkeypatch.setattr(tiny, "generate", generate)
    runs = FreshRuns(tiny, workload())
    for run in (runs.run_new, runs.run_again, runs.run_new, runs.run_again):
        run()
    assert asked == [[f"A {a}", f"A {b}", a, b] for a, b in (WORDS[:2],) * 2 + (WORDS[2:4],) * 2]


def test_both_sides_are_measured(tiny):
    [found] = measure(tiny, [workload()], 2, lambda _: None)
    assert [len(found.sides[side].runs) for side in (NEW, AGAIN)] == [2, 2]
    assert all(run.compiling is not None for run in found.sides[NEW].runs)
    assert found.sides[AGAIN].first.compiling is None


def test_a_workload_with_fixed_formulas_is_refused(tiny):
    fixed = Workload("a", "", (), {}, num_beams=2, max_new_tokens=8)
    with pytest.raises(NeurologicError, match="no fresh formulas"):
        FreshRuns(tiny, fixed).run_new()
