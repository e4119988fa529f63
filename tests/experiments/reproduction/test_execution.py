"""Doing what is left: once, in order, and on past whatever fails."""

import json
import os

import pytest

import neurologic
from experiments.reproduction.small import SMALL, small_reproduction
from experiments.reproduction.standins import Models, Quiet, Trainings
from neurologic.errors import PromptError
from neurologic.experiments.reproduction import execution
from neurologic.experiments.reproduction.estimate import estimate_time
from neurologic.experiments.reproduction.execution import Execution
from neurologic.experiments.reproduction.experiment_parts import RunKey
from neurologic.experiments.reproduction.found_runs import Findings
from neurologic.experiments.reproduction.plan import plan_stages
from neurologic.generation.result import Result


@pytest.fixture
def models(monkeypatch):
    made = Models()
    monkeypatch.setattr(neurologic, "load", made.load)
    return made


@pytest.fixture
def trainings(monkeypatch):
    made = Trainings()
    monkeypatch.setattr(execution, "train", made.train)
    return made


def carry_out(reproduction, **options):
    planned = plan_stages(reproduction)
    work = Execution(
        reproduction,
        Findings(reproduction),
        estimate_time(reproduction.scale, planned, device="cpu"),
        Quiet(),
        **options,
    )
    work.run(planned)
    return work


def test_everything_is_done_once_and_the_bar_comes_to_its_end(models, trainings, tmp_path):
    reproduction = small_reproduction(tmp_path / "out")
    expected = estimate_time(reproduction.scale, plan_stages(reproduction), device="cpu")
    work = carry_out(reproduction)
    assert work.failures == []
    assert trainings.done == ["supervised-1", "supervised-0.5", "adapted-1"]
    assert models.loaded == [
        "tiny-model",
        *(str(tmp_path / "out" / "models" / name) for name in trainings.done),
    ]
    assert len(models.asked) == 8 * 6 + 6 + 4
    assert all(stage.finished for stage in plan_stages(reproduction))
    loading = 4 * 10.0  # loading a model is in the estimate, but moves no bar
    assert work.observer.seconds == pytest.approx(work.estimate.seconds - loading)
    assert work.estimate.stages.keys() == expected.stages.keys()


def test_what_is_done_is_not_done_again(models, trainings, tmp_path):
    carry_out(small_reproduction(tmp_path / "out"))
    texts, loaded = len(models.asked), len(models.loaded)
    work = carry_out(small_reproduction(tmp_path / "out"))
    assert (len(models.asked), len(models.loaded)) == (texts, loaded)
    assert work.observer.said == []


def test_runs_are_left_as_an_evaluation_leaves_them(models, trainings, tmp_path):
    carry_out(small_reproduction(tmp_path / "out"))
    folder = tmp_path / "out" / "runs" / "supervised-1"
    assert sorted(path.name for path in folder.iterdir()) == [
        *("beam", "dba", "greedy", "neurologic", "report.html", "scores.json")
    ]
    for decoder in ("beam", "dba"):
        assert sorted(path.name for path in (folder / decoder).iterdir()) == [
            *("outputs.txt", "predictions.jsonl", "report.html", "run.json", "scores.json")
        ]
    document = json.loads((folder / "scores.json").read_text())
    assert document["compared_with"] == "neurologic"
    assert list(document["systems"]) == ["neurologic", "greedy", "beam"], "dba has other inputs"
    assert json.loads((folder / "dba" / "scores.json").read_text())["inputs"] == "4"


def test_an_interruption_loses_nothing(models, trainings, tmp_path):
    carry_out(small_reproduction(tmp_path / "at once"))
    at_once = models.asked[:]
    models.asked.clear()
    reproduction = small_reproduction(tmp_path / "out")
    models.interrupt_after = 9
    with pytest.raises(KeyboardInterrupt):
        carry_out(reproduction)
    models.interrupt_after = None
    carry_out(reproduction)
    assert len(at_once) == 8 * 6 + 6 + 4
    assert sorted(models.asked) == sorted(at_once)


