"""`neurologic generate -i in.jsonl -o out.jsonl`: order, pass-through fields, bad lines, files."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from echo_model import CRASH, INTERRUPT, UNCONSTRAINED
from neurologic.batches.inputs import InputReader
from neurologic.batches.lines import InputLine
from neurologic.cli import generate
from neurologic.cli.messages import CommandError


def test_output_keeps_order_and_unknown_fields(lm, run, write_lines, read_output, tmp_path):
    lines = [{"id": number, "prompt": f"p{number}", "note": {"a": [1, None]}} for number in range(7)]
    ended = run("generate", "-i", write_lines(*lines), "-o", tmp_path / "out.jsonl", "--batch-size", 3)
    assert (ended.code, ended.out) == (0, "")
    output = read_output(tmp_path / "out.jsonl")
    assert [line["id"] for line in output] == list(range(7))
    assert output[3] == {
        "id": 3,
        "prompt": "p3",
        "note": {"a": [1, None]},
        "text": "The text of p3.",
        "score": pytest.approx(-0.5),
        "satisfied": True,
        "unmet": [],
        "clauses": [],
        "forced": 0,
        "marks": [],
    }
    assert ended.err == "7 lines: 7 satisfied\n"


def test_a_line_and_the_command_line_hold_together(lm, run, write_lines):
    path = write_lines(
        {
            "prompt": "p",
            "include": ["text", ["a", "b"]],
            "exclude": ["c"],
            "formula": "d -> e",
            "clauses": [["f", "p"]],
        }
    )
    ended = run("generate", "-i", path, "--include", "of", "--exclude", "cat", *UNCONSTRAINED)
    assert ended.code == 1
    (line,) = ended.lines
    assert [report["clause"] for report in line["clauses"]] == [
        *("text", "a | b", "!c", "d -> e", "f | p", "of", "!cat")
    ]
    assert line["unmet"] == ["a | b"]
    assert line["include"] == ["text", ["a", "b"]]


def test_conversations_and_raw_prompts(lm, run, write_lines):
    hello = {"role": "user", "content": "Hi"}
    path = write_lines(
        {"messages": [hello]},
        {"messages": [{"role": "system", "content": "Own"}, hello]},
        {"prompt": "Once", "raw": True},
        {"prompt": "Twice", "raw": False},
    )
    run("generate", "-i", path)
    run("generate", "-i", path, "--system", "Ours")
    assert lm.prompts == [
        *("user: Hi", "system: Own / user: Hi", "raw Once", "Twice"),
        *("system: Ours / user: Hi", "system: Own / user: Hi"),
        *("system: Ours / user: Once", "system: Ours / user: Twice"),
    ]


def test_a_line_may_have_a_plain_prompt():
    line = InputLine(1, {"prompt": "Use dog.", "plain_prompt": "Write."})
    (given,) = InputReader(None, False, "Be brief.").lines([line])
    assert given.request.plain_prompt == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Write."},
    ]


def test_bad_lines_become_errors_and_the_rest_goes_on(lm, run, write_lines, read_output, tmp_path):
    path = write_lines(
        {"id": "good 1", "prompt": "one"},
        "{not json",
        "[1, 2]",
        {"id": "no prompt", "note": 1},
        {"id": "both", "prompt": "a", "messages": []},
        {"id": "prompt", "prompt": ["a"]},
        {"id": "messages", "messages": "a"},
        {"id": "raw", "prompt": "a", "raw": "yes"},
        {"id": "plain", "prompt": "a", "plain_prompt": 3},
        {"id": "formula", "prompt": "a", "formula": "dog &"},
        {"id": "include", "prompt": "a", "include": "dog"},
        {"id": "contradiction", "prompt": "a", "include": ["dog"], "exclude": ["dog"]},
        {"id": "unspellable", "prompt": "a", "include": ["☃"]},
        {"id": "long", "prompt": "long " * 100, "clauses": [["x"]]},
        '{"id": "surrogate", "prompt": "\\ud800"}',
        '{"id": NaN, "prompt": "a"}',
        "[" * 100_000,
        {"id": "good 2", "prompt": "two"},
    )
    ended = run("generate", "-i", path, "-o", tmp_path / "out.jsonl")
    assert ended.code == 1
    assert ended.err == "18 lines: 2 satisfied, 16 failed\n"
    output = read_output(tmp_path / "out.jsonl")
    assert len(output) == 18
    assert [line["text"] for line in output if "error" not in line] == [
        "The text of one.",
        "The text of two.",
    ]
    assert output[1] == {"line": 2, "error": output[1]["error"]}
    errors = {line.get("id", line.get("line")): line["error"] for line in output if "error" in line}
    for name, part in {
        2: "not JSON: Expecting property name",
        3: "found a list",
        "no prompt": 'give "prompt" or "messages"',
        "both": "not both",
        "prompt": "must be a string",
        "messages": "must be a list",
        "raw": "true or false",
        "plain": '"plain_prompt" must be a text',
        "formula": "formula: ",
        "include": "include: expected a list",
        "contradiction": "required and also forbidden",
        "unspellable": "cannot spell",
        "long": "the prompt has 500 tokens",
        "surrogate": "surrogate",
        16: "NaN is not a JSON number",
        17: "not JSON",
    }.items():
        assert part in errors[name]
    assert output[3] == {"id": "no prompt", "note": 1, "error": output[3]["error"]}
    assert output[13]["clauses"] == [["x"]], "the constraint of a failed line stays for whoever mends it"


def test_a_line_that_fails_in_the_model_does_not_spoil_its_batch(lm, run, write_lines):
    path = write_lines({"prompt": "one"}, {"prompt": "long " * 100}, {"prompt": "three"}, {"prompt": "four"})
    ended = run("generate", "-i", path, "--batch-size", 4)
    assert [line.get("text", line.get("error")) for line in ended.lines] == [
        *("The text of one.", "the prompt has 500 tokens", "The text of three.", "The text of four.")
    ]


def test_a_warning_names_its_line(lm, run, write_lines):
    path = write_lines({"prompt": "one"}, {"id": "b", "prompt": "two", "include": ["a" * 9, "b" * 9]})
    ended = run("generate", "-i", path, "--max-new-tokens", 17, "--num-beams", 2)
    assert ended.err.splitlines() == [
        "warning: line 2 (id b): the formula may stay unsatisfied within 17 tokens: "
        "up to 19 tokens are needed",
        "2 lines: 1 satisfied, 1 unmet",
    ]


def test_lines_of_any_number_go_through_one_stream(lm, run, write_lines, monkeypatch):
    """The model refills its batch from all lines: it is asked once, not once per batch."""
    calls = []
    stream = lm.stream
    monkeypatch.setattr(
        lm, "stream", lambda requests, **options: calls.append(1) or stream(requests, **options)
    )
    ended = run("generate", "-i", write_lines(*({"prompt": "p"} for _ in range(20))), "--batch-size", 2)
    assert (len(calls), len(lm.prompts), len(ended.lines)) == (1, 20, 20)


def test_a_bug_ends_the_run_but_keeps_what_is_done(lm, run, write_lines):
    ended = run("generate", "-i", write_lines({"prompt": "one"}, {"prompt": CRASH}), "--batch-size", 1)
    assert (ended.code, [line["text"] for line in ended.lines]) == (2, ["The text of one."])
    assert "neurologic: error: ZeroDivisionError: oh no" in ended.err


def test_when_all_lines_are_bad_no_model_is_loaded(lm, run, write_lines):
    ended = run("generate", "-i", write_lines("{", {"id": 1}))
    assert (ended.code, len(ended.lines)) == (1, 2)
    assert lm.loaded_with is None


def test_blank_lines_are_skipped_and_numbers_are_those_of_the_file(lm, run, tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"prompt": "one"}\r\n\r\n  \n{"prompt": "t\xe2\x80\xa8wo"}\n\xff\n')
    ended = run("generate", "-i", path)
    texts = [line.get("text") for line in ended.lines]
    assert texts == ["The text of one.", "The text of t\u2028wo.", None]
    assert ended.lines[2]["line"] == 5


def test_an_empty_file_gives_an_empty_output(lm, run, write_lines, tmp_path):
    ended = run("generate", "-i", write_lines(), "-o", tmp_path / "out.jsonl")
    assert (ended.code, (tmp_path / "out.jsonl").read_text()) == (0, "")
    assert "has no lines" in ended.err


def test_standard_input_and_output(lm, run):
    ended = run("generate", "-i", "-", "-o", "-", stdin='{"prompt": "été"}\n')
    assert ended.lines[0]["text"] == "The text of été."
    assert "été" in ended.out


def test_json_of_lines_is_one_list_and_with_o_a_summary(lm, run, write_lines, read_output, tmp_path):
    path = write_lines({"prompt": "one"}, "bad")
    ended = run("generate", "-i", path, "--json")
    assert [sorted(line) for line in ended.json] == [
        sorted(["prompt", "text", "score", "satisfied", "unmet", "clauses", "forced", "marks"]),
        ["error", "line"],
    ]
    out = tmp_path / "out.jsonl"
    ended = run("generate", "-i", path, "-o", out, "--json")
    counts = {"lines": 2, "satisfied": 1, "unmet": 0, "failed": 1, "forced": 0, "resumed": 0}
    assert ended.json.items() >= {**counts, "output": str(out)}.items()
    assert ended.json["rows_per_second"] > 0
    assert len(read_output(out)) == 2


def test_json_of_no_lines_is_an_empty_list(lm, run, write_lines):
    assert run("generate", "-i", write_lines(), "--json").json == []


def test_prompts_can_go_to_a_file_too(lm, run, read_output, tmp_path):
    run("generate", "one", "two", "-o", tmp_path / "out.jsonl")
    assert [line["prompt"] for line in read_output(tmp_path / "out.jsonl")] == ["one", "two"]


def test_an_earlier_output_can_be_input_again(lm, run, write_lines):
    first = run(
        "generate", "-i", write_lines({"prompt": "p", "clauses": [["x", "p"]]}), "--exclude", "cat"
    ).lines[0]
    again = run("generate", "-i", write_lines({**first, "error": "of old", "text": "old"})).lines[0]
    assert again == first


# -- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("output", ["missing/folder/out.jsonl", "."])
def test_an_unwritable_output_is_told_before_the_model_is_loaded(lm, run, write_lines, tmp_path, output):
    ended = run("generate", "-i", write_lines({"prompt": "one"}), "-o", tmp_path / output)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"neurologic: error: cannot write {tmp_path / output}: ")
    assert lm.loaded_with is None


def test_a_missing_input_is_told(lm, run, tmp_path):
    ended = run("generate", "-i", tmp_path / "none.jsonl", "-o", tmp_path / "out.jsonl")
    assert (ended.code, ended.err) == (
        2,
        f"neurologic: error: cannot read {tmp_path / 'none.jsonl'}: No such file or directory\n",
    )
    assert not (tmp_path / "out.jsonl").exists()


def test_input_and_output_must_differ(lm, run, write_lines, tmp_path):
    path = write_lines({"prompt": "one"})
    before = path.read_bytes()
    (tmp_path / "link.jsonl").symlink_to(path)
    for output in (path, tmp_path / "link.jsonl"):
        ended = run("generate", "-i", path, "-o", output)
        assert (ended.code, "-i and -o are the same file" in ended.err) == (2, True)
    assert "-i and --trace are the same file" in run("generate", "-i", path, "--trace", path).err
    new = tmp_path / "new.jsonl"
    assert "-o and --trace are the same file" in run("generate", "-i", path, "-o", new, "--trace", new).err
    assert path.read_bytes() == before


def test_an_older_output_survives_a_run_that_never_starts(lm, run, write_lines, tmp_path):
    old = tmp_path / "out.jsonl"
    old.write_text("old\n")
    path = write_lines({"prompt": "one"})
    assert run("generate", "-i", path, "-o", old, "--model", "nowhere").code == 2
    assert old.read_text() == "old\n"
    assert run("generate", "-i", path, "-o", tmp_path / "new.jsonl", "--model", "nowhere").code == 2
    assert not (tmp_path / "new.jsonl").exists()
    refused = run("generate", "-i", path, "-o", old)
    assert (refused.code, "give --fresh to start over" in refused.err) == (2, True)
    assert old.read_text() == "old\n"
    assert run("generate", "-i", path, "-o", old, "--fresh").code == 0
    assert "old" not in old.read_text()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_told(lm, run, write_lines):
    ended = run("generate", "-i", write_lines({"prompt": "one"}), "-o", "/dev/full")
    assert (ended.code, ended.err) == (
        2,
        "neurologic: error: cannot write /dev/full: No space left on device\n",
    )


def test_a_file_in_utf_16_is_refused_with_the_reason(lm, run, tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text('{"prompt": "one"}\n', encoding="utf-16")
    ended = run("generate", "-i", path)
    assert (ended.code, ended.err) == (2, f"neurologic: error: {path} is UTF-16; save it as UTF-8\n")
    assert lm.loaded_with is None


def test_lines_are_read_as_their_turn_comes(lm, run, write_lines, read_output, tmp_path, monkeypatch):
    """So memory does not grow with the input, and results are there before the last line is read."""
    out, written = tmp_path / "out.jsonl", []
    plain = generate.read_input

    def watched(arguments):
        for line in plain(arguments):
            written.append(len(out.read_bytes().splitlines()) if out.exists() else 0)
            yield line

    monkeypatch.setattr(generate, "read_input", watched)
    path = write_lines(*({"prompt": "one"} for _ in range(40)))
    assert run("generate", "-i", path, "-o", out, "--batch-size", 2).code == 0
    assert len(read_output(out)) == 40
    assert max(read - done for read, done in enumerate(written)) < 20


def test_an_error_in_the_middle_of_reading_is_an_error(
    lm, run, write_lines, read_output, tmp_path, monkeypatch
):
    def broken(arguments):
        yield from itertools.islice(plain(arguments), 3)
        raise CommandError("cannot read the rest")

    plain = generate.read_input
    monkeypatch.setattr(generate, "read_input", broken)
    out = tmp_path / "out.jsonl"
    ended = run("generate", "-i", write_lines(*({"prompt": "one"} for _ in range(9))), "-o", out)
    assert (ended.code, ended.err) == (2, "neurologic: error: cannot read the rest\n")
    assert len(read_output(out)) == 3


def test_standard_input_has_no_known_length(lm, run):
    ended = run(
        "generate", "-i", "-", "--batch-size", 1, stdin=f'{{"prompt": "a"}}\n{{"prompt": "{INTERRUPT}"}}\n'
    )
    assert ended.code == 130
    assert ended.err == "neurologic: interrupted after 1\n"


def test_ctrl_c_keeps_what_is_done_and_says_how_far_it_got(lm, run, write_lines, read_output, tmp_path):
    path = write_lines(*({"prompt": prompt} for prompt in ("one", "two", "three", INTERRUPT, "five")))
    ended = run("generate", "-i", path, "-o", tmp_path / "out.jsonl", "--batch-size", 1)
    assert (ended.code, ended.err) == (130, "neurologic: interrupted after 3 of 5\n")
    assert [line["prompt"] for line in read_output(tmp_path / "out.jsonl")] == ["one", "two", "three"]


def test_a_killed_run_loses_nothing_that_was_done(write_lines, read_output, tmp_path):
    program = """
import os, signal, sys
import neurologic
from echo_model import EchoModel
from neurologic.cli import main
from neurologic.generation.constrained_model import ConstrainedModel

class Model(EchoModel):
    def encode(self, prompt, **options):
        if prompt == "3":
            os.kill(os.getpid(), signal.SIGKILL)
        return super().encode(prompt, **options)

neurologic.load = lambda *names, **options: ConstrainedModel(Model())
main(sys.argv[1:])
"""
    path = write_lines(*({"prompt": str(number)} for number in range(6)))
    out = tmp_path / "out.jsonl"
    argv = ["generate", "-i", str(path), "-o", str(out), "--batch-size", "1"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run([sys.executable, "-c", program, *argv], env=environment, check=False)
    assert ended.returncode == -9
    assert [line["prompt"] for line in read_output(out)] == ["0", "1", "2"]


def test_output_is_found_in_the_folder_of_the_caller(lm, run, write_lines, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("generate", "-i", write_lines({"prompt": "one"}).name, "-o", "out.jsonl")
    assert Path("out.jsonl").exists()
