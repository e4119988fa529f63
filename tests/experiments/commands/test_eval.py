"""`neurologic eval commongen`: resumed runs, scores, tables, pages; with a stand-in for the model."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import neurologic
from neurologic.errors import NeurologicError, PromptError
from neurologic.experiments.tasks.commongen import CommonGen
from neurologic.generation.result import Result
from neurologic.logic import check, to_clauses

SETS = ["ski hill", "dog park", "ice rink", "boat lake", "fly kite"]
REFERENCES = ["A man skis down a hill.", "A dog is in the park.", "An ice rink.", "A boat.", "Kites fly."]


class Model:
    """Writes the base forms of what is asked for; "beam" forgets the last of them."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.settings: dict[str, Any] = {}
        self.loaded = 0
        self.interrupt_after: int | None = None

    def stream(self, requests: Iterable[Any], *, decoder: str, **settings: Any) -> Iterator[Result]:
        self.settings[decoder] = settings
        for request in requests:
            if self.interrupt_after is not None and len(self.asked) >= self.interrupt_after:
                raise KeyboardInterrupt
            clauses = to_clauses(request.constraint)
            first = [clause.literals[0] for clause in clauses]
            words = [literal.atom.text for literal in first if literal.positive]
            if "lake" in words and decoder == "dba":
                yield Result("", 0.0, error=PromptError("the prompt has 9999 tokens"), request=request)
                continue
            self.asked.append(f"{decoder} {' '.join(words)}")
            text = f"A {' '.join(words[:-1] if decoder == 'beam' else words)}."
            verdict = check(clauses, text)
            yield Result(text, -0.5, verdict, tokens=(1, 2), logprob=-1.0, calls=3, request=request)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    for package in CommonGen.packages:
        pytest.importorskip(package)
    monkeypatch.setenv("NEUROLOGIC_JAVA", "/nonexistent/java")  # METEOR takes ten seconds
    made = Model()

    def load(name: str, **options: Any) -> Model:
        if name == "nowhere":
            raise NeurologicError("there is no model of this name")
        made.loaded += 1
        return made

    monkeypatch.setattr(neurologic, "load", load)
    return made


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "commongen.dev.src_alpha.txt").write_text("".join(f"{words}\n{words}\n" for words in SETS))
    (folder / "commongen.dev.tgt.txt").write_text("".join(f"{text}\nA scene.\n" for text in REFERENCES))
    return folder


def ids(folder: Path) -> list[str]:
    return [json.loads(line)["id"] for line in (folder / "predictions.jsonl").read_text().splitlines()]


# -- a run ----------------------------------------------------------------------------------------


def test_a_run_leaves_texts_scores_and_a_report(model, run, data, tmp_path):
    folder = tmp_path / "runs" / "first"
    ended = run("eval", "commongen", "--data", data, "-o", folder)
    assert ended.code == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        *("outputs.txt", "predictions.jsonl", "report.html", "run.json", "scores.json")
    ]
    assert (folder / "outputs.txt").read_text().splitlines()[:2] == ["A ski hill.", "A dog park."]
    scores = json.loads((folder / "scores.json").read_text())
    assert list(scores["scores"]) == [
        *("rouge_l", "bleu_3", "bleu_4", "meteor", "cider", "spice", "coverage", "right_part_of_speech")
    ]
    assert scores["scores"]["coverage"] == 100
    assert scores["scores"]["spice"] is None
    assert "/nonexistent/java" in scores["not_available"]["meteor"]
    assert scores["figures"]["clauses_satisfied"] == 100
    assert "decoder:neurologic" in scores["signature"]
    assert json.loads((folder / "run.json").read_text())["settings"]["no_repeat_ngram_size"] == 2
    head, row = ended.out.splitlines()[:2]
    assert head.split()[:8] == [
        "system",
        "ROUGE-L",
        "BLEU-3",
        "BLEU-4",
        "METEOR",
        "CIDEr",
        "SPICE",
        "Coverage",
    ]
    assert row.split()[0] == "neurologic"
    assert f"{folder / 'report.html'} shows the texts" in ended.out
    assert "SPICE n/a: " in ended.err


