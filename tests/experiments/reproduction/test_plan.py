"""The steps and how far they are; the plan reads the folder and leaves it as it is."""

import json
from pathlib import Path

import pytest

from experiments.reproduction.small import good, small_reproduction, write_run
from neurologic.errors import DataError
from neurologic.experiments.reproduction.experiment_parts import RunKey
from neurologic.experiments.reproduction.plan import plan_stages
from neurologic.experiments.runs import Subset


def finish_training(folder: Path, **more) -> None:
    folder.mkdir(parents=True)
    result = {"seconds": 20.0, "parameters": 2_000_000, **more}
    (folder / "training.json").write_text(
        json.dumps({"format": 1, "settings": {}, "data": {}, "result": result})
    )


def test_an_empty_folder_has_everything_left(tmp_path):
    planned = plan_stages(small_reproduction(tmp_path / "out"))
    assert [stage.system.name for stage in planned] == [
        *("zero-shot", "supervised-1", "supervised-0.5", "adapted-1")
    ]
    first, second, third, _ = planned
    assert first.training is None
    assert (second.training.steps, second.training.done, second.training.sentences) == (2, 0, 4)
    assert {step.key.decoder: step.left for step in second.generations} == {
        "beam": 6,
        "neurologic": 6,
        "greedy": 6,
        "dba": 4,
    }
    assert [step.key.decoder for step in third.generations] == ["beam", "neurologic"]
    assert not any(stage.finished for stage in planned)
    assert not (tmp_path / "out").exists()


def test_nothing_to_train_on_is_reported(tmp_path):
    reproduction = small_reproduction(tmp_path / "out")
    for path in Path(reproduction.data).glob("commongen.train.*"):
        path.write_text("")
    first, second, *_ = plan_stages(reproduction)
    assert first.problem == ""
    assert second.problem == f"{reproduction.data} has nothing to train on"


def test_parts_of_runs_and_checkpoints_count(tmp_path):
    reproduction = small_reproduction(tmp_path / "out")
    write_run(reproduction, ("zero-shot", "beam"), good()[:4])
    write_run(reproduction, ("zero-shot", "neurologic"), good())
    checkpoint = tmp_path / "out" / "models" / "supervised-1" / "checkpoints" / "checkpoint-1"
    checkpoint.mkdir(parents=True)
    assert plan_stages(reproduction)[1].training.done == 0, "a torn checkpoint does not count"
    assert checkpoint.is_dir(), "another process may be writing it"
    (checkpoint / "complete").touch()
    first, second, *_ = plan_stages(reproduction)
    assert {step.key.decoder: (step.done, step.left) for step in first.generations} == {
        "beam": (4, 2),
        "neurologic": (6, 0),
    }
    assert first.generations[0].seconds == 2.0
    assert (second.training.done, second.training.share_left) == (1, 0.5)


def test_a_system_is_finished_with_its_model_and_its_runs(tmp_path):
    reproduction = small_reproduction(tmp_path / "out", parts=("table2",))
    finish_training(tmp_path / "out" / "models" / "supervised-1")
    for decoder in ("beam", "neurologic"):
        write_run(reproduction, ("supervised-1", decoder), good())
    whole, half = plan_stages(reproduction)
    assert (whole.system.name, whole.finished, half.finished) == ("supervised-1", True, False)
    assert whole.training.seconds == 20.0


def test_a_model_whose_runs_are_all_there_need_not_be_trained(tmp_path):
    reproduction = small_reproduction(tmp_path / "out", parts=("data",))
    for decoder in ("beam", "neurologic"):
        write_run(reproduction, ("supervised-1", decoder), good())
    stage = next(stage for stage in plan_stages(reproduction) if stage.system.name == "supervised-1")
    assert (stage.training, stage.finished) == (None, True)


def test_what_cannot_be_read_is_a_problem_of_its_own(tmp_path):
    reproduction = small_reproduction(tmp_path / "out")
    write_run(reproduction, ("zero-shot", "beam"), good())
    (reproduction.run_folder(RunKey("zero-shot", "beam")) / "predictions.jsonl").write_text("nonsense\n")
    (tmp_path / "out" / "models" / "supervised-1").mkdir(parents=True)
    (tmp_path / "out" / "models" / "supervised-1" / "training.json").write_text("nonsense")
    first, second, third, _ = plan_stages(reproduction)
    assert (first.problem, first.generations[0].done) == ("", 0)
    assert "training.json cannot be read" in second.problem
    assert not third.problem


def test_a_smaller_sample_is_part_of_what_is_there(tmp_path):
    write_run(small_reproduction(tmp_path / "out"), ("zero-shot", "beam"), good())
    few = small_reproduction(tmp_path / "out", subset=Subset(sample=3))
    assert (plan_stages(few)[0].generations[0].inputs, plan_stages(few)[0].generations[0].left) == (3, 0)


def test_slow_decoders_take_a_part_of_the_sample(tmp_path):
    reproduction = small_reproduction(tmp_path / "out", subset=Subset(sample=5))
    system = reproduction.scale.system("supervised-1")
    few, all_ = (reproduction.items(system, decoder) for decoder in ("dba", "beam"))
    assert (len(few), len(all_)) == (4, 5)
    assert [item for item in all_ if item in few] == few


def test_a_model_that_is_named_is_not_trained(tmp_path):
    reproduction = small_reproduction(tmp_path / "out", models={"supervised-1": "ready", "tiny": "other"})
    second, third = plan_stages(reproduction)[1:3]
    assert second.training is None
    assert reproduction.source("supervised-1") == "ready"
    assert reproduction.training_settings(third.training.model).model == "other"


def test_a_model_that_nobody_has_named_is_a_problem_of_its_system_alone(tmp_path):
    from dataclasses import replace

    from experiments.reproduction.small import SMALL

    systems = (replace(SMALL.systems[0], model="unnamed"), *SMALL.systems[1:])
    reproduction = small_reproduction(tmp_path / "out", replace(SMALL, systems=systems))
    first, second, *_ = plan_stages(reproduction)
    assert "which model is unnamed? Name it: --model unnamed=FOLDER" in first.problem
    assert not second.problem
    with pytest.raises(DataError):
        reproduction.source("unnamed")
    assert not plan_stages(
        small_reproduction(tmp_path / "out", replace(SMALL, systems=systems), models={"unnamed": "x"})
    )[0].problem
