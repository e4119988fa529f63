"""`neurologic reproduce commongen`: plan, run, resuming, report; with stand-ins and with a tiny model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import neurologic
from experiments.reproduction.conftest import quick_metrics  # noqa: F401
from experiments.reproduction.small import SMALL, write_data
from experiments.reproduction.standins import Models, Trainings
from neurologic.experiments.reproduction import execution
from neurologic.experiments.reproduction.presets import SCALES

TEXTS = 8 * 6 + 6 + 4


@pytest.fixture(autouse=True)
def _quick(monkeypatch, quick_metrics):  # noqa: F811
    monkeypatch.setitem(SCALES, "small", SMALL)
    monkeypatch.setattr("neurologic.experiments.reproduction.estimate._trial", lambda device, threads: 0.06)
    monkeypatch.setattr("neurologic.experiments.reproduction.curves.can_draw", lambda: False)


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


@pytest.fixture
def reproduce(run, models, trainings, tmp_path):
    data, folder = write_data(tmp_path / "data"), tmp_path / "out"

    def command(*more: object):
        return run("reproduce", "commongen", "--data", data, "-o", folder, "--scale", "small", *more)

    return command


# -- the plan -------------------------------------------------------------------------------------


def test_a_dry_run_says_what_is_to_be_done_and_does_nothing(reproduce, models, trainings, tmp_path):
    ended = reproduce("--dry-run")
    assert ended.code == 0
    lines = [line.split() for line in ended.out.splitlines()]
    assert lines[0] == ["system", "training", "texts", "about"]
    assert lines[1][:5] == ["zero-shot", "-", "0", "of", "12"]
    assert "supervised-1    0 of 2 steps  0 of 22 (beam, neurologic, greedy, dba)" in ended.out
    assert "in all about" in ended.out
    assert "by a short trial of this machine" in ended.out
    assert (models.loaded, trainings.done, (tmp_path / "out").exists()) == ([], [], False)


def test_a_plan_as_a_document(reproduce):
    document = reproduce("--dry-run", "--json").json
    assert document["stages"][1]["training"] == {"steps": 2, "done": 0}
    assert document["stages"][1]["runs"]["dba"] == {"inputs": 4, "done": 0}
    assert document["seconds"] == pytest.approx(sum(stage["seconds"] for stage in document["stages"]), abs=3)


def test_the_plan_knows_what_is_done(reproduce):
    reproduce("--parts", "table3")
    ended = reproduce("--dry-run")
    assert "by the work done so far" in ended.out
    assert [line.split()[-1] for line in ended.out.splitlines() if line.startswith(("zero", "adapted"))] == [
        *("done", "done")
    ]


# -- the whole of it ------------------------------------------------------------------------------


def test_one_command_leaves_models_runs_tables_and_curves(reproduce, models, trainings, tmp_path):
    ended = reproduce()
    assert ended.code == 0, ended.err
    assert len(models.asked) == TEXTS
    assert trainings.done == ["supervised-1", "supervised-0.5", "adapted-1"]
    folder = tmp_path / "out"
    assert {"models", "runs", "tables", "report.html", "report.md"} <= {
        path.name for path in folder.iterdir()
    }
    assert "Table 2. Supervised models" in ended.out
    assert "50.0 → 100.0 ▲" in ended.out
    assert "the paper: other models, and the test split" in ended.out
    assert f"{folder / 'report.html'} has the tables and curves" in ended.out
    assert "training supervised-1: 2 steps of 2" in ended.err
    assert "supervised-1, dba: 4 texts of 4" in ended.err


def test_the_same_command_again_has_nothing_to_do(reproduce, models):
    first = reproduce()
    loaded = len(models.loaded)
    again = reproduce()
    assert "nothing is left to do" in again.out
    assert (len(models.asked), len(models.loaded)) == (TEXTS, loaded)
    assert again.out.split("nothing is left to do")[1] == first.out.split("machine", 1)[1]


def test_what_eval_has_done_is_not_done_again(reproduce, run, models, tmp_path):
    data, folder = tmp_path / "data", tmp_path / "out"
    argv = ("eval", "commongen", "--data", data, "--model", "tiny-model", "--prompt", "opening")
    assert run(*argv, "--decoders", "beam,neurologic", "-o", folder / "runs" / "zero-shot").code == 0
    texts = len(models.asked)
    ended = reproduce("--parts", "table3", "--model", "adapted-1=ready")
    assert ended.code == 0, ended.err
    assert len(models.asked) == 2 * texts
    assert "tiny-model" not in models.loaded[1:]


def test_eval_goes_on_with_what_this_command_began(reproduce, run, models, tmp_path):
    reproduce("--parts", "table3")
    texts = len(models.asked)
    folder = tmp_path / "out"
    argv = ("eval", "commongen", "--data", tmp_path / "data", "--model", folder / "models" / "adapted-1")
    argv += ("--prompt", "opening", "--lead-in", "", "--decoders", "neurologic,beam,dba")
    ended = run(*argv, "-o", folder / "runs" / "adapted-1")
    assert ended.code == 0, ended.err
    assert len(models.asked) == texts + 6, "only dba was new"
    assert "decoders_adapted-1.json" not in os.listdir(folder / "tables")
    reproduce("--report-only")
    assert "decoders_adapted-1.json" in os.listdir(folder / "tables")


def test_fewer_inputs_then_more(reproduce, models):
    assert reproduce("--inputs", 2, "--parts", "data").code == 0
    first = len(models.asked)
    assert first == 2 * 2 * 2 + 2
    assert reproduce("--inputs", "all", "--parts", "data").code == 0
    assert len(models.asked) == 5 * 6, "the first ones were not written again"


def test_a_document_instead_of_tables(reproduce):
    document = reproduce("--json").json
    assert set(document["curves"]) == {"data", "size"}
    assert document["tables"]["table2"]["blocks"][0]["rows"][1]["missing"] is False
    assert document["verdicts"]


# -- when something goes wrong --------------------------------------------------------------------


def test_a_step_that_fails_is_reported_and_the_rest_goes_on(reproduce, models, trainings):
    trainings.failing.add("adapted-1")
    ended = reproduce()
    assert ended.code == 1
    assert "warning: training adapted-1: too few layers" in ended.err
    assert "warning: not done: training adapted-1: too few layers" in ended.err
    assert "no run of beam on adapted-1 yet" in ended.out
    trainings.failing.clear()
    assert reproduce().code == 0
    assert len(models.asked) == TEXTS


def test_a_model_that_has_to_be_named(reproduce, monkeypatch):
    systems = (replace(SMALL.systems[0], model="unnamed"), *SMALL.systems[1:])
    monkeypatch.setitem(SCALES, "small", replace(SMALL, systems=systems))
    ended = reproduce("--parts", "table3")
    assert ended.code == 1
    assert "which model is unnamed? Name it: --model unnamed=FOLDER" in ended.out
    assert reproduce("--parts", "table3", "--model", "unnamed=x").code == 0


def test_an_interruption_and_going_on(reproduce, models):
    models.interrupt_after = 15
    ended = reproduce()
    assert ended.code == 130
    assert "interrupted; the same command continues from there" in ended.err
    models.interrupt_after = None
    assert reproduce().code == 0
    assert len(models.asked) == TEXTS


PROGRAM = """
import os, signal, sys
import neurologic
from neurologic.cli import main
from neurologic.experiments.reproduction import curves, estimate
from neurologic.experiments.reproduction.presets import SCALES
from experiments.reproduction.small import SMALL
from experiments.reproduction.standins import Models