def test_a_finished_run_is_shown_again_without_a_model(model, run, data, tmp_path):
    argv = ("eval", "commongen", "--data", data, "-o", tmp_path / "run")
    first = run(*argv)
    again = run(*argv)
    assert (model.loaded, len(model.asked)) == (1, 5)
    assert again.out == first.out


def test_an_interrupted_run_goes_on_where_it_was(model, run, data, tmp_path):
    argv = ("eval", "commongen", "--data", data, "-o", tmp_path / "run")
    model.interrupt_after = 2
    ended = run(*argv)
    assert ended.code == 130
    assert "interrupted after 2 of 5 texts; the same command continues from there" in ended.err
    model.interrupt_after = None
    assert run(*argv).code == 0
    assert ids(tmp_path / "run") == ["dev-1", "dev-2", "dev-3", "dev-4", "dev-5"]
    assert len(model.asked) == 5, "no input was done twice"


def test_a_run_can_be_extended(model, run, data, tmp_path):
    argv = ("eval", "commongen", "--data", data, "-o", tmp_path / "run", "--json")
    assert run(*argv, "--limit", 2).json["figures"]["texts"] == 2
    assert run(*argv, "--sample", 4).json["figures"]["texts"] == 4
    assert run(*argv).json["figures"]["texts"] == 5
    assert sorted(ids(tmp_path / "run")) == ["dev-1", "dev-2", "dev-3", "dev-4", "dev-5"]
    assert run(*argv, "--limit", 2).json["figures"]["texts"] == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--num-beams", "4"), "num_beams was 8 and is now 4"),
        (("--decoder", "beam"), 'decoder was "neurologic" and is now "beam"'),
        (("--prompt", "zero-shot"), 'prompt was "few-shot" and is now "zero-shot"'),
        (("--model", "other"), 'model was "smollm2" and is now "other"'),
    ],
)
def test_other_settings_need_another_folder(model, run, data, tmp_path, options, message):
    argv = ("eval", "commongen", "--data", data, "-o", tmp_path / "run")
    run(*argv, "--limit", 1)
    ended = run(*argv, *options)
    assert (ended.code, model.loaded) == (2, 1)
    assert message in ended.err


def test_changed_data_needs_another_folder(model, run, data, tmp_path):
    argv = ("eval", "commongen", "--data", data, "-o", tmp_path / "run")
    run(*argv, "--limit", 1)
    path = data / "commongen.dev.src_alpha.txt"
    path.write_text(path.read_text().replace("kite", "plane"))
    assert "data was" in run(*argv).err


def test_settings_of_the_task_give_way_to_those_that_are_given(model, run, data):
    run("eval", "commongen", "--data", data)
    assert model.settings["neurologic"]["max_new_tokens"] == 32
    run("eval", "commongen", "--data", data, "--max-new-tokens", 9, "--batch-size", 3)
    assert model.settings["neurologic"]["max_new_tokens"] == 9
    assert model.settings["neurologic"]["batch_size"] == 3


def test_without_a_folder_nothing_is_kept_and_that_is_said(model, run, data, tmp_path):
    ended = run("eval", "commongen", "--data", data, "--limit", 2)
    assert ended.code == 0
    assert "results are not saved" in ended.err
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_json_is_one_document_and_nothing_else(model, run, data, tmp_path):
    document = run("eval", "commongen", "--data", data, "-o", tmp_path / "run", "--json").json
    assert {"scores", "signature", "split", "inputs"} <= document.keys()
    assert document == json.loads((tmp_path / "run" / "scores.json").read_text())


def test_the_texts_can_be_checked_again(model, run, data, tmp_path):
    run("eval", "commongen", "--data", data, "-o", tmp_path / "run", "--decoder", "beam")
    ended = run("check", "-i", tmp_path / "run" / "predictions.jsonl")
    assert ended.code == 1
    assert "unmet: inflect(hill, any)" in ended.out


# -- several decoders -----------------------------------------------------------------------------


