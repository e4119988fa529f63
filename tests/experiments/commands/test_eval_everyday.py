"""`neurologic eval everyday`: runs that grow, runs side by side, and grades; with a stand-in model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import neurologic
from neurologic.experiments.tasks.everyday import read_tasks
from neurologic.generation.result import Result
from neurologic.logic import check, to_clauses


class Model:
    """Writes a sentence per required phrase; "beam" writes the prompt's first words instead.

    asked  the prompts and the limits of their texts
    """

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    def stream(
        self, requests: Iterable[Any], *, decoder: str, max_new_tokens: int, **options: Any
    ) -> Iterator[Result]:
        for request in requests:
            self.asked.append((request.prompt, max_new_tokens))
            first = [clause.literals[0] for clause in to_clauses(request.constraint)]
            words = [literal.atom.text for literal in first if literal.positive]
            text = " ".join(f"This one is about {word}." for word in words)
            if decoder == "beam":
                text = " ".join(request.prompt.split()[:4])
            verdict = check(request.constraint, text)
            yield Result(text, -0.5, verdict, tokens=(1, 2), logprob=-1.0, calls=3, request=request)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Model:
    made = Model()
    monkeypatch.setattr(neurologic, "load", lambda name, **options: made)
    monkeypatch.setenv("PATH", "")  # no link-parser
    monkeypatch.setenv("NEUROLOGIC_CACHE", str(tmp_path / "cache"))
    return made


def test_it_needs_no_data_and_leaves_a_page_to_grade(model, run, tmp_path):
    folder = tmp_path / "run"
    ended = run("eval", "everyday", "--half", "tune", "--prompts", "plain", "-o", folder)
    assert ended.code == 0
    assert "side_by_side.html has them side by side" in ended.out
    assert {"report.html", "side_by_side.html", "side_by_side_key.json"} <= {
        path.name for path in folder.iterdir()
    }
    document = json.loads((folder / "scores.json").read_text())
    assert (document["half"], document["prompts"]) == ("tune", "plain")
    assert document["figures"]["texts"] == 40
    assert document["figures"]["texts_satisfied"] == 100
    assert document["scores"]["failure_free"] is not None
    assert "link-parser" in document["not_available"]["unlinked"]
    assert "--judge-model" in document["not_available"]["fluency"]


def test_every_task_has_its_own_limit_unless_the_user_sets_one(model, run, tmp_path):
    limits = {task.plain: task.max_new_tokens for task in read_tasks()}
    run("eval", "everyday", "--prompts", "plain", "-o", tmp_path / "a")
    assert dict(model.asked) == limits
    model.asked.clear()
    run("eval", "everyday", "--limit", "3", "--max-new-tokens", "9", "-o", tmp_path / "b")
    assert [limit for _, limit in model.asked] == [9, 9, 9]


def test_a_run_grows_from_one_kind_of_prompts_and_one_half_to_all(model, run, tmp_path):
    argv = ("eval", "everyday", "--json", "-o", tmp_path / "run")
    assert run(*argv, "--half", "tune", "--prompts", "plain").json["figures"]["texts"] == 40
    both = run(*argv, "--half", "tune").json
    assert both["figures"]["texts"] == 80
    assert len(model.asked) == 80, "no text was written twice"
    texts = {name: part["systems"]["neurologic"]["figures"]["texts"] for name, part in both["parts"].items()}
    assert texts == {"prompts that name the words": 40, "prompts that do not": 40}


def test_decoders_are_compared_per_kind_of_prompts(model, run, tmp_path):
    ended = run("eval", "everyday", "--half", "tune", "--decoders", "neurologic,beam", "-o", tmp_path / "run")
    for title in ("prompts that name the words", "prompts that do not", "all inputs"):
        assert ended.out.count(title) == 2, "scores and differences"
    assert "minus neurologic" in ended.out


def test_finished_runs_are_compared_without_a_model(model, run, tmp_path):
    for decoder, name in (("beam", "old"), ("neurologic", "new")):
        run("eval", "everyday", "--decoder", decoder, "--limit", "6", "-o", tmp_path / name)
    model.asked.clear()
    argv = ("eval", "everyday", "--runs", tmp_path / "old", tmp_path / "new", "-o", tmp_path / "compared")
    ended = run(*argv, "--prompts", "naming")
    assert ended.code == 0
    assert "minus old" in ended.out
    assert "77 inputs lack a text of some run and are left out" in ended.err
    assert model.asked == []
    key = json.loads((tmp_path / "compared" / "side_by_side_key.json").read_text())
    assert key["systems"] == ["old", "new"]
    assert list(key["inputs"]) == ["product-1-naming", "product-2-naming", "product-3-naming"]


def test_grades_become_a_table(model, run, tmp_path):
    folder = tmp_path / "run"
    run("eval", "everyday", "--limit", "4", "--decoders", "beam,neurologic", "-o", folder)
    key = json.loads((folder / "side_by_side_key.json").read_text())
    grades = {"beam": 1, "neurologic": 4}
    given = {text: grades[name] for texts in key["inputs"].values() for name, text in texts.items()}
    file = tmp_path / "grades.json"
    file.write_text(json.dumps({"grades": given}))
    ended = run("eval", "everyday", "--grades", file, "-o", folder)
    assert ended.code == 0
    _, beam, best = (line.split() for line in ended.out.splitlines()[:3])
    assert beam == ["beam", "4", "1.00", "0", "-", "-", "-", "-"]
    assert best == ["neurologic", "4", "4.00", "100", "4", "0", "0", "0.125"]
    assert run("eval", "everyday", "--grades", file, "-o", folder, "--json").json["compared_with"] == "beam"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--grades", "grades.json"), "--grades needs -o FOLDER"),
        (("--runs", "a", "--predictions", "b"), "cannot be combined"),
        (("--runs", "nowhere"), "there is no run in nowhere"),
        (("--runs", "a", "--decoder", "beam"), "--decoder cannot be combined with --runs"),
        (("--judge-model", "missing.gguf"), "missing.gguf"),
        (("--data", "DIR"), "--data"),
        (("--half", "third"), "invalid choice"),
    ],
)
def test_wrong_usage_is_refused_before_any_text(model, run, monkeypatch, tmp_path, options, message):
    monkeypatch.chdir(tmp_path)
    ended = run("eval", "everyday", *options)
    assert ended.code == 2
    assert message in ended.err
    assert model.asked == []
