"""`neurologic translate`, and `generate --glossary`: files of sentences, line for line, with their terms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from echo_model import INTERRUPT, UNCONSTRAINED
from neurologic.generation.result import Result


@pytest.fixture
def terms(tmp_path: Path) -> Path:
    path = tmp_path / "terms.tsv"
    path.write_text("tenant\ttext\tcat\nrent\tloyer\nPolish\tthe\n", encoding="utf-8")
    return path


@pytest.fixture
def source(tmp_path: Path) -> Any:
    def write(text: str | bytes) -> Path:
        path = tmp_path / "source.txt"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


MODEL = ("--model", "any")


@pytest.fixture(autouse=True)
def translator(request):
    """Let the toy read a source instead of a chat: a translation may repeat what its source says."""
    if "marian_folder" not in request.fixturenames:
        request.getfixturevalue("lm")._loaded.is_encoder_decoder = True


def test_a_sentence_a_line_becomes_a_translation_a_line(lm, run, source, terms, tmp_path):
    target = tmp_path / "target.txt"
    path = source("the tenants\r\nnothing\r\nétage\r\n")
    ended = run("translate", "-i", path, "-o", target, "--glossary", terms, *MODEL)
    assert (ended.code, ended.out) == (0, "")
    assert ended.err == "3 lines: 3 satisfied\n"
    assert target.read_text(encoding="utf-8") == (
        "The text of the tenants.\nThe text of nothing.\nThe text of étage.\n"
    )


def test_what_is_wrong_with_a_line_leaves_the_others_in_their_places(lm, run, source, terms):
    path = source(b"\n\nrent\n\n" + b"long " * 100 + b"\n\xff\nthe tenant\n\n \n")
    ended = run("translate", "-i", path, "--glossary", terms, *MODEL, *UNCONSTRAINED)
    assert ended.code == 1
    assert ended.out == "\n\nThe text of rent.\n\n\n\nThe text of the tenant.\n\n\n"
    assert ended.err.splitlines() == [
        "warning: line 3: unmet: loyer",
        "warning: line 5: the prompt has 499 tokens",
        "warning: line 6: not UTF-8: invalid start byte at byte 1",
        "4 lines: 1 satisfied, 1 unmet, 2 failed",
    ]


@pytest.mark.parametrize("text", ["", "\n\n", "one", "\n\none", "one\n\n\n", "\u3000\none\n"])
def test_the_target_has_as_many_lines_as_the_source(lm, run, source, text):
    ended = run("translate", "-i", source(text), *MODEL)
    assert ended.out.count("\n") == len(text.splitlines())
    assert ended.code == 0


def test_an_interrupted_run_ends_with_the_last_translation(lm, run, source):
    ended = run("translate", "-i", source(f"one\n\n{INTERRUPT}\nlast\n\n"), "--batch-size", 1, *MODEL)
    assert (ended.code, ended.out) == (130, "The text of one.\n\n")


def test_translations_to_look_at_are_named(lm, run, source, monkeypatch):
    results = [Result("Good.", -1.0), Result("Bad.", -9.0, forced=2), Result("Cut", -5.0, ending="length")]
    monkeypatch.setattr(lm, "stream", lambda requests, **options: iter(results))
    ended = run("translate", "-i", source("one\ntwo\nthree\n"), *MODEL)
    assert (ended.code, ended.out) == (0, "Good.\nBad.\nCut\n")
    assert [line.split(",")[0] for line in ended.err.splitlines()] == [
        "warning: line 2: 2 tokens were forced",
        "warning: line 3: ended by its length limit",
        "3 lines: 3 satisfied",
    ]


def test_the_report_says_which_terms_were_applied(lm, run, source, terms, tmp_path, read_output):
    report = tmp_path / "report.jsonl"
    path = source("the tenants\n\nrent, rents\nnothing\n")
    ended = run(
        *("translate", "-i", path, "-o", tmp_path / "target.txt", "--glossary", terms, "--report", report),
        *MODEL,
        *UNCONSTRAINED,
    )
    assert ended.code == 1
    first, second, third = read_output(report)
    assert first["glossary"] == [
        {"term": "tenant", "lines": [1], "found": ["tenants"], "used": ["text"], "satisfied": True}
    ]
    assert (first["line"], first["prompt"]) == (1, "the tenants")
    assert [clause["clause"] for clause in first["clauses"]] == ["text", "!cat"]
    assert second["glossary"] == [
        {"term": "rent", "lines": [2], "found": ["rent", "rents"], "used": [], "satisfied": False}
    ]
    assert (second["line"], second["unmet"], third["glossary"]) == (3, ["loyer"], [])
    judged = run("check", "-i", report, "--json").json
    assert [line["satisfied"] for line in judged["results"]] == [True, False, True]


def test_sentences_of_the_command_line_are_shown_with_their_terms(lm, run, terms):
    ended = run("translate", "The tenants and the Polish", "--glossary", terms, *MODEL)
    assert ended.code == 0
    assert [line.split() for line in ended.out.splitlines()[-3:]] == [
        ["line", "term", "found", "used"],
        ["✓", "1", "tenant", "tenants", "text"],
        ["✓", "3", "Polish", "Polish", "The"],
    ]


def test_sentences_of_the_command_line_can_go_to_a_file(lm, run, terms, tmp_path):
    target = tmp_path / "target.txt"
    assert run("translate", "one", "--glossary", terms, "-o", target, *MODEL, "two").code == 0
    assert target.read_text() == "The text of one.\nThe text of two.\n"


def test_one_json_document(lm, run, source, terms):
    ended = run(
        "translate", "-i", source("the tenant\nrent\n"), "--glossary", terms, "--json", *MODEL, *UNCONSTRAINED
    )
    assert [line["glossary"][0]["satisfied"] for line in ended.json] == [True, False]


def test_long_sentences_are_not_cut_off_by_the_default(lm, run):
    run("translate", "one", *MODEL)
    assert lm.options["max_new_tokens"] == 128
    run("translate", "one", *MODEL, "--max-new-tokens", 9)
    assert lm.options["max_new_tokens"] == 9
    assert "(default: 128)" in run("translate", "--help").out
    run("generate", "one")
    assert "max_new_tokens" not in lm.options


def test_source_terms_as_they_are_written(lm, run, terms):
    argv = ("translate", "two rents", "--glossary", terms, *MODEL, *UNCONSTRAINED)
    assert run(*argv).code == 1
    ended = run(*argv, "--no-inflect")
    assert ended.code == 0
    assert f"no term of {terms} occurs in the input" in ended.err


def test_a_constraint_of_the_command_line_holds_as_well(lm, run, source, terms):
    ended = run(
        "translate",
        "-i",
        source("the tenant\n"),
        "--glossary",
        terms,
        "--exclude",
        "tenant",
        *MODEL,
        *UNCONSTRAINED,
    )
    assert (ended.code, ended.err.splitlines()[0]) == (1, "warning: line 1: unmet: !tenant")


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["one"], "give --model"),
        ([*MODEL], "give sentences or -i FILE"),
        (["one", "-i", "x", *MODEL], "not both"),
        (["one", "--report", "r", *MODEL], "for SENTENCE use --json"),
        (["-i", "x", "--report", "-", *MODEL], "--report needs a file"),
        (["-i", "x", "-o", "y", "--report", "y", *MODEL], "the same file, y"),
        (["-i", "x", "-o", "d/y", "--report", "d/./y", *MODEL], "-o and --report are the same file"),
        (["-i", "x", "--json", "--report", "y", *MODEL], "choose one"),
        (["one", "--no-inflect", *MODEL], "--no-inflect needs --glossary"),
        (["one", "--glossary", "nowhere.tsv", *MODEL], "cannot use the glossary nowhere.tsv: No such file"),
    ],
)
def test_bad_usage(lm, run, argv, told):
    ended = run("translate", *argv)
    assert ended.code == 2
    assert told in ended.err
    assert lm.loaded_with is None


def test_files_are_not_overwritten_by_one_another(lm, run, source, terms):
    path = source("one\n")
    for argv in (("-o", terms), ("-o", path), ("--report", path), ("--report", terms)):
        ended = run("translate", "-i", path, "--glossary", terms, *argv, *MODEL)
        assert (ended.code, "same file" in ended.err) == (2, True)
    assert path.read_text() == "one\n"


def test_a_bad_glossary_is_told_before_a_model_is_loaded(lm, run, source, tmp_path):
    path = tmp_path / "bad.tsv"
    path.write_text("tenant preneur\nrent\tloyer\tloyer\n")
    ended = run("translate", "-i", source("one\n"), "--glossary", path, *MODEL)
    assert (ended.code, lm.loaded_with) == (2, None)
    assert "line 1: found no tab" in ended.err


def test_generate_takes_a_glossary_for_its_lines(lm, run, write_lines, terms):
    path = write_lines(
        {"id": 1, "prompt": "the tenant", "include": ["of"]},
        {"id": 2, "messages": [{"role": "user", "content": "rent"}, {"role": "user", "content": "tenant"}]},
        {"id": 3, "glossary": "an earlier one", "prompt": "x"},
        {"id": 4},
    )
    first, second, third, fourth = run("generate", "-i", path, "--glossary", terms).lines
    assert [clause["clause"] for clause in first["clauses"]] == ["of", "text", "!cat"]
    assert [use["term"] for use in second["glossary"]] == ["tenant"]
    assert third["glossary"] == []
    assert "error" in fourth
    assert "glossary" not in json.dumps(run("generate", "-i", path).lines)


@pytest.mark.real_model
def test_the_whole_way_with_a_translation_model(run, source, tmp_path, marian_folder):
    terms, target = tmp_path / "terms.tsv", tmp_path / "target.txt"
    terms.write_text("tenant\tpreneur | preneurs\tlocataire | locataires\n", encoding="utf-8")
    ended = run(
        *("translate", "-i", source("The tenants pay.\n\nThe tenant left.\n"), "-o", target),
        *("--model", marian_folder, "--glossary", terms, "--num-beams", 4),
    )
    assert ended.code == 0
    first, blank, second = target.read_text(encoding="utf-8").splitlines()
    assert ("preneurs" in first, blank, "preneur" in second) == (True, "", True)