def test_several_decoders_have_a_folder_each_and_one_table(model, run, data, tmp_path):
    folder = tmp_path / "all"
    ended = run("eval", "commongen", "--data", data, "-o", folder, "--decoders", "neurologic,beam")
    assert ended.code == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        *("beam", "neurologic", "report.html", "scores.json")
    ]
    assert ids(folder / "beam") == ids(folder / "neurologic") == [f"dev-{n}" for n in range(1, 6)]
    document = json.loads((folder / "scores.json").read_text())
    coverage = document["differences"]["beam"][-1]
    assert (coverage["name"], coverage["difference"][0]) == ("coverage", -50.0)
    assert coverage["p_value"] < 0.01
    assert "minus neurologic" in ended.out
    assert "-50.0 (" in ended.out
    assert "beam" in (folder / "report.html").read_text()
    alone = json.loads((folder / "beam" / "scores.json").read_text())
    assert alone["scores"] == document["systems"]["beam"]["scores"]


def test_several_decoders_as_one_document(model, run, data):
    document = run("eval", "commongen", "--data", data, "--decoders", "beam,neurologic", "--json").json
    assert (list(document["systems"]), document["compared_with"]) == (["beam", "neurologic"], "beam")


def test_several_decoders_go_on_too(model, run, data, tmp_path):
    argv = ("eval", "commongen", "--data", data, "-o", tmp_path / "all", "--decoders", "neurologic,beam")
    model.interrupt_after = 7
    assert "interrupted after 7 of 10 texts" in run(*argv).err
    model.interrupt_after = None
    assert run(*argv).code == 0
    assert len(model.asked) == 10


def test_each_decoder_gets_the_settings_that_it_accepts(model, run, data):
    run("eval", "commongen", "--data", data, "--decoders", "neurologic,beam,greedy", "--alpha", 7)
    assert model.settings["neurologic"]["alpha"] == 7
    assert "alpha" not in model.settings["beam"]
    assert all(settings["reduce"] for settings in model.settings.values())


def test_an_input_that_fails_is_reported_and_scored_as_empty(model, run, data, tmp_path):
    ended = run("eval", "commongen", "--data", data, "-o", tmp_path / "run", "--decoder", "dba", "--json")
    assert ended.code == 1
    assert "warning: dba, dev-4 (boat lake): the prompt has 9999 tokens" in ended.err
    assert ended.json["figures"]["failed"] == 1
    assert ended.json["scores"]["coverage"] == 80
    assert (tmp_path / "run" / "outputs.txt").read_text().splitlines()[3] == ""


def test_a_decoder_that_a_setting_does_nothing_to_runs_once(model, run, data):
    argv = ("eval", "commongen", "--data", data, "--decoders", "neurologic,beam", "--json")
    ended = run(*argv, "--vary", "lambda=0,0.5", "--vary", "no-repeat-ngram=2,3")
    names = list(json.loads(ended.out)["systems"])
    assert names == [
        "neurologic,lambda=0,no_repeat_ngram_size=2",
        "beam,no_repeat_ngram_size=2",
        "neurologic,lambda=0,no_repeat_ngram_size=3",
        "beam,no_repeat_ngram_size=3",
        "neurologic,lambda=0.5,no_repeat_ngram_size=2",
        "neurologic,lambda=0.5,no_repeat_ngram_size=3",
    ]


def test_settings_that_vary_are_systems_of_their_own(model, run, data, tmp_path):
    argv = ("eval", "commongen", "--data", data, "-o", tmp_path / "all", "--limit", 2)
    ended = run(*argv, "--vary", "lambda=0,0.5", "--vary", "num-beams=2,4", "--json")
    systems = [
        *("neurologic,lambda=0,num_beams=2", "neurologic,lambda=0,num_beams=4"),
        *("neurologic,lambda=0.5,num_beams=2", "neurologic,lambda=0.5,num_beams=4"),
    ]
    assert list(ended.json["systems"]) == systems
    manifests = [json.loads((tmp_path / "all" / name / "run.json").read_text()) for name in systems]
    settings = [manifest["settings"] for manifest in manifests]
    assert [(own["lambda_"], own["num_beams"]) for own in settings] == [(0, 2), (0, 4), (0.5, 2), (0.5, 4)]
    assert len(model.asked) == 8
    run(*argv, "--vary", "lambda=0,0.5", "--vary", "num-beams=2,4")
    assert len(model.asked) == 8


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("--vary", "gamma=1"), "there is no setting gamma"),
        (("--vary", "lambda"), "write NAME=VALUE,VALUE"),
        (("--vary", "lambda=,"), "write NAME=VALUE,VALUE"),
        (("--vary", "lambda=x"), "lambda_ must be a number of at least 0, not 'x'"),
        (("--vary", "lambda=1", "--lambda", "0.5"), "comes on top of another value"),
        (("--vary", "lambda=1", "--vary", "lambda=2"), "comes on top of another value"),
        (("--vary", "lambda=1", "--decoder", "beam"), "no effect on the decoders beam"),
        (("--vary", "lambda=1", "--predictions", "out.txt"), "--vary cannot be combined with --predictions"),
    ],
)
def test_mistakes_in_what_varies_are_reported(model, run, data, argv, message):
    ended = run("eval", "commongen", "--data", data, *argv)
    assert (ended.code, model.asked) == (2, [])
    assert message in ended.err


