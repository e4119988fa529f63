"""`neurologic generate --format sockeye|fairseq`: lines of other toolkits, line for line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from echo_model import UNCONSTRAINED


def test_sockeyes_lines(lm, run, write_lines):
    path = write_lines(
        {"text": "one", "constraints": ["text"], "avoid": ["Cat"], "text_id": "a"},
        {"text": "two", "constraints": ["Text"]},
    )
    ended = run("generate", "-i", path, "--format", "sockeye", *UNCONSTRAINED)
    assert ended.code == 1
    first, second = ended.lines
    assert first == {
        "prompt": "one",
        "include": [{"phrase": "text", "case": "exact"}],
        "exclude": [{"phrase": "Cat", "case": "exact"}],
        "text_id": "a",
        "text": "The text of one.",
        "score": pytest.approx(-0.5),
        "satisfied": True,
        "unmet": [],
        "clauses": first["clauses"],
        "forced": 0,
        "marks": [],
        "reduced": "constraints left out",
    }
    assert [report["clause"] for report in first["clauses"]] == ["text[case=exact]", "!Cat[case=exact]"]
    assert second["unmet"] == ["Text[case=exact]"]


def test_fairseqs_lines(lm, run, tmp_path):
    lm._loaded.is_encoder_decoder = True  # a translation may repeat what its source says
    path = tmp_path / "in.tsv"
    path.write_bytes("one\tte@@ xt\tThe\r\n\ntwo\nété\tété\n".encode())
    ended = run("generate", "-i", path, "--format", "fairseq")
    assert ended.code == 1
    assert [line.get("text", line.get("error")) for line in ended.lines] == [
        *("The text of one.", "the line is empty", "The text of two.", "The text of été.")
    ]
    assert ended.lines[1] == {"line": 2, "error": "the line is empty"}
    assert [report["clause"] for report in ended.lines[0]["clauses"]] == [
        *("text[case=exact]", "The[case=exact]")
    ]
    assert ended.err == "4 lines: 3 satisfied, 1 failed\n"


def test_case_and_match_of_the_lines_can_be_chosen(lm, run, tmp_path):
    path = tmp_path / "in.tsv"
    path.write_text("one\tTEX\n")
    argv = ("generate", "-i", path, "--format", "fairseq", *UNCONSTRAINED)
    assert run(*argv).lines[0]["satisfied"] is False
    assert run(*argv, "--case", "fold").lines[0]["satisfied"] is False
    ended = run(*argv, "--case", "fold", "--match", "substring")
    assert ended.lines[0]["clauses"][0]["clause"] == "TEX[match=substring]"
    assert ended.code == 0


def test_bad_lines_keep_their_place_and_their_source(lm, run, write_lines):
    path = write_lines(
        {"text": "one"},
        "",
        "{not json",
        {"text": "three", "constraints": "x", "text_id": 3},
        {"prompt": "own"},
        {"text": "five", "constraints": ["dog"], "avoid": ["dog"]},
    )
    ended = run("generate", "-i", path, "--format", "sockeye")
    assert (ended.code, ended.err) == (1, "6 lines: 1 satisfied, 5 failed\n")
    assert ended.lines[1] == {"line": 2, "error": "the line is empty"}
    assert ended.lines[3] == {
        "prompt": "three",
        "constraints": "x",
        "text_id": 3,
        "error": '"constraints" must be a list of phrases; write ["x"]',
    }
    assert "leave out --format" in ended.lines[4]["error"]
    assert "required and also forbidden" in ended.lines[5]["error"]


def test_a_line_that_is_not_utf8(lm, run, tmp_path):
    path = tmp_path / "in.tsv"
    path.write_bytes(b"one\n\xff\ttwo\n")
    ended = run("generate", "-i", path, "--format", "fairseq")
    assert "not UTF-8" in ended.lines[1]["error"]


def test_the_command_lines_constraint_holds_for_all_of_them(lm, run, tmp_path):
    path = tmp_path / "in.tsv"
    path.write_text("one\tText\n")
    ended = run("generate", "-i", path, "--format", "fairseq", "--exclude", "cat", "--case", "fold")
    assert [report["clause"] for report in ended.lines[0]["clauses"]] == ["Text", "!cat"]


def test_check_judges_the_output_and_it_can_be_input_again(lm, run, write_lines, read_output, tmp_path):
    out = tmp_path / "out.jsonl"
    path = write_lines({"text": "one", "constraints": ["text"], "avoid": ["Cat"]}, {"text": ""})
    run("generate", "-i", path, "--format", "sockeye", "-o", out)
    judged = run("check", "-i", out, "--json").json
    assert [line["satisfied"] for line in judged["results"]] == [True, False]
    (good, bad) = read_output(out)
    assert bad["error"] == '"text" is empty'
    for text, satisfied in (("a text, a cat", True), ("a text, a Cat", False), ("a Text", False)):
        assert (run("check", "-i", write_lines({**good, "text": text})).code == 0) is satisfied
    assert run("generate", "-i", write_lines(good)).lines == [good]


def test_help_shows_an_example_of_each(run):
    shown = run("generate", "--help").out
    for name in ("jsonl", "sockeye", "fairseq"):
        assert name in shown
    assert shown.count("--format sockeye -o") == shown.count("--format fairseq -o") == 1


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["one", "--format", "sockeye"], "give it with -i FILE"),
        (["-i", "x", "--format", "marian"], "invalid choice: 'marian'"),
        (["one", "--case", "exact"], "--case acts on --include and --exclude, and there are none"),
    ],
)
def test_bad_usage(lm, run, argv, told):
    ended = run("generate", *argv)
    assert ended.code == 2
    assert told in ended.err


def test_case_and_match_act_on_include_and_exclude_everywhere(lm, run):
    assert run("check", "--text", "The Dog.", "--include", "dog").code == 0
    assert run("check", "--text", "The Dog.", "--include", "dog", "--case", "exact").code == 1
    assert run("check", "--text", "hotdogs", "--exclude", "dog", "--match", "substring").code == 1
    ended = run("generate", "p", "--include", "TEXT", "--case", "exact", "--json", *UNCONSTRAINED)
    assert ended.json["unmet"] == ["TEXT[case=exact]"]


@pytest.mark.real_model
def test_sockeyes_and_fairseqs_lines_through_a_translation_model(run, marian_folder: Path, tmp_path):
    lines = [
        {"text": "The nurse helped the doctor.", "constraints": ["infirm@@ ier"], "avoid": ["infirmière"]},
        {"text": "The dog sleeps.", "avoid": ["chien"]},
    ]
    (tmp_path / "in.json").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (tmp_path / "in.tsv").write_text("The nurse helped the doctor.\tinfirmier\n\n", encoding="utf-8")
    small = ("--model", marian_folder, "--num-beams", 4, "--max-new-tokens", 24)
    ended = run("generate", "-i", tmp_path / "in.json", "--format", "sockeye", *small)
    assert ended.code == 0
    assert "infirmier " in ended.lines[0]["text"]
    assert "chien" not in ended.lines[1]["text"]
    ended = run("generate", "-i", tmp_path / "in.tsv", "--format", "fairseq", *small)
    assert [line.get("satisfied") for line in ended.lines] == [True, None]
