"""`generate` and `translate` with -i and -o go on where an earlier process stopped."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

import paths
from echo_model import CRASH, INTERRUPT, UNCONSTRAINED
from neurologic.cli import generate

PROMPTS = [f"p{number}" for number in range(5)]


@pytest.fixture
def given(write_lines):
    return lambda *prompts: write_lines(
        *({"id": place, "prompt": prompt} for place, prompt in enumerate(prompts))
    )


def texts(path: Path) -> list[str]:
    return [json.loads(line).get("text") for line in path.read_text(encoding="utf-8").splitlines()]


def test_after_ctrl_c_the_same_command_writes_the_rest(lm, run, given, tmp_path, monkeypatch):
    out = tmp_path / "out.jsonl"
    argv = ("generate", "-i", given("p0", "p1", INTERRUPT, "p3"), "-o", out, "--batch-size", 1)
    assert run(*argv).code == 130
    lm.prompts.clear()
    monkeypatch.setattr("echo_model.INTERRUPT", "")  # nobody hits Ctrl-C this time
    ended = run(*argv)
    assert (ended.code, lm.prompts) == (0, [INTERRUPT, "p3"])
    assert ended.err == "4 lines: 4 satisfied; 2 of them were there already\n"
    assert texts(out) == [f"The text of {prompt}." for prompt in ("p0", "p1", INTERRUPT, "p3")]


def test_a_finished_run_loads_no_model_and_keeps_its_exit_code(lm, run, given, tmp_path):
    argv = (
        "generate",
        "-i",
        given("p0", "p1"),
        "-o",
        tmp_path / "out.jsonl",
        "--exclude",
        "p1",
        *UNCONSTRAINED,
    )
    first = run(*argv)
    lm.loaded_with = None
    again = run(*argv, "--json")
    assert (first.code, again.code, lm.loaded_with) == (1, 1, None)
    assert again.json.items() >= {"lines": 2, "satisfied": 1, "unmet": 1, "failed": 0, "resumed": 2}.items()


def test_other_settings_are_refused_with_what_changed(lm, run, given, tmp_path):
    argv = ("generate", "-i", given("p0"), "-o", tmp_path / "out.jsonl")
    assert run(*argv, "--num-beams", 4).code == 0
    for other, told in [
        (["--num-beams", 8], "num_beams was 4 and is now 8"),
        (["--num-beams", 4, "--include", "p"], 'formula was not given and is now "p"'),
        (["--num-beams", 4, "--model", "other"], 'model was "smollm2" and is now "other"'),
        (["--num-beams", 4, "--strict"], "strict was not given and is now true"),
        (["--num-beams", 4, "--hint", "off"], 'hint was "auto" and is now "off"'),
    ]:
        ended = run(*argv, *other)
        assert ended.code == 2
        assert told in ended.err
        assert "--fresh" in ended.err
    assert run(*argv, "--num-beams", 4, "--batch-size", 3, "--device", "cpu").code == 0, (
        "these decide no text"
    )
    assert run(*argv, "--num-beams", 8, "--fresh").code == 0


def test_failed_rows_are_tried_again_on_request(lm, run, given, tmp_path, monkeypatch):
    out = tmp_path / "out.jsonl"
    argv = ("generate", "-i", given("p0", "long " * 100, "p2"), "-o", out)
    assert run(*argv).code == 1
    monkeypatch.setattr("echo_model.CONTEXT", 5000)
    assert run(*argv).code == 1
    lm.prompts.clear()
    ended = run(*argv, "--retry-errors")
    assert (ended.code, len(lm.prompts)) == (0, 1)
    assert [text is not None for text in texts(out)] == [True] * 3
    assert texts(out)[2] == "The text of p2."


def test_a_bug_ends_the_run_and_the_next_one_goes_on_there(lm, run, given, tmp_path, monkeypatch):
    out = tmp_path / "out.jsonl"
    argv = ("generate", "-i", given("p0", CRASH, "p2"), "-o", out, "--batch-size", 1)
    assert run(*argv).code == 2
    monkeypatch.setattr("echo_model.CRASH", "")
    assert run(*argv).code == 0
    assert len(texts(out)) == 3


@pytest.mark.parametrize(
    "options", [["--fresh"], ["--retry-errors"], ["-o", "x.jsonl", "--fresh", "--retry-errors"]]
)
def test_options_that_make_no_sense(lm, run, given, options):
    ended = run("generate", "-i", given("p0"), *options)
    assert (ended.code, lm.loaded_with) == (2, None)


# -- sources --------------------------------------------------------------------------------------


def test_several_files_and_globs_are_read_in_their_order(lm, run, write_lines, tmp_path):
    for name in ("b2", "b1", "a"):
        write_lines({"prompt": name}, "{", name=f"{name}.jsonl")
    out = tmp_path / "out.jsonl"
    ended = run("generate", "-i", tmp_path / "a.jsonl", tmp_path / "b*.jsonl", "-o", out)
    assert ended.code == 1
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line.get("prompt", line.get("line")) for line in lines] == ["a", 2, "b1", 2, "b2", 2]
    ended = run("generate", "-i", tmp_path / "none*.jsonl", "-o", out)
    assert (ended.code, "no file has a name like" in ended.err) == (2, True)


def test_standard_input_can_be_continued_too(lm, run, tmp_path):
    out = tmp_path / "out.jsonl"
    lines = [json.dumps({"prompt": prompt}) + "\n" for prompt in PROMPTS]
    assert run("generate", "-i", "-", "-o", out, stdin="".join(lines[:2])).code == 0
    lm.prompts.clear()
    assert run("generate", "-i", "-", "-o", out, stdin="".join(lines)).code == 0
    assert lm.prompts == PROMPTS[2:]
    ended = run("generate", "-i", "-", "-o", out, stdin="".join(lines[1:]))
    assert (ended.code, "no longer in the input" in ended.err) == (2, True)


def test_parquet_in_and_out(lm, run, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow as pa

    given, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    columns = {
        "id": [1, 2, 3],
        "prompt": ["one", "two", None],
        "include": [["text"], None, None],
        "note": [None, 0.5, 1.5],
    }
    parquet.write_table(pa.table(columns), given)
    assert run("generate", "-i", given, "-o", out).code == 1
    written = parquet.read_table(out)
    rows = written.to_pylist()
    assert [row["text"] for row in rows] == ["The text of one.", "The text of two.", None]
    assert [(row["id"], row["note"]) for row in rows] == [(1, None), (2, 0.5), (3, 1.5)]
    assert rows[0]["clauses"][0]["clause"] == "text"
    assert rows[2]["error"] == 'give "prompt" or "messages"'
    assert written.schema.field("error").type == pa.string()
    lm.loaded_with = None
    again = run("generate", "-i", given, "-o", out)
    assert (again.code, lm.loaded_with) == (1, None)
    assert run("check", "-i", out).code == 1


def test_columns_of_mixed_values_become_json_text(lm, run, write_lines, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = write_lines(
        {"prompt": "a", "x": 1, "y": {}, "z": []}, {"prompt": "b", "x": "one", "y": {"k": [1]}}
    )
    assert run("generate", "-i", path, "-o", tmp_path / "out.parquet").code == 0
    rows = parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert [row["x"] for row in rows] == ["1", '"one"']
    assert [row["z"] for row in rows] == [[], None]


def test_columns_of_parquet_keep_their_types(lm, run, tmp_path):
    """Two files that agree on no more than the names of their columns; the values are those of the input."""
    parquet = pytest.importorskip("pyarrow.parquet")
    import datetime

    import pyarrow as pa

    first = {
        "prompt": pa.array(["one", None]),
        "day": pa.array([datetime.date(2024, 1, 1), None]),
        "bytes": pa.array([b"\xff", None]),
        "number": pa.array([2**60 + 1, 1]),
        "share": pa.array([float("nan"), 0.5], pa.float32()),
        "never": pa.nulls(2),
        "mixed": pa.array(["a", None]),
        "kind": pa.array(["x", "y"]).dictionary_encode(),
    }
    second = {"prompt": ["three"], "number": [2.5], "never": ["now"], "mixed": [1], "kind": ["z"]}
    for name, columns in {"a": first, "b": second}.items():
        parquet.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    argv = ("generate", "-i", tmp_path / "*.parquet", "-o", tmp_path / "out" / "out.parquet")
    (tmp_path / "out").mkdir()
    assert run(*argv).code == 1
    written = parquet.read_table(tmp_path / "out" / "out.parquet")
    types = {name: str(written.schema.field(name).type) for name in first}
    assert types == {
        "prompt": "string",
        "day": "date32[day]",
        "bytes": "binary",
        "number": "double",
        "share": "float",
        "never": "string",
        "mixed": "string",
        "kind": "string",
    }
    assert written["number"].to_pylist() == [2.0**60, 1.0, 2.5]
    assert written["mixed"].to_pylist() == ['"a"', None, "1"]
    assert written["day"].to_pylist() == [datetime.date(2024, 1, 1), None, None]
    assert written["text"].to_pylist() == ["The text of one.", None, "The text of three."]


def test_what_parquet_holds_and_json_does_not_becomes_null_or_text(lm, run, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    import datetime

    import pyarrow as pa

    columns = {"prompt": ["one"], "a": [float("nan")], "b": [b"\xff"], "c": [datetime.date(2024, 1, 2)]}
    parquet.write_table(pa.table(columns), tmp_path / "in.parquet")
    out = tmp_path / "out.jsonl"
    assert run("generate", "-i", tmp_path / "in.parquet", "-o", out).code == 0
    (line,) = (json.loads(line, parse_constant=pytest.fail) for line in out.read_text().splitlines())
    assert (line["a"], line["b"], line["c"]) == (None, "/w==", "2024-01-02")
    assert run("check", "-i", out).code == 0


def test_a_misspelt_column_of_parquet_is_told_or_refused(lm, run, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow as pa

    parquet.write_table(pa.table({"prompt": ["one"], "includes": [["dog"]]}), tmp_path / "in.parquet")
    argv = ("generate", "-i", tmp_path / "in.parquet", "-o", tmp_path / "out.parquet")
    assert 'line 1: "includes" means nothing here; did you mean "include"?' in run(*argv).err
    assert run(*argv, "--strict", "--fresh").code == 1
    (error,) = parquet.read_table(tmp_path / "out.parquet")["error"].to_pylist()
    assert 'did you mean "include"' in error


def test_whole_numbers_that_are_too_large_for_a_column_of_floats(lm, run, write_lines, tmp_path, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("neurologic.batches.parquet_files._ROWS_AT_A_TIME", 1)
    values = [2**60 + 1, 2.5, None]
    path = write_lines(*({"prompt": "a", "x": value, "y": [value], "z": {"v": value}} for value in values))
    assert run("generate", "-i", path, "-o", tmp_path / "out.parquet").code == 0
    written = parquet.read_table(tmp_path / "out.parquet")
    assert written["x"].to_pylist() == [2.0**60, 2.5, None]
    assert written["y"].to_pylist() == [[2.0**60], [2.5], [None]]


def test_wishes_have_a_column(lm, run, write_lines, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = write_lines({"prompt": "a", "formula": "prefer(text, 2)"}, {"prompt": "b"})
    assert run("generate", "-i", path, "-o", tmp_path / "out.parquet").code == 0
    written = parquet.read_table(tmp_path / "out.parquet")
    assert written["wishes"].to_pylist() == [[{"wish": "text", "met": True, "weight": 2.0}], None]


# -- translate ------------------------------------------------------------------------------------


def test_a_translation_goes_on_line_for_line_and_so_does_its_report(lm, run, tmp_path, monkeypatch):
    source, target, report = (tmp_path / name for name in ("source.txt", "target.txt", "report.jsonl"))
    source.write_text(f"\none\n\n{INTERRUPT}\n\nlast")
    argv = ("translate", "-i", source, "-o", target, "--report", report, "--model", "any", "--batch-size", 1)
    assert run(*argv).code == 130
    assert target.read_text() == "\nThe text of one.\n\n"
    monkeypatch.setattr("echo_model.INTERRUPT", "")
    ended = run(*argv)
    assert (ended.code, ended.err) == (0, "3 lines: 3 satisfied; 1 of them were there already\n")
    assert target.read_text() == f"\nThe text of one.\n\nThe text of {INTERRUPT}.\n\nThe text of last.\n"
    assert [json.loads(line)["line"] for line in report.read_text().splitlines()] == [2, 4, 6]


def test_a_translation_of_rows(lm, run, write_lines, tmp_path):
    path = write_lines({"id": 7, "prompt": "one"})
    assert run("translate", "-i", path, "-o", tmp_path / "out.jsonl", "--model", "any").code == 0
    assert json.loads((tmp_path / "out.jsonl").read_text())["id"] == 7


# -- processes ------------------------------------------------------------------------------------

PROGRAM = """
import sys
import neurologic
from echo_model import EchoModel
from neurologic.cli import main
from neurologic.generation.constrained_model import ConstrainedModel
neurologic.load = lambda *names, **options: ConstrainedModel(EchoModel())
sys.exit(main(sys.argv[1:]))
"""


def process(*argv: object, **options) -> subprocess.Popen:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-c", PROGRAM, *map(str, argv)]
    return subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True, **options)


def test_killed_at_random_moments_again_and_again():
    """Fifty of them: `python tests/batches/kill_points.py --points 50`."""
    program = paths.REPOSITORY / "tests" / "batches" / "kill_points.py"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, program, "--points", "10"], env=environment, check=True)


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit")
def test_on_a_disk_of_64_kilobytes_it_stops_and_goes_on_when_there_is_room(given, tmp_path):
    """A file that may not grow beyond 64 kB, in place of a disk: the system fails the same call."""
    out = tmp_path / "out.jsonl"
    argv = (
        "generate",
        "-i",
        given(*(f"p{number} " + "x" * 300 for number in range(160))),
        "-o",
        out,
        "--decoder",
        "greedy",
    )

    def small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 1024, resource.RLIM_INFINITY))

    full = process(*argv, preexec_fn=small_disk)
    message = full.communicate()[1]
    assert (full.returncode, f"cannot write {out}: File too large" in message) == (2, True)
    assert out.stat().st_size == 64 * 1024, "the last line is torn"
    again = process(*argv)
    assert "were there already" in again.communicate()[1]
    assert again.returncode == 0
    assert [text.split()[3] for text in texts(out)] == [f"p{number}" for number in range(160)]


def test_a_second_process_on_one_output_is_refused(lm, run, given, tmp_path):
    out = tmp_path / "out.jsonl"
    read, write = os.pipe()
    first = process("generate", "-i", "-", "-o", out, "--batch-size", 1, stdin=read)
    os.write(write, b'{"prompt": "one"}\n{"prompt": "two"}\n{"prompt": "three"}\n')
    while not (out.exists() and out.stat().st_size):
        assert first.poll() is None
        time.sleep(0.01)
    ended = run("generate", "-i", given("p0"), "-o", out)
    assert (ended.code, f"another process is writing to {out}" in ended.err) == (2, True)
    assert run("generate", "-i", given("p0"), "-o", out, "--fresh").code == 2
    os.close(write)
    os.close(read)
    first.communicate()
    assert first.returncode == 0
    assert texts(out) == ["The text of one.", "The text of two.", "The text of three."]


def test_a_million_rows_that_need_no_model_do_not_wait_in_memory(lm, run, write_lines, tmp_path, monkeypatch):
    """The model asks for the next row that needs it; those before are written first, some at a time."""
    monkeypatch.setattr("neurologic.batches.inputs._AT_MOST", 10)
    out, written = tmp_path / "out.jsonl", []
    plain = generate.read_input

    def watched(arguments):
        for line in plain(arguments):
            written.append(len(out.read_bytes().splitlines()) if out.exists() else 0)
            yield line

    monkeypatch.setattr(generate, "read_input", watched)
    assert (
        run("generate", "-i", write_lines({"prompt": "one"}, *["{"] * 100, {"prompt": "two"}), "-o", out).code
        == 1
    )
    assert max(read - done for read, done in enumerate(written)) < 20
    assert texts(out)[0] == "The text of one."
    assert texts(out)[-1] == "The text of two."