# -- outputs of others ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(REFERENCES),
        "\r\n".join(REFERENCES) + "\r\n",
        "".join(f"{text}\nanother\n" for text in REFERENCES),
    ],
)
def test_outputs_of_others_are_scored_without_a_model(model, run, data, tmp_path, text):
    (tmp_path / "outputs.txt").write_bytes(text.encode())
    ended = run("eval", "commongen", "--data", data, "--predictions", tmp_path / "outputs.txt", "--json")
    assert (ended.code, model.loaded) == (0, 0)
    assert ended.json["scores"]["coverage"] == 90, "A boat. has no lake"
    assert ended.json["scores"]["bleu_4"] == pytest.approx(100)
    assert "predictions:outputs.txt" in ended.json["signature"]


def test_outputs_of_others_may_be_blank_and_have_a_report(model, run, data, tmp_path):
    (tmp_path / "outputs.txt").write_text("\n" * 5)
    folder = tmp_path / "scored"
    ended = run("eval", "commongen", "--data", data, "--predictions", tmp_path / "outputs.txt", "-o", folder)
    assert ended.code == 0
    assert sorted(path.name for path in folder.iterdir()) == ["outputs.txt", "report.html", "scores.json"]
    assert json.loads((folder / "scores.json").read_text())["scores"]["rouge_l"] == 0


def test_part_of_the_outputs_of_others(model, run, data, tmp_path):
    (tmp_path / "outputs.txt").write_text("\n".join(REFERENCES))
    argv = ("eval", "commongen", "--data", data, "--predictions", tmp_path / "outputs.txt", "--json")
    assert run(*argv, "--limit", 3).json["figures"]["texts"] == 3


def test_another_number_of_outputs_is_an_error(model, run, data, tmp_path):
    (tmp_path / "outputs.txt").write_text("One.\nTwo.\n")
    ended = run("eval", "commongen", "--data", data, "--predictions", tmp_path / "outputs.txt")
    assert ended.code == 2
    assert "outputs.txt has 2 lines; expected 5 (one per concept set), or 10 (one per reference)" in ended.err


# -- mistakes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ((), "required: TASK"),
        (("nothing",), "invalid choice: 'nothing'"),
        (("commongen",), "required: --data"),
        (("commongen", "--data", "/nowhere"), "there is no /nowhere/commongen.dev.src_alpha.txt"),
        (("commongen", "--data", "DATA", "--split", "dve"), "the splits there are dev"),
        (("commongen", "--data", "DATA", "--decoder", "bem"), "unknown decoder 'bem'"),
        (("commongen", "--data", "DATA", "--decoders", "beam,bem"), "unknown decoder 'bem'"),
        (("commongen", "--data", "DATA", "--decoder", "a", "--decoders", "b"), "not allowed with"),
        (("commongen", "--data", "DATA", "--limit", "2", "--sample", "2"), "not allowed with"),
        (("commongen", "--data", "DATA", "--decoder", "beam", "--alpha", "3"), "alpha has no effect"),
        (("commongen", "--data", "DATA", "--min-new-tokens", "40"), "min_new_tokens=40 is above"),
        (("commongen", "--data", "DATA", "--prompt", "none"), "invalid choice: 'none'"),
        (("commongen", "--data", "DATA", "--forms", "official"), "there is no DATA/dev.clauses.jsonl"),
        (("commongen", "--data", "DATA", "--model", "nowhere"), "there is no model of this name"),
        (("commongen", "--data", "DATA", "--predictions", "DATA/none"), "there is no DATA/none"),
        (("commongen", "--data", "DATA", "--predictions", "F", "--decoder", "beam"), "--decoder cannot be"),
        (("commongen", "--data", "DATA", "--predictions", "F", "--lambda", "1"), "--lambda cannot be"),
        (("commongen", "--data", "DATA", "--predictions", "F", "--dtype", "int8"), "--dtype cannot be"),
        (("commongen", "--data", "DATA", "-o", "DATA/commongen.dev.tgt.txt"), "is a file; name a folder"),
    ],
)
def test_mistakes_are_reported_before_anything_is_written(model, run, data, argv, message):
    ended = run("eval", *(word.replace("DATA", str(data)) for word in argv))
    assert (ended.code, ended.out, model.asked) == (2, "", [])
    assert message.replace("DATA", str(data)) in ended.err
    assert "unexpected" not in ended.err


