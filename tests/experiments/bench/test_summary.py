"""The arithmetic on made-up times."""

from __future__ import annotations

import pytest

from experiments.bench.made_up_results import (
    against,
    all_results,
    fresh,
    ours,
    results_of,
    served,
    sweep,
    theirs,
)
from neurologic.experiments.bench.figures import BOOKKEEPING_PER_STEP, FIRST_RATIO, TIME_RATIO
from neurologic.experiments.bench.results import Measured
from neurologic.experiments.bench.scenarios import SCENARIOS
from neurologic.experiments.bench.scenarios.concept_sets import HINT_RATIO
from neurologic.experiments.bench.scenarios.many_beams import BOOKKEEPING_SHARE
from neurologic.experiments.bench.scenarios.many_clients import FIRST_TEXT
from neurologic.experiments.bench.scenarios.mixed_lengths import MEMORY_RATIO
from neurologic.experiments.bench.scenarios.new_formulas import COLD, COMPILING, SHARE, WARM
from neurologic.experiments.bench.summary import summarise
from neurologic.experiments.bench.workload import OURS, REFERENCE


def only(results, name):
    [row] = [row for row in summarise(results) if row.name == name]
    return row


def test_a_ratio_is_the_median_of_the_rounds_ratios_not_the_ratio_of_the_medians():
    # Round by round 0.5, 0.5, 0.8; the medians are 4 and 5, which would give 0.8.
    results = results_of(against("a", [1.0, 5.0, 4.0], [2.0, 10.0, 5.0]), letters="a")
    row = only(results, TIME_RATIO)
    assert (row.value, row.low, row.high) == (0.5, 0.5, 0.8)


def test_a_drift_of_the_machine_cancels_out():
    results = results_of(against("a", [1.0, 2.0, 8.0], [2.0, 4.0, 16.0]), letters="a")
    row = only(results, TIME_RATIO)
    assert (row.value, row.low, row.high) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize(("letter", "target"), [("a", 0.45), ("b", 0.33), ("e", 0.29)])
def test_a_ratio_at_its_target_meets_it_and_one_above_misses_it(letter, target):
    met = results_of(against(letter, [target], [1.0]), letters=letter)
    missed = results_of(against(letter, [target + 0.001], [1.0]), letters=letter)
    assert only(met, TIME_RATIO).target == target
    assert only(met, TIME_RATIO).verdict == "met"
    assert only(missed, TIME_RATIO).verdict == "missed"


def test_the_first_run_is_a_figure_of_its_own():
    """In these results it takes 99 seconds on our side and 98 on the other, which does not matter."""
    results = results_of(against("a", [1.0, 1.0, 1.0], [1.0, 2.0, 30.0]), letters="a")
    assert only(results, TIME_RATIO).high == 1.0
    first = only(results, FIRST_RATIO)
    assert (first.value, first.low, first.high, first.verdict) == (99 / 2, 99 / 2, 99 / 2, "")


def test_bookkeeping_is_what_no_part_accounts_for():
    measured = against("c", [2.0, 4.0, 10.0], [5.0, 5.0, 5.0], bookkeeping=1.0)
    results = results_of(measured, letters="cf")
    share = only(results, BOOKKEEPING_SHARE)
    assert (share.value, share.low, share.high, share.unit) == (0.25, 0.1, 0.5, "share")
    assert share.verdict == "missed"
    per_step = only(results, BOOKKEEPING_PER_STEP)  # 1 second over 10 steps
    assert (per_step.letter, per_step.unit, per_step.target) == ("f", "ms", 2.0)
    assert per_step.value == pytest.approx(100)


def test_c_and_f_look_at_the_same_runs_but_are_shown_only_where_asked_for():
    measured = against("c", [2.0], [4.0])
    assert {row.letter for row in summarise(results_of(measured, letters="f"))} == {"f"}
    assert {row.letter for row in summarise(results_of(measured, letters="c"))} == {"c"}


