"""`neurologic train`: what it says before, during and after, and what it refuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import neurologic as nl
from experiments.training.tiny import SENTENCES, save_causal, weights_of
from neurologic.experiments.training import loss_curve

SHORT = ("--max-new-tokens", 24)  # the tiny model has 64 positions


@pytest.fixture(autouse=True)
def _no_pictures(monkeypatch):
    """Draw no loss curves: that takes longer than a few steps, and other tests draw them."""
    monkeypatch.setattr(loss_curve, "can_draw", lambda: False)


@pytest.fixture(scope="module")
def tiny_folder(tmp_path_factory) -> Path:
    return save_causal(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    """CommonGen's files with the tiny sentences, two references for the first set."""
    folder = tmp_path_factory.mktemp("data")
    lines = [*SENTENCES.items(), ("dog run field", "The dog runs in a field.")]
    (folder / "commongen.train.src_alpha.txt").write_text("".join(f"{words}\n" for words, _ in lines))
    (folder / "commongen.train.tgt.txt").write_text("".join(f"{sentence}\n" for _, sentence in lines))
    return folder


@pytest.fixture
def train(run, data, tiny_folder, tmp_path):
    """Run the command with the tiny model and data."""

    def command(*more: object, output: object = tmp_path / "trained"):
        return run("train", "commongen", "--data", data, "--model", tiny_folder, "-o", output, *more)

    return command


# -- what it does ---------------------------------------------------------------------------------


def test_it_says_what_it_will_do_and_what_came_of_it(train, tmp_path):
    ended = train("--steps", 3, "--batch-size", 4)
    assert ended.code == 0
    assert "9 sentences, 3 steps of 4" in ended.err
    assert "this will take about" in ended.err
    assert ended.out.startswith(f"{tmp_path / 'trained'}: 3 steps in ")
    assert nl.load(tmp_path / "trained").generate("dog run field =", max_new_tokens=4).text


def test_the_trained_folder_is_a_model_for_generate(train, run, tmp_path):
    options = ("--steps", 100, "--batch-size", 9, "--learning-rate", 0.005, "--held-out", 0)
    assert train(*options).code == 0
    ended = run(
        "generate", "--model", tmp_path / "trained", "boy kick ball =", "--include", "ball", *SHORT, "--json"
    )
    assert ended.code == 0
    assert ended.json["text"].strip() == SENTENCES["boy kick ball"]


def test_adaptation_reads_no_concepts(train, tmp_path):
    options = ("--adapt", "--steps", 100, "--batch-size", 9, "--learning-rate", 0.005, "--held-out", 0)
    assert train(*options).code == 0
    assert json.loads((tmp_path / "trained" / "training.json").read_text())["settings"]["adapt"] is True
    assert (
        nl.load(tmp_path / "trained").generate("A boy", raw=True, max_new_tokens=24).text
        == " kicks the ball."
    )


def test_a_fraction_of_the_concept_sets(train, tmp_path):
    assert train("--fraction", 0.5, "--steps", 1, "--json").json["examples"] in (4, 5)
    found = json.loads((tmp_path / "trained" / "training.json").read_text())
    assert found["settings"]["fraction"] == 0.5


def test_json_is_all_there_is_on_standard_output(train):
    ended = train("--steps", 2, "--json")
    assert ended.json["steps"] == 2
    assert ended.json["held_out_loss"] is None  # there are too few sets to hold any out


def test_the_same_command_again_has_nothing_to_do(train):
    first = train("--steps", 2, "--json")
    again = train("--steps", 2, "--json")
    assert (again.code, again.json, again.err) == (0, first.json, "")


def test_lora(train, tmp_path):
    pytest.importorskip("peft")
    assert train("--lora", "--steps", 1).code == 0
    settings = json.loads((tmp_path / "trained" / "training.json").read_text())["settings"]
    assert (settings["lora"], settings["learning_rate"]) == (16, 0.001)


def test_without_matplotlib_there_is_no_picture(train, tmp_path, monkeypatch):
    monkeypatch.setattr("neurologic.experiments.commands.train.can_draw", lambda: False)
    ended = train("--steps", 1)
    assert ended.code == 0
    assert "no picture of the loss curve: it needs matplotlib" in ended.err
    assert not (tmp_path / "trained" / "loss.svg").exists()
    assert (tmp_path / "trained" / "loss.json").exists()


# -- interrupted ----------------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT to a process")
def test_ctrl_c_keeps_what_was_done_and_the_same_command_goes_on(train, tiny_folder, data, tmp_path):
    options = ("--steps", 100, "--batch-size", 4)
    parts = tmp_path / "parts"
    argv = ["train", "commongen", "--data", data, "--model", tiny_folder, "-o", parts, *options]
    process = subprocess.Popen(
        [sys.executable, "-m", "neurologic", *map(str, argv)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.PIPE, encoding="utf-8",
    )  # fmt: skip
    while not (parts / "loss.json").exists():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert f"neurologic: interrupted; {parts} has a checkpoint to resume from" in err
    assert "stopping after this step" in err

    ended = train(*options, output=parts)
    assert ended.code == 0
    assert "continuing after step" in ended.err
    assert train(*options, output=tmp_path / "whole").code == 0
    one, other = weights_of(parts), weights_of(tmp_path / "whole")
    assert all((one[name] == other[name]).all() for name in one)


# -- bad usage ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["--fraction", "0"], "--fraction must be above 0 and at most 1, not 0"),
        (["--fraction", "2"], "--fraction must be"),
        (["--epochs", "-1"], "--epochs must be above 0"),
        (["--epochs", "1", "--steps", "2"], "not allowed with argument"),
        (["--learning-rate", "nan"], "--learning-rate must be"),
        (["--batch-size", "0"], "must be a whole number of at least 1"),
        (["--held-out", "-1"], "must be at least 0"),
        (["--seed", "-1"], "--seed must be"),
        (["--split", "test"], "the splits there are train"),
        (["--layers", "9", "--steps", "1"], "has 3 layers; cannot keep 9"),
        (["surplus"], "unknown arguments: surplus"),
    ],
)
def test_bad_usage(train, argv, told):
    ended = train(*argv)
    assert ended.code == 2
    assert told in ended.err
    assert "unexpected" not in ended.err


def test_other_settings_are_refused(train):
    assert train("--steps", 2).code == 0
    ended = train("--steps", 3, "--seed", 1)
    assert ended.code == 2
    assert "holds a training with other settings: steps was 2, now 3; seed was 0, now 1." in ended.err


def test_a_folder_with_something_else_in_it_is_refused(train, tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    ended = train("--steps", 1, output=tmp_path)
    assert ended.code == 2
    assert "choose a new folder" in ended.err


@pytest.mark.parametrize("missing", ["--data", "-o"])
def test_data_and_output_are_needed(run, missing):
    argv = {"--data": "somewhere", "-o": "anywhere"}
    argv.pop(missing)
    ended = run("train", "commongen", *(word for pair in argv.items() for word in pair))
    assert ended.code == 2
    assert missing in ended.err


def test_an_unknown_task(run):
    ended = run("train", "chess", "--data", "a", "-o", "b")
    assert ended.code == 2
    assert "commongen" in ended.err