def test_folders_of_one_run_and_of_several_are_not_mixed(model, run, data, tmp_path):
    argv = ("eval", "commongen", "--data", data, "-o", tmp_path / "run")
    run(*argv, "--limit", 1)
    assert "holds a single run" in run(*argv, "--decoders", "beam,dba").err

    (tmp_path / "outputs.txt").write_text("\n" * 5)
    assert "holds texts of a model" in run(*argv, "--predictions", tmp_path / "outputs.txt").err


def test_several_runs_are_not_overwritten_by_one(model, run, data, tmp_path):
    argv = ("eval", "commongen", "--data", data, "-o", tmp_path / "out")
    assert run(*argv, "--decoders", "beam,neurologic").code == 0
    before = (tmp_path / "out" / "scores.json").read_bytes()
    outputs = tmp_path / "out" / "beam" / "outputs.txt"
    for more in ((), ("--predictions", outputs)):
        ended = run(*argv, *more)
        assert (ended.code, "holds several runs" in ended.err) == (2, True)
    assert (tmp_path / "out" / "scores.json").read_bytes() == before
    assert run(*argv, "--decoders", "beam,neurologic").code == 0


def test_without_the_extra_nothing_is_started(model, run, data, monkeypatch):
    import importlib.util

    plain = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "spacy" else plain(name, *rest)
    )
    ended = run("eval", "commongen", "--data", data)
    assert (ended.code, model.loaded) == (2, 0)
    assert "the metrics of commongen need spacy" in ended.err
    assert "pip install 'neurologic-decoding[metrics]'" in ended.err


# -- kill -9 --------------------------------------------------------------------------------------

PROGRAM = """
import os, signal, sys
import neurologic
from neurologic.cli import main
from neurologic.generation.result import Result

class Model:
    def stream(self, requests, **options):
        for number, request in enumerate(requests):
            if number == 2:
                os.kill(os.getpid(), signal.SIGKILL)
            with open(os.environ["ASKED"], "a") as asked:
                asked.write(request.prompt[-1]["content"] + "\\n")
            yield Result(request.prompt[-1]["content"], 0.0, tokens=(1,), request=request)

neurologic.load = lambda *names, **options: Model()
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_killed_again_and_again_nothing_is_lost_or_done_twice(data, tmp_path, monkeypatch):
    """Every process is killed after two texts; a line that was being written is torn as well."""
    for package in CommonGen.packages:
        pytest.importorskip(package)
    monkeypatch.setenv("NEUROLOGIC_JAVA", "/nonexistent/java")
    monkeypatch.setenv("ASKED", str(tmp_path / "asked.txt"))
    folder = tmp_path / "run"
    argv = ["eval", "commongen", "--data", str(data), "-o", str(folder)]
    codes = []
    for _ in range(3):
        ended = subprocess.run(
            [sys.executable, "-c", PROGRAM, *argv], check=False, capture_output=True, timeout=120
        )
        codes.append(ended.returncode)
        if ended.returncode == -9:
            with (folder / "predictions.jsonl").open("ab") as file:
                file.write(b'{"id": "dev-')
    assert codes == [-9, -9, 0], ended.stderr
    assert ids(folder) == ["dev-1", "dev-2", "dev-3", "dev-4", "dev-5"]
    asked = (tmp_path / "asked.txt").read_text().splitlines()
    assert len(asked) == len(set(asked)) == 5
    assert len((folder / "outputs.txt").read_text().splitlines()) == 5