def test_scores_that_are_missing_or_old_are_made_again(models, trainings, tmp_path):
    reproduction = small_reproduction(tmp_path / "out")
    carry_out(reproduction)
    folder = reproduction.run_folder(RunKey("supervised-1", "greedy")).parent
    made = {path: path.read_text() for path in folder.rglob("scores.json")}
    (folder / "greedy" / "scores.json").unlink()
    (folder / "scores.json").write_text("{}")
    os.utime(folder / "scores.json", (0, 0))
    os.utime(folder / "dba" / "scores.json", (0, 0))
    texts = (folder / "beam" / "predictions.jsonl").stat().st_mtime_ns
    carry_out(reproduction)
    assert {path: path.read_text() for path in folder.rglob("scores.json")} == made
    assert (folder / "dba" / "scores.json").stat().st_mtime > 0
    assert (folder / "beam" / "predictions.jsonl").stat().st_mtime_ns == texts


def test_a_missing_model_is_reported_and_the_rest_goes_on(models, trainings, tmp_path):
    models.missing.add("tiny-model")
    work = carry_out(small_reproduction(tmp_path / "out"))
    assert work.failures == [
        "zero-shot beam: there is no model tiny-model",
        "zero-shot neurologic: there is no model tiny-model",
    ]
    assert work.observer.warned == work.failures
    assert trainings.done == ["supervised-1", "supervised-0.5", "adapted-1"]


def test_without_its_model_a_system_writes_nothing(models, trainings, tmp_path):
    trainings.failing.add("supervised-0.5")
    reproduction = small_reproduction(tmp_path / "out")
    work = carry_out(reproduction)
    assert work.failures == ["training supervised-0.5: too few layers"]
    assert reproduction.run(RunKey("supervised-0.5", "beam")) is None
    assert reproduction.run(RunKey("adapted-1", "beam")) is not None


def test_a_run_of_other_settings_is_reported_and_left(models, trainings, tmp_path):
    from experiments.reproduction.small import poor, write_run

    reproduction = small_reproduction(tmp_path / "out")
    write_run(reproduction, ("zero-shot", "beam"), poor()[:1], {"num_beams": 3})
    work = carry_out(reproduction)
    assert len(work.failures) == 1
    assert "holds texts of another run: num_beams was 3 and is now 8" in work.failures[0]
    assert len(reproduction.run(RunKey("zero-shot", "beam")).done) == 1


def test_inputs_that_fail_are_reported(models, trainings, tmp_path, monkeypatch):
    plain = Models.stream

    def failing(self, requests, **options):
        for request in requests:
            if "lake" in str(request.constraint):
                yield Result("", 0.0, error=PromptError("too long"), request=request)
            else:
                yield from plain(self, [request], **options)

    monkeypatch.setattr(Models, "stream", failing)
    reproduction = small_reproduction(tmp_path / "out", parts=("table3",), models={"adapted-1": "ready"})
    message = "zero-shot, beam: 1 of 6 inputs failed, the first dev-4: too long"
    assert carry_out(reproduction).failures[0] == message
    assert carry_out(reproduction).failures[0] == message, "they are not there later, either"


def test_the_unexpected_is_named_and_does_not_end_the_night(models, trainings, tmp_path, monkeypatch):
    monkeypatch.setattr(Models, "load", lambda self, name, **options: 1 / 0)
    monkeypatch.setattr(neurologic, "load", models.load)
    work = carry_out(small_reproduction(tmp_path / "out"))
    assert work.failures[0] == "zero-shot beam: ZeroDivisionError: division by zero"
    assert len(work.failures) == len(SMALL.runs(("table2", "table3", "table4", "data", "size")))


def test_a_report_may_be_written_after_each_system(models, trainings, tmp_path):
    reproduction = small_reproduction(tmp_path / "out")
    planned = plan_stages(reproduction)
    times: list[int] = []
    work = Execution(
        reproduction,
        Findings(reproduction),
        estimate_time(reproduction.scale, planned, device="cpu"),
        Quiet(),
    )
    work.run(planned, after_each=lambda: times.append(len(models.asked)))
    assert times == [12, 34, 46, 58]
