"""The tables: our values, the paper's, marks, and missing runs."""

import json

import pytest

from experiments.reproduction.small import good, poor, small_reproduction, write_run
from neurologic.errors import PromptError
from neurologic.experiments.reproduction import paper_tables as tables
from neurologic.experiments.reproduction.experiment_parts import RunKey
from neurologic.experiments.reproduction.found_runs import Findings
from neurologic.generation.result import Result


@pytest.fixture
def reproduction(tmp_path):
    return small_reproduction(tmp_path / "out")


def rows(table, block=0):
    return {row.name: row for row in table.blocks[block].rows}


def by_heading(table, row):
    return dict(zip(table.headings, row.cells, strict=False))


def test_a_pair_has_both_values_and_the_verdict(reproduction):
    write_run(reproduction, ("supervised-1", "beam"), poor())
    write_run(reproduction, ("supervised-1", "neurologic"), good())
    table = tables.table_2(Findings(reproduction))
    cell = by_heading(table, rows(table)["tiny, all data"])["Coverage"]
    assert cell.values == (50.0, 100.0)
    assert cell.mark == 1
    assert cell.p_value < 0.05
    assert by_heading(table, rows(table)["tiny, all data"])["clauses %"].values == (50.0, 100.0)
    assert by_heading(table, rows(table)["tiny, all data"])["SPICE"].values == (None, None)


def test_missing_runs_are_shown_as_missing(reproduction):
    write_run(reproduction, ("supervised-0.5", "beam"), poor())
    table = tables.table_2(Findings(reproduction))
    half, whole = rows(table)["tiny, half of the data"], rows(table)["tiny, all data"]
    assert half.missing
    assert half.notes == ("no run of neurologic on supervised-0.5 yet",)
    assert whole.notes == ("no run of beam on supervised-1 yet; no run of neurologic on supervised-1 yet",)
    assert table.blocks[0].title == "here: 6 inputs of the dev split"


def test_the_papers_rows_stand_beside_ours_and_say_whose_they_are(reproduction):
    findings = Findings(reproduction)
    second, third, fourth = tables.table_2(findings), tables.table_3(findings), tables.table_4(findings)
    for table in (second, third):
        assert table.blocks[1].title == "the paper: other models, and the test split"
    assert by_heading(second, rows(second, 1)["T5-Large"])["Coverage"].text == "89.7 → 98.5"
    assert by_heading(third, rows(third, 1)["GPT-2, after domain adaptation"])["BLEU-4"].text == "4.0 → 25.1"
    assert by_heading(fourth, rows(fourth, 1)["gbs"])["METEOR"].text == "25.9"
    assert "GPT-2 large, and the test split" in fourth.blocks[1].title


def test_what_is_not_zero_shot_is_labelled(reproduction):
    write_run(reproduction, ("adapted-1", "beam"), poor())
    write_run(reproduction, ("adapted-1", "neurologic"), good())
    table = tables.table_3(Findings(reproduction))
    assert rows(table)["tiny, adapted"].notes == ("not quite zero-shot",)
    assert not rows(table)["tiny, adapted"].missing


def test_every_decoder_is_compared_with_neurologic(reproduction):
    write_run(reproduction, ("supervised-1", "neurologic"), good())
    write_run(reproduction, ("supervised-1", "beam"), poor())
    write_run(reproduction, ("supervised-1", "greedy"), good())
    write_run(reproduction, ("supervised-1", "dba"), poor()[:4])
    findings = Findings(reproduction)
    table = tables.table_4(findings)
    found = rows(table)
    assert list(found) == ["greedy", "beam", "dba", "neurologic"]
    coverage = {name: by_heading(table, row)["Coverage"] for name, row in found.items()}
    assert {name: cell.mark for name, cell in coverage.items()} == {
        "greedy": 0,
        "beam": -1,
        "dba": -1,
        "neurologic": 0,
    }
    assert coverage["neurologic"].p_value is None
    assert found["dba"].notes == ("4 of 6 inputs",)
    assert by_heading(table, found["beam"])["s/text"].text == "2.00"
    differences = tables.table_4_differences(findings)
    assert by_heading(differences, rows(differences)["beam"])["Coverage"].text == "-50.0"
    assert "neurologic" not in rows(differences)


