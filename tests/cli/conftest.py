"""A tiny real model for the commands, and ways to run them."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import neurologic
from echo_model import RecordedModel
from neurologic.cli import main
from neurologic.errors import NeurologicError


@pytest.fixture
def lm(monkeypatch: pytest.MonkeyPatch) -> RecordedModel:
    """The model that every command loads."""
    model = RecordedModel()

    def load(name: str, **options: Any) -> RecordedModel:
        if name == "nowhere":
            raise NeurologicError("there is no model of this name")
        model.loaded_with = {"name": name, **options}
        return model

    monkeypatch.setattr(neurologic, "load", load)
    return model


class Ended:
    """How a command ended."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Ended]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in this process; `stdin` is what it reads."""

    def run_command(*argv: object, stdin: str = "") -> Ended:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        try:
            code = main([str(word) for word in argv])
        except SystemExit as ended:  # argparse
            code = int(ended.code or 0)
        captured = capsys.readouterr()
        return Ended(code, captured.out, captured.err)

    return run_command


@pytest.fixture
def write_lines(tmp_path: Path) -> Callable[..., Path]:
    """Write input lines (objects, or strings as they are) to a file."""

    def write(*lines: object, name: str = "in.jsonl") -> Path:
        path = tmp_path / name
        path.write_text(
            "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines),
            encoding="utf-8",
        )
        return path

    return write


@pytest.fixture
def read_output() -> Callable[[Path], list[Any]]:
    """The lines of an output file."""
    return lambda path: [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