class Dying(Models):
    def stream(self, requests, *, decoder, **options):
        for result in super().stream(requests, decoder=decoder, **options):
            if len(self.asked) == 9:
                os.kill(os.getpid(), signal.SIGKILL)
            with open(os.environ["ASKED"], "a") as asked:
                asked.write(self.asked[-1] + "\\n")
            yield result

neurologic.load = Dying().load
estimate._trial = lambda device, threads: 0.06
curves.can_draw = lambda: False
SCALES["small"] = SMALL
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_killed_in_the_middle_nothing_is_lost_or_done_twice(tmp_path, monkeypatch):
    """The first process is killed after eight of twelve texts, in the second system."""
    monkeypatch.setenv("ASKED", str(tmp_path / "asked.txt"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    argv = ["reproduce", "commongen", "--data", write_data(tmp_path / "data"), "-o", tmp_path / "out"]
    argv += ["--scale", "small", "--inputs", 3, "--parts", "table3", "--model", "adapted-1=ready"]
    codes = []
    for _ in range(2):
        ended = subprocess.run(
            [sys.executable, "-c", PROGRAM, *map(str, argv)], check=False, capture_output=True, timeout=500
        )
        codes.append(ended.returncode)
    assert codes == [-9, 0], ended.stderr
    assert len((tmp_path / "asked.txt").read_text().splitlines()) == 12
    for name in ("zero-shot/beam", "zero-shot/neurologic", "adapted-1/beam", "adapted-1/neurologic"):
        lines = (tmp_path / "out" / "runs" / name / "predictions.jsonl").read_text().splitlines()
        found = [json.loads(line)["id"] for line in lines]
        assert len(found) == len(set(found)) == 3


# -- reports of what is there ---------------------------------------------------------------------


def test_a_report_at_any_moment(reproduce, models, tmp_path):
    ended = reproduce("--report-only")
    assert ended.code == 0
    assert "missing" in ended.out
    models.interrupt_after = 20
    reproduce()
    ended = reproduce("--report-only")
    assert ended.code == 0
    assert models.loaded == ["tiny-model", str(tmp_path / "out" / "models" / "supervised-1")]
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "| tiny, zero-shot | " in text
    assert "(2 of 6 inputs)" in text
    assert "no run of greedy on supervised-1 yet" in text


# -- bad usage ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("--parts", "table5"), "there is no part 'table5'; choose from table2, table3, table4, data, size"),
        (("--parts", ","), "--parts needs names"),
        (("--model", "gpt5=x"), "has no model 'gpt5'; it has tiny, unnamed, supervised-1"),
        (("--model", "tiny"), "write NAME=MODEL, as in --model tiny=FOLDER"),
        (("--model", "tiny=./nowhere"), "--model tiny=./nowhere: there is no ./nowhere"),
        (("--inputs", "0"), "must be a whole number of at least 1"),
        (("--inputs", "some"), "must be a whole number of at least 1, not 'some'"),
        (("--scale", "galaxy"), "invalid choice: 'galaxy'"),
        (("--dry-run", "--report-only"), "not allowed with"),
        (("--threads", "0"), "must be a whole number of at least 1"),
    ],
)
def test_bad_usage(reproduce, models, argv, message):
    ended = reproduce(*argv)
    assert (ended.code, models.loaded) == (2, [])
    assert message in ended.err
    assert "unexpected" not in ended.err


