"""Runs as they are found: missing, partial, being written, of other settings; compared on common inputs."""

import pytest

from experiments.reproduction.small import SMALL, good, poor, small_reproduction, write_run
from neurologic.experiments.reproduction.experiment_parts import RunKey
from neurologic.experiments.reproduction.found_runs import Findings
from neurologic.experiments.reproduction.reproduction import Reproduction
from neurologic.experiments.runs import Evaluation, Subset, score_system
from neurologic.experiments.tasks import TASKS

BEAM, OURS = RunKey("supervised-1", "beam"), RunKey("supervised-1", "neurologic")


def values(scored_):
    return {score.name: score.value for score in scored_.scores}


def test_a_run_that_is_not_there(tmp_path):
    findings = Findings(small_reproduction(tmp_path / "out"))
    assert findings.run(BEAM) is None
    assert findings.scores(BEAM) is None
    assert findings.compared(BEAM, OURS) is None


def test_scores_are_those_of_an_evaluation(tmp_path):
    reproduction = small_reproduction(tmp_path / "out")
    write_run(reproduction, BEAM, poor())
    write_run(reproduction, OURS, good())
    findings = Findings(reproduction)
    items = reproduction.chosen(reproduction.scale.system("supervised-1"))
    systems = [
        score_system(
            reproduction.task, items, " ".join(key), {}, list(findings.run(key).predictions.values())
        )
        for key in (BEAM, OURS)
    ]
    assert values(findings.scores(BEAM)) == values(systems[0])
    expected = Evaluation(reproduction.task, tuple(items), tuple(systems)).differences[
        "supervised-1 neurologic"
    ]
    compared = findings.compared(BEAM, OURS)
    assert list(compared.differences.values()) == expected
    assert compared.differences["coverage"].difference.value == 50
    assert compared.inputs == 6
    assert findings.run(OURS).differences == ()


def test_a_part_of_a_run_is_compared_on_the_inputs_that_both_have(tmp_path):
    reproduction = small_reproduction(tmp_path / "out")
    write_run(reproduction, BEAM, poor()[:3])
    write_run(reproduction, OURS, good())
    findings = Findings(reproduction)
    assert not findings.run(BEAM).complete
    compared = findings.compared(BEAM, OURS)
    assert compared.inputs == 3
    assert [prediction.output for prediction in compared.second.predictions] == good()[:3]
    assert len(findings.scores(OURS).predictions) == 6


def test_a_line_that_is_being_written_does_not_count(tmp_path):
    reproduction = small_reproduction(tmp_path / "out")
    write_run(reproduction, BEAM, poor()[:2])
    path = reproduction.run_folder(BEAM) / "predictions.jsonl"
    with path.open("ab") as file:
        file.write(b'{"id": "dev-3", "te')
    before = path.read_bytes()
    assert list(Findings(reproduction).run(BEAM).predictions) == ["dev-1", "dev-2"]
    assert path.read_bytes() == before, "it is the writer's"


def test_a_line_that_makes_no_sense_is_reported(tmp_path):
    reproduction = small_reproduction(tmp_path / "out")
    write_run(reproduction, BEAM, poor()[:2])
    with (reproduction.run_folder(BEAM) / "predictions.jsonl").open("ab") as file:
        file.write(b"nonsense\n")
    findings = Findings(reproduction)
    assert findings.run(BEAM) is None
    assert "predictions.jsonl, line 3" in findings.problems[BEAM]


def test_other_settings_are_reported_and_counted_all_the_same(tmp_path):
    reproduction = small_reproduction(tmp_path / "out")
    write_run(reproduction, BEAM, poor(), {"num_beams": 3})
    assert Findings(reproduction).run(BEAM).differences == ("num_beams was 3 and is now 8",)


def test_a_run_of_other_data_does_not_count(tmp_path):
    reproduction = small_reproduction(tmp_path / "out")
    write_run(reproduction, BEAM, poor())
    path = tmp_path / "data" / "commongen.dev.src_alpha.txt"
    path.write_text(path.read_text().replace("kite", "plane"))
    again = Reproduction(SMALL, TASKS["commongen"], str(tmp_path / "data"), tmp_path / "out", subset=Subset())
    findings = Findings(again)
    assert findings.run(BEAM) is None
    assert "is of something else: data was" in findings.problems[BEAM]


def test_a_trained_model_that_was_deleted_leaves_its_runs(tmp_path):
    reproduction = small_reproduction(tmp_path / "out")
    model = tmp_path / "out" / "models" / "supervised-1"
    model.mkdir(parents=True)
    (model / "config.json").write_text("{}")
    write_run(reproduction, BEAM, poor())
    assert Findings(reproduction).run(BEAM).differences == ()
    (model / "config.json").write_text('{"other": 1}')
    assert "model was" in Findings(reproduction).run(BEAM).differences[0]
    (model / "config.json").unlink()
    model.rmdir()
    assert Findings(reproduction).run(BEAM).differences == ()


def test_what_was_written_since_is_read_again(tmp_path):
    reproduction = small_reproduction(tmp_path / "out")
    findings = Findings(reproduction)
    assert findings.compared(BEAM, OURS) is None
    write_run(reproduction, BEAM, poor())
    write_run(reproduction, OURS, good())
    assert findings.compared(BEAM, OURS) is None, "it remembers"
    findings.forget("supervised-1")
    assert findings.compared(BEAM, OURS) is not None


def test_more_than_the_plan_asks_for_is_taken(tmp_path):
    reproduction = small_reproduction(tmp_path / "out")  # where dba is to write for four inputs
    write_run(reproduction, ("supervised-1", "dba"), poor())
    found = Findings(reproduction).run(RunKey("supervised-1", "dba"))
    assert (len(found.predictions), found.inputs, found.complete) == (6, 4, True)


@pytest.mark.parametrize("name", ["run.json", "predictions.jsonl"])
def test_half_a_run_is_none(tmp_path, name):
    reproduction = small_reproduction(tmp_path / "out")
    write_run(reproduction, BEAM, poor())
    (reproduction.run_folder(BEAM) / name).unlink()
    assert Findings(reproduction).run(BEAM) is None
