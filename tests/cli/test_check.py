"""`neurologic check`: verdicts on finished texts."""

from __future__ import annotations

import pytest

GOOD = {"id": 1, "text": "The dog ran.", "include": ["dog"], "exclude": ["cat"]}
UNMET = {"id": 2, "text": "The cat sat.", "include": ["dog", "cat"], "satisfied": True}
FAILED = {"id": 3, "prompt": "p", "error": "the prompt has 9999 tokens"}


def test_all_satisfied(run, write_lines):
    ended = run("check", "-i", write_lines(GOOD, GOOD))
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == "2 lines: 2 satisfied, 0 unmet, 0 failed; 4 of 4 clauses satisfied\n"


def test_unmet_and_failed_lines_are_shown(run, write_lines):
    ended = run("check", "-i", write_lines(GOOD, UNMET, FAILED))
    assert ended.code == 1
    assert ended.out.splitlines() == [
        "line 2 (id 2): unmet: dog",
        "  The cat sat.",
        "line 3 (id 3): failed: the prompt has 9999 tokens",
        "3 lines: 1 satisfied, 1 unmet, 1 failed; 3 of 4 clauses satisfied",
    ]
    assert "line 1 (id 1): satisfied" in run("check", "-i", write_lines(GOOD, UNMET), "--all").out


def test_json_has_a_verdict_per_line(run, write_lines):
    document = run("check", "-i", write_lines(GOOD, UNMET, FAILED), "--json").json
    assert {name: document[name] for name in ("lines", "satisfied", "unmet", "failed")} == {
        "lines": 3,
        "satisfied": 1,
        "unmet": 1,
        "failed": 1,
    }
    assert [(line["line"], line["id"], line["satisfied"]) for line in document["results"]] == [
        *((1, 1, True), (2, 2, False), (3, 3, False))
    ]
    assert document["results"][1]["unmet"] == ["dog"]


def test_every_kind_of_constraint_counts(run, write_lines):
    line = {
        "text": "x y",
        "include": ["a"],
        "exclude": ["x"],
        "formula": "b",
        "clauses": [["c", {"not": "y"}]],
    }
    ended = run("check", "-i", write_lines(line), "--include", "d", "--json")
    assert ended.json["results"][0]["unmet"] == ["a", "!x", "b", "c | !y", "d"]


def test_the_clauses_of_an_output_line_are_its_constraint(lm, run, write_lines):
    """Also those that the command line of `generate` added; what the line says of itself is not believed."""
    lines = run("generate", "-i", write_lines({"prompt": "p", "clauses": [["p"]]}), "--exclude", "cat").lines
    assert run("check", "-i", write_lines(*lines)).code == 0
    ended = run("check", "-i", write_lines({**lines[0], "text": "p cat"}))
    assert (ended.code, ended.out.splitlines()[0]) == (1, "line 1: unmet: !cat")


def test_a_raw_prompt_denies_the_word_boundary(run, write_lines):
    line = {"prompt": "a hot", "text": "dog", "include": ["dog"]}
    assert run("check", "-i", write_lines(line)).code == 0
    assert run("check", "-i", write_lines({**line, "raw": True})).code == 1


def test_lines_that_cannot_be_judged_fail(run, write_lines):
    ended = run("check", "-i", write_lines(GOOD, "{", {"include": ["a"]}, {"text": "a", "formula": "&"}))
    assert ended.code == 1
    assert "line 2: failed: not JSON" in ended.out
    assert 'line 3: failed: "text" is missing' in ended.out
    assert "line 4: failed: formula: " in ended.out


@pytest.mark.parametrize("lines", [["{"], [{"prompt": "p"}], []])
def test_nothing_to_judge_is_bad_input(run, write_lines, lines):
    ended = run("check", "-i", write_lines(*lines))
    assert ended.code == 2
    assert "neurologic: error: " in ended.err


def test_a_missing_file_is_bad_input(run, tmp_path):
    ended = run("check", "-i", tmp_path / "none")
    assert (ended.code, "cannot read" in ended.err) == (2, True)


def test_lines_without_any_constraint_are_pointed_out(run, write_lines):
    ended = run("check", "-i", write_lines({"text": "a", "includes": ["b"]}))
    assert ended.code == 0
    assert "warning: no line has a constraint" in ended.err


def test_standard_input(run):
    assert run("check", "-i", "-", stdin='{"text": "dog", "include": ["dog"]}\n').code == 0


def test_one_text(run):
    ended = run("check", "--text", "The dog ran.", "--formula", "inflect(run) & mouse", "--exclude", "cat")
    assert ended.code == 1
    assert ended.out.splitlines() == [
        "   state  clause        by",
        "✓  S3     !cat          no cat",
        "✓  S4     inflect(run)  ran",
        "✗  S1     mouse",
    ]
    ended = run("check", "--text", "The dog ran.", "--include", "dog", "--json")
    assert (ended.code, ended.json["satisfied"]) == (0, True)


@pytest.mark.parametrize(
    "argv", [[], ["--text", "a"], ["--text", "a", "-i", "b"], ["--text", "a", "--formula", "("]]
)
def test_bad_usage(run, argv):
    ended = run("check", *argv)
    assert (ended.code, ended.out) == (2, "")


def test_predicates_say_what_the_text_has(run):
    ended = run("check", "--text", "A dog ran.", "--formula", "words(..2) & starts(a)")
    assert ended.code == 1
    rows = [" ".join(line.split()[1:]) for line in ended.out.splitlines()[1:]]
    assert rows == ["S2 words(..2) 3 words", "S4 starts(a) A"]


def test_wishes_are_shown_and_do_not_count(run, write_lines):
    formula = "dog & prefer(park, 2)"
    ended = run("check", "--text", "A dog.", "--formula", formula)
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "wish not met: park")
    wish = {"wish": "park", "met": False, "weight": 2.0}
    assert run("check", "--text", "A dog.", "--formula", formula, "--json").json["wishes"] == [wish]
    (line,) = run("check", "-i", write_lines({"text": "A dog.", "formula": formula}), "--json").json[
        "results"
    ]
    assert (line["satisfied"], line["wishes"]) == (True, [wish])
