"""Results as tables."""

from __future__ import annotations

from dataclasses import replace

from experiments.bench.made_up_results import against, all_results, ours, results_of, theirs
from neurologic.experiments.bench.results import Measured
from neurologic.experiments.bench.tables import circumstances, markdown, sides_table, summary_table
from neurologic.experiments.bench.workload import OURS, REFERENCE


def rows_of(table):
    return [(row.name, *(cell.text for cell in row.cells)) for row in table.blocks[0].rows]


def test_the_row_of_a_figure():
    results = results_of(against("a", [3.0, 3.2, 2.8], [4.0, 4.0, 4.0]), letters="a")
    first, *_ = rows_of(summary_table(results))
    assert first == ("a", "title of a", "time ÷ Hugging Face", "0.75", "0.70 – 0.80", "≤ 0.45", "missed")


def test_units():
    results = results_of(against("c", [10.0], [20.0], bookkeeping=0.4), letters="cf")
    cells = [(row[0], row[3], row[5]) for row in rows_of(summary_table(results))]
    share, ratio, _, per_step = cells
    assert [share, ratio] == [("c", "4.0 %", "≤ 5.0 %"), ("c", "0.50", "-")]
    assert per_step == ("f", "40.00 ms", "≤ 2.00 ms")


def test_the_rows_of_the_sides():
    sides = {
        OURS: ours([2.0, 4.0, 3.0], peak_memory=3 * 2**20),
        REFERENCE: theirs([5.0, 5.0, 5.0]),
    }
    mine, reference = rows_of(sides_table(results_of(Measured("e", "title of e", 8, 64, sides))))
    assert mine == (
        *("e", "neurologic", "3.00 s", "2.00 s – 4.00 s", "99.00 s", "0.25 s", "0.50 s"),
        *("10.0", "3.3", "1 of 1", "3 MiB"),
    )
    assert reference == (*("e", "Hugging Face", "5.00 s", "-", "98.00 s", "-", "-", "20.0", "4.0", "-", "-"),)


def test_a_text_that_failed_in_a_single_run_shows():
    series = ours([1.0, 1.0])
    failed = replace(series, runs=(series.runs[0], replace(series.runs[1], satisfied=0)))
    sides = {OURS: failed, REFERENCE: theirs([1.0, 1.0])}
    assert "0 of 1" in rows_of(sides_table(results_of(Measured("a", "title of a", 8, 32, sides))))[0]


def test_a_workload_is_called_by_the_scenarios_that_look_at_it():
    def first_cell(letters):
        return rows_of(sides_table(results_of(against("c", [1.0], [1.0]), letters=letters)))[0][0]

    assert [first_cell("cf"), first_cell("c"), first_cell("f")] == ["c, f", "c", "f"]


def test_circumstances_name_machine_versions_and_rounds():
    lines = "\n".join(circumstances(results_of()))
    for part in (
        "An abacus",
        "2 cores",
        "1 thread,",
        "transformers 3",
        "medians of 5 rounds",
        "float32 on cpu",
    ):
        assert part in lines
    assert "quick" not in lines
    assert "provisional" not in lines


def test_quick_and_few_rounds_are_named():
    assert circumstances(results_of(quick=True))[-1].startswith("quick")
    assert "provisional" in circumstances(results_of(rounds=4))[-1]


def test_markdown():
    lines = markdown(all_results()).splitlines()
    assert lines[0].startswith("- tiny, float32 on cpu; An abacus")
    assert "| --- | --- | --- | --: | --: | --: | --: |" in lines
    tables = [line for line in lines if line.startswith("|")]
    results = all_results()
    assert len(tables) == 4 + len(rows_of(summary_table(results))) + len(rows_of(sides_table(results)))
