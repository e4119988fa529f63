"""Runs as they are found: missing, partial, being written, of other settings; compared on common inputs."""

import pytest

from experiments.reproduction.small import good, poor, reproduction, write_run
from neurologic.experiments.reproduction.findings import Findings
from neurologic.experiments.runs import Contest, scored

BEAM, OURS = ("supervised-1", "beam"), ("supervised-1", "neurologic")


def values(scored_):
    return {score.name: score.value for score in scored_.scores}


def test_a_run_that_is_not_there(tmp_path):
    findings = Findings(reproduction(tmp_path / "out"))
    assert findings.run(BEAM) is None
    assert findings.scores(BEAM) is None
    assert findings.compared(BEAM, OURS) is None


def test_scores_are_those_of_an_evaluation(tmp_path):
    one = reproduction(tmp_path / "out")
    write_run(one, BEAM, poor())
    write_run(one, OURS, good())
    findings = Findings(one)
    items = one.chosen(one.scale.system("supervised-1"))
    systems = [
        scored(one.task, items, " ".join(key), {}, list(findings.run(key).predictions.values()))
        for key in (BEAM, OURS)
    ]
    assert values(findings.scores(BEAM)) == values(systems[0])
    expected = Contest(one.task, tuple(items), tuple(systems)).differences["supervised-1 neurologic"]
    compared = findings.compared(BEAM, OURS)
    assert list(compared.differences.values()) == expected
    assert compared.differences["coverage"].difference.value == 50
    assert compared.inputs == 6
    assert findings.run(OURS).differs == ()


def test_a_part_of_a_run_is_compared_on_the_inputs_that_both_have(tmp_path):
    one = reproduction(tmp_path / "out")
    write_run(one, BEAM, poor()[:3])
    write_run(one, OURS, good())
    findings = Findings(one)
    assert not findings.run(BEAM).complete
    compared = findings.compared(BEAM, OURS)
    assert compared.inputs == 3
    assert [prediction.output for prediction in compared.second.predictions] == good()[:3]
    assert len(findings.scores(OURS).predictions) == 6


def test_a_line_that_is_being_written_does_not_count(tmp_path):
    one = reproduction(tmp_path / "out")
    write_run(one, BEAM, poor()[:2])
    path = one.run_folder(BEAM) / "predictions.jsonl"
    with path.open("ab") as file:
        file.write(b'{"id": "dev-3", "te')
    before = path.read_bytes()
    assert list(Findings(one).run(BEAM).predictions) == ["dev-1", "dev-2"]
    assert path.read_bytes() == before, "it is the writer's"


def test_a_line_that_makes_no_sense_is_told(tmp_path):
    one = reproduction(tmp_path / "out")
    write_run(one, BEAM, poor()[:2])
    with (one.run_folder(BEAM) / "predictions.jsonl").open("ab") as file:
        file.write(b"nonsense\n")
    findings = Findings(one)
    assert findings.run(BEAM) is None
    assert "predictions.jsonl, line 3" in findings.problems[BEAM]


def test_other_settings_are_told_and_counted_all_the_same(tmp_path):
    one = reproduction(tmp_path / "out")
    write_run(one, BEAM, poor(), {"num_beams": 3})
    assert Findings(one).run(BEAM).differs == ("num_beams was 3 and is now 8",)


def test_a_run_of_other_data_does_not_count(tmp_path):
    one = reproduction(tmp_path / "out")
    write_run(one, BEAM, poor())
    path = tmp_path / "data" / "commongen.dev.src_alpha.txt"
    path.write_text(path.read_text().replace("kite", "plane"))
    from experiments.reproduction.small import SMALL, TASKS, Reproduction, Selection

    again = Reproduction(
        SMALL, TASKS["commongen"], str(tmp_path / "data"), tmp_path / "out", selection=Selection()
    )
    findings = Findings(again)
    assert findings.run(BEAM) is None
    assert "is of something else: data was" in findings.problems[BEAM]


def test_a_trained_model_that_was_deleted_leaves_its_runs(tmp_path):
    one = reproduction(tmp_path / "out")
    model = tmp_path / "out" / "models" / "supervised-1"
    model.mkdir(parents=True)
    (model / "config.json").write_text("{}")
    write_run(one, BEAM, poor())
    assert Findings(one).run(BEAM).differs == ()
    (model / "config.json").write_text('{"other": 1}')
    assert "model was" in Findings(one).run(BEAM).differs[0]
    (model / "config.json").unlink()
    model.rmdir()
    assert Findings(one).run(BEAM).differs == ()


def test_what_was_written_since_is_read_again(tmp_path):
    one = reproduction(tmp_path / "out")
    findings = Findings(one)
    assert findings.compared(BEAM, OURS) is None
    write_run(one, BEAM, poor())
    write_run(one, OURS, good())
    assert findings.compared(BEAM, OURS) is None, "it remembers"
    findings.forget("supervised-1")
    assert findings.compared(BEAM, OURS) is not None


def test_more_than_the_plan_asks_for_is_taken(tmp_path):
    one = reproduction(tmp_path / "out")  # where dba is to write for four inputs
    write_run(one, ("supervised-1", "dba"), poor())
    found = Findings(one).run(("supervised-1", "dba"))
    assert (len(found.predictions), found.inputs, found.complete) == (6, 4, True)


@pytest.mark.parametrize("name", ["run.json", "predictions.jsonl"])
def test_half_a_run_is_none(tmp_path, name):
    one = reproduction(tmp_path / "out")
    write_run(one, BEAM, poor())
    (one.run_folder(BEAM) / name).unlink()
    assert Findings(one).run(BEAM) is None
