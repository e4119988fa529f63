"""Lines whose writer may have meant something else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neurologic.batches.lines import json_line, json_text
from neurologic.cli import main
from neurologic.cli.messages import harmless


@pytest.mark.parametrize(
    ("line", "doubt"),
    [
        ('{"prompt": "x", "includes": ["a"]}', '"includes" means nothing here; did you mean "include"?'),
        ('{"prompt": "x", "Exclude": ["a"]}', '"Exclude" means nothing here; did you mean "exclude"?'),
        ('{"prompt": "x", "formulla": "a"}', '"formulla" means nothing here; did you mean "formula"?'),
        (
            '{"prompt": "x", "exclude": ["a"], "exclude": ["b"]}',
            '"exclude" is given more than once, and only the last one counts',
        ),
    ],
)
def test_misspelt_and_repeated_keys_are_named(line: str, doubt: str) -> None:
    assert json_line(1, line.encode()).doubts == (doubt,)


@pytest.mark.parametrize(
    "line",
    [
        '{"prompt": "x", "include": ["a"], "id": 3, "title": "t", "source": "s", "text": "y"}',
        '{"prompt": "x", "exclude": ["a"], "include": ["b"], "reference": "r", "promptness": 1}',
    ],
)
def test_fields_of_other_programs_raise_no_doubt(line: str) -> None:
    assert json_line(1, line.encode()).doubts == ()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"n": ' + "9" * 5000 + "}", "not JSON: a number of 5000 digits is too large"),
        ('{"n": 1e999}', "not JSON: 1e999 is too large a number"),
        ("[" * 100_000, "not JSON: "),
    ],
)
def test_huge_numbers_and_towers_of_brackets_are_errors_of_their_line(line: str, message: str) -> None:
    error = json_line(1, line.encode()).error
    assert error is not None
    assert str(error).startswith(message)


def test_check_warns_and_with_strict_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = tmp_path / "lines.jsonl"
    lines.write_text(json.dumps({"text": "A cat.", "include": ["cat"], "excludes": ["dog"]}) + "\n")
    assert main(["check", "-i", str(lines)]) == 0
    assert 'line 1: "excludes" means nothing here; did you mean "exclude"?' in capsys.readouterr().err
    assert main(["check", "-i", str(lines), "--strict"]) == 2
    assert "excludes" in capsys.readouterr().out


def test_control_characters_are_written_out() -> None:
    assert harmless("a\x1b]0;title\x07\x9b31mb\r\n\tc") == "a\\x1b]0;title\\x07\\x9b31mb\\x0d\n\tc"
    assert json_text("\x1b\x7f\x9b") == '"\\u001b\\u007f\\u009b"'


def test_messages_carry_no_escape_sequences(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--text", "x", "--formula", "a \x1b[31m"]) == 2
    assert "\x1b" not in capsys.readouterr().err