def test_data_that_is_not_there(run, models, tmp_path):
    ended = run("reproduce", "commongen", "--data", tmp_path / "none", "-o", tmp_path / "out")
    assert ended.code == 2
    assert "there is no" in ended.err


def test_an_output_that_is_a_file(reproduce, tmp_path):
    (tmp_path / "out").write_text("precious")
    assert "is a file; name a folder" in reproduce().err


def test_help_is_quick_and_names_the_parts(run):
    ended = run("reproduce", "--help")
    assert ended.code == 0
    assert "table3   without supervision and after domain adaptation, the same" in ended.out


# -- with a real model ----------------------------------------------------------------------------


def test_a_real_model_from_training_to_the_report(run, tmp_path, monkeypatch):
    """Two steps of training and a few texts by a model of three layers: everything is wired to everything."""
    from experiments.training.tiny import save_causal

    tiny = save_causal(tmp_path / "tiny")
    short = replace(
        SMALL,
        settings={"max_new_tokens": 12, "num_beams": 2},
        decoders=("beam", "neurologic"),
        systems=(replace(SMALL.systems[0], options={"prompt": "opening", "lead-in": ""}), *SMALL.systems[1:]),
    )
    monkeypatch.setitem(SCALES, "small", short)
    argv = ("reproduce", "commongen", "--data", write_data(tmp_path / "data"), "-o", tmp_path / "out")
    argv += (
        "--scale",
        "small",
        "--inputs",
        2,
        "--parts",
        "table3",
        "--model",
        f"tiny={tiny}",
        "--device",
        "cpu",
    )
    ended = run(*argv)
    assert ended.code == 0, ended.err
    folder = Path(tmp_path / "out")
    assert json.loads((folder / "models" / "adapted-1" / "training.json").read_text())["result"]["steps"] == 2
    table = json.loads((folder / "tables" / "table3.json").read_text())
    assert not any(row["missing"] for row in table["blocks"][0]["rows"])
    assert "nothing is left to do" in run(*argv).out