def test_differences_of_the_paper_are_its_own(reproduction):
    table = tables.table_4_differences(Findings(reproduction))
    beam, astar = rows(table, 1)["beam"], rows(table, 1).get("astar")
    assert [cell.text for cell in beam.cells] == ["-2.5", "-2.5", "-2.0", "-2.6", "-1.3", "-3.2", "-15.5"]
    assert astar is None, "the small scale does not run it"


def test_further_tables_for_decoders_that_somebody_ran(reproduction):
    for decoder, texts in (("beam", poor()), ("neurologic", good())):
        write_run(reproduction, ("zero-shot", decoder), texts)
    assert tables.further_tables(Findings(reproduction)) == []
    write_run(reproduction, ("zero-shot", "dba"), good())
    (table,) = tables.further_tables(Findings(reproduction))
    assert (table.key, list(rows(table))) == ("decoders_zero-shot", ["beam", "dba", "neurologic"])


def test_a_contrast_says_what_is_better_and_what_is_not(reproduction):
    write_run(reproduction, ("zero-shot", "neurologic"), [f"{words} thing" for words in good()])
    write_run(reproduction, ("supervised-0.5", "beam"), [text.replace("A ", "The ") for text in poor()])
    findings = Findings(reproduction)
    table = tables.contrasts(findings)
    (row,) = table.blocks[0].rows
    assert row.name == "zero-shot neurologic − supervised-0.5 beam"
    assert by_heading(table, row)["Coverage"].text == "+50.0"
    (verdict,) = tables.verdicts(findings)
    assert verdict.startswith("Search against supervision (zero-shot neurologic − supervised-0.5 beam): ")
    assert "significantly better in" in verdict
    assert "Coverage +50.0" in verdict
    assert verdict.endswith("(6 inputs).")


def test_a_contrast_without_a_run(reproduction):
    (verdict,) = tables.verdicts(Findings(reproduction))
    assert verdict.endswith("a run is missing.")


def test_failures_and_other_settings_are_noted(reproduction):
    write_run(reproduction, ("supervised-1", "neurologic"), good())
    write_run(reproduction, ("supervised-1", "beam"), poor()[:5], {"num_beams": 2})
    experiment = reproduction.experiment(reproduction.scale.system("supervised-1"))
    settings = experiment.settings("beam", {"num_beams": 2})
    with experiment.run(reproduction.run_folder(RunKey("supervised-1", "beam")), "beam", settings) as run:
        run.add(experiment.split_items[5], Result("", 0.0, error=PromptError("too long")), 0.1)
    table = tables.table_4(Findings(reproduction))
    assert rows(table)["beam"].notes == (
        "beam with other settings: num_beams was 2 and is now 8",
        "beam failed on 1",
    )


def test_only_the_tables_of_the_wanted_parts(tmp_path):
    def keys(*parts):
        return [
            table.key
            for table in tables.all_tables(Findings(small_reproduction(tmp_path / "out", parts=parts)))
        ]

    assert keys("table2") == ["table2"]
    assert keys("table4") == ["table4", "table4_differences"]
    assert keys("table3", "data") == ["table3", "contrasts"]
    assert keys("size") == []


def test_tables_are_data_too(reproduction):
    write_run(reproduction, ("supervised-1", "beam"), poor())
    write_run(reproduction, ("supervised-1", "neurologic"), good())
    document = json.loads(json.dumps(tables.table_2(Findings(reproduction)).to_json()))
    missing, there = document["blocks"][0]["rows"]
    assert (missing["missing"], missing["cells"], there["missing"]) == (True, [], False)
    coverage = there["cells"][document["columns"].index("Coverage")]
    assert (coverage["values"], coverage["significant"]) == ([50.0, 100.0], 1)
