"""The order of runs, and what is measured of each workload."""

from __future__ import annotations

from dataclasses import replace

import pytest

from experiments.bench.test_sides import WORKLOAD, ticking
from neurologic.experiments.bench.measure import alternate, measure, number_of_runs
from neurologic.experiments.bench.results import Run


def sides_that_tell(names: str, order: list[str]):
    """Sides that write down their names; a run's seconds are its place in the order."""

    def side(name: str):
        def run() -> Run:
            order.append(name)
            return Run(seconds=float(len(order)), texts=1, tokens=1)

        return run

    return {name: side(name) for name in names}


def test_all_sides_run_once_before_the_rounds_and_another_one_is_first_each_time():
    order: list[str] = []
    alternate(sides_that_tell("abc", order), rounds=4)
    assert "".join(order) == "abc" + "abc" + "bca" + "cab" + "abc"


def test_two_sides_go_to_and_fro():
    order: list[str] = []
    alternate(sides_that_tell("ab", order), rounds=3)
    assert "".join(order) == "ab" + "ab" + "ba" + "ab"


def test_runs_are_kept_by_side_and_round_and_the_first_one_apart():
    series = alternate(sides_that_tell("ab", []), rounds=2)
    assert [series[name].first.seconds for name in "ab"] == [1, 2]
    assert [run.seconds for run in series["a"].runs] == [3, 6]
    assert [run.seconds for run in series["b"].runs] == [4, 5]


def test_progress_advances_after_every_run():
    calls: list[int] = []
    order: list[str] = []
    alternate(sides_that_tell("ab", order), rounds=2, advance=lambda: calls.append(len(order)))
    assert calls == [1, 2, 3, 4, 5, 6]


def test_no_rounds_are_refused():
    with pytest.raises(ValueError, match="at least 1"):
        alternate(sides_that_tell("ab", []), rounds=0)


def test_the_memory_of_e_only_is_measured(tiny):
    asked: list[str] = []
    steps: list[int] = []

    def peak_memory(side: str) -> int:
        asked.append(side)
        return 7

    workloads = [WORKLOAD, replace(WORKLOAD, letter="e", natural=True)]
    first, second = measure(tiny, workloads, 1, peak_memory, advance=lambda: steps.append(1), clock=ticking())
    assert asked == ["neurologic", "Hugging Face"]
    assert [series.peak_memory for series in first.sides.values()] == [None, None]
    assert [series.peak_memory for series in second.sides.values()] == [7, 7]
    assert [series.compiling for series in first.sides.values()] == [1.0, None]
    assert [workload.letter for workload in (first, second)] == ["a", "e"]
    assert len(steps) == number_of_runs(workloads, 1) == 2 * 2 + 2 * 2 + 2
