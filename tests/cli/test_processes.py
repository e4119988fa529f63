"""The command as a process: start-up without torch, pipes, streams, encodings."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

ALONE = """
import sys
from neurologic.cli import main
try:
    main(sys.argv[1:])
finally:
    heavy = {"torch", "transformers"} & {name.partition(".")[0] for name in sys.modules}
    assert not heavy, heavy
"""


def process(*argv: str, **options) -> subprocess.CompletedProcess[str]:
    options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run(
        [sys.executable, *argv], capture_output=True, encoding="utf-8", timeout=120, check=False, **options
    )


@pytest.mark.parametrize(
    "argv",
    [
        ["--help"],
        ["--version"],
        ["--print-completion", "bash"],
        ["generate", "--help"],
        ["compare", "--help"],
        ["compare", "a", "--decoders", "beam", "--rows", "3"],
        ["eval", "commongen", "--help"],
        ["eval", "commongen", "--data", "/nonexistent"],
        ["bench", "--help"],
        ["bench", "--from", "/nonexistent/results.json"],
        ["train", "--help"],
        ["train", "commongen", "--data", "/nonexistent", "-o", "/nonexistent/trained"],
        ["explain", "inflect(run) & !cat"],
        ["check", "--text", "a dog", "--include", "dog"],
        ["cache"],
        ["serve", "--help"],
        ["serve", "--limit", "waitng=3"],
        ["generate", "a", "--formula", "dog &"],
        ["generate", "-i", "/nonexistent/in.jsonl"],
    ],
)
def test_torch_is_not_imported_for(argv):
    ended = process("-c", ALONE, *argv)
    assert "AssertionError" not in ended.stderr, ended.stderr


def test_help_does_not_import_the_commands():
    program = "import sys; from neurologic.cli import main; main(['--help'])"
    ended = process("-X", "importtime", "-c", program)
    assert "neurologic.cli.arguments" in ended.stderr
    assert "neurologic.cli.generate" not in ended.stderr
    assert "neurologic.experiments" not in ended.stderr


def test_a_closed_pipe_is_no_error(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text('{"text": "a cat", "exclude": ["cat"]}\n' * 20_000)
    command = f"{sys.executable} -m neurologic check -i {path} | head -n 1"
    ended = subprocess.run(
        command, shell=True, capture_output=True, encoding="utf-8", timeout=120, check=False
    )
    assert (ended.stdout, ended.stderr) == ("line 1: unmet: !cat\n", "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_behind_standard_output_is_told():
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "neurologic", "explain", "dog"],
            stdout=full, stderr=subprocess.PIPE, encoding="utf-8", timeout=120, check=False,
        )  # fmt: skip
    assert ended.returncode == 2
    assert ended.stderr == "neurologic: error: cannot write to standard output: No space left on device\n"


def test_streams_that_the_caller_has_closed():
    command = f"{sys.executable} -m neurologic"
    for rest, code in (("explain dog >&-", 0), ("explain dog 2>&-", 0), ("check -i - <&-", 2)):
        ended = subprocess.run(f"{command} {rest}", shell=True, capture_output=True, timeout=120, check=False)
        assert ended.returncode == code
        assert b"unexpected" not in ended.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_other_encodings_than_utf_8(encoding):
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    argv = ["-m", "neurologic", "check", "--text", "猫 dog", "--include", "dog", "--include", "猫"]
    ended = process(*argv, env=environment)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "yes  S4     dog" in ended.stdout
    assert "\\u732b" in process(*argv, "--json", env=environment).stdout


def test_piped_tables_are_plain_and_never_wrapped():
    formula = " | ".join(f"word{number}" for number in range(60))
    environment = {**os.environ, "COLUMNS": "40"}
    environment.pop("FORCE_COLOR", None)
    ended = process("-m", "neurologic", "explain", formula, env=environment)
    assert len(ended.stdout.splitlines()) == 2
    assert "\x1b" not in ended.stdout


def test_no_color_is_respected(tmp_path):
    """On a terminal: colours without NO_COLOR, none with it."""
    pty = pytest.importorskip("pty")

    def on_a_terminal(**extra: str) -> bytes:
        chunks: list[bytes] = []
        environment = {
            name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")
        }
        child, descriptor = pty.fork()
        if child == 0:
            argv = [sys.executable, "-m", "neurologic", "check", "--text", "dog", "--include", "dog"]
            os.execve(sys.executable, argv, {**environment, "TERM": "xterm-256color", **extra})
        while True:
            try:
                chunk = os.read(descriptor, 65536)
            except OSError:  # how a terminal says that nobody is left
                break
            if not chunk:
                break
            chunks.append(chunk)
        os.waitpid(child, 0)
        os.close(descriptor)
        return b"".join(chunks)

    assert b"\x1b[32m" in on_a_terminal()
    assert b"\x1b[32m" not in on_a_terminal(NO_COLOR="1")