def test_a_side_without_a_stopwatch_has_no_bookkeeping():
    measured = Measured("c", "title of c", 20, 32, {OURS: theirs([1.0]), REFERENCE: theirs([2.0])})
    assert [row.name for row in summarise(results_of(measured, letters="cf"))] == [
        TIME_RATIO,
        FIRST_RATIO,
    ]


def test_the_sweep_is_held_against_one_clause():
    results = results_of(sweep(one=[2.0, 2.0], thousand=[2.2, 2.0], negatives=[3.0, 3.0]), letters="d")
    shown = {row.name: (row.value, row.verdict) for row in summarise(results)}
    assert shown == {
        "1,000 clauses ÷ 1 clause": (pytest.approx(1.05), "met"),
        "3,000 negatives ÷ 1 clause": (1.5, "missed"),
        "1 clause ÷ Hugging Face": (0.5, ""),
        "3,000 negatives: compiling": (250.0, "missed"),
        "3,000 negatives: bookkeeping per step, first run": (100.0, "missed"),
    }


def test_memory_must_not_exceed_the_references():
    def results(mine, reference):
        sides = {OURS: ours([1.0], peak_memory=mine), REFERENCE: theirs([2.0], peak_memory=reference)}
        return results_of(Measured("e", "title of e", 8, 64, sides), letters="e")

    assert only(results(100, 100), MEMORY_RATIO).verdict == "met"
    assert only(results(101, 100), MEMORY_RATIO).verdict == "missed"
    assert MEMORY_RATIO not in {row.name for row in summarise(results(None, 100))}


def test_no_verdict_on_the_small_workloads():
    rows = summarise(all_results(quick=True))
    assert {row.verdict for row in rows} == {"quick", ""}
    assert [row.target for row in rows] == [row.target for row in summarise(all_results())]


def test_the_hint_is_compared_with_our_own_time_without_it():
    (row,) = [row for row in summarise(all_results()) if row.name == HINT_RATIO]
    assert (row.value, row.target) == (1.5, 1.7)


def test_every_target_belongs_to_a_figure():
    named = {(row.letter, row.workload, row.name) for row in summarise(all_results())}
    targets = {(letter, *key) for letter, scenario in SCENARIOS.items() for key in scenario.targets}
    assert targets <= named


def test_scenarios_that_were_not_reached_are_left_out():
    results = results_of(against("a", [1.0], [2.0]))
    assert {row.letter for row in summarise(results)} == {"a"}


def test_a_server_is_compared_with_a_file_and_tells_how_long_clients_wait():
    measured = served([3.3, 3.0], [3.0, 3.0], waits=(0.2, 0.4))
    ratio, wait = summarise(results_of(measured, letters="s"))
    assert (ratio.value, ratio.verdict) == (pytest.approx(1.05), "met")
    assert (wait.name, wait.value, wait.target) == (FIRST_TEXT, pytest.approx(300.0), None)


def test_bookkeeping_of_new_formulas_is_counted_per_input_and_step_and_against_a_forward_pass():
    measured = fresh("g8", new=0.012, again=0.004, texts=8)
    shown = {row.name: (row.value, row.verdict) for row in summarise(results_of(measured, letters="g"))}
    assert shown == {
        COLD: (pytest.approx(0.15), "met"),  # 12 ms over 8 texts of 10 steps
        WARM: (pytest.approx(0.05), "met"),
        SHARE: (pytest.approx(0.04), ""),  # 1.2 ms of 30
        COMPILING: (pytest.approx(4.0), "missed"),
    }


def test_the_workloads_of_a_scenario_have_targets_of_their_own():
    results = results_of(fresh("g1", new=0.005), fresh("g64", new=0.005, texts=1), letters="g")
    verdicts = [(row.workload, row.verdict) for row in summarise(results) if row.name == COLD]
    assert verdicts == [("g1", "met"), ("g64", "missed")]
