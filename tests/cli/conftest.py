"""A stand-in for a model, so that the command line is tested without one."""

from __future__ import annotations

import io
import json
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import neurologic
from neurologic.cli import main
from neurologic.errors import NeurologicError, PromptError, UnsatisfiedWarning, UnspellableError
from neurologic.generation.result import Result
from neurologic.logic import require_consistent, to_clauses


class FakeModel:
    """Answers every prompt by `The text of <prompt>.`, judged by the real `check`.

    Prompts with a meaning: "too long" is refused, "warn" warns, "interrupt" is a Ctrl-C, "crash" is a bug.
    """

    def __init__(self) -> None:
        self.batches: list[list[Any]] = []
        self.settings: dict[str, Any] = {}
        self.loaded_with: dict[str, Any] | None = None

    def compile(self, formula: Any) -> Any:
        clauses = () if formula is None else to_clauses(formula)
        require_consistent(clauses)
        if "☃" in str(formula):
            raise UnspellableError("the model's vocabulary cannot spell ☃")
        return SimpleNamespace(clauses=clauses)

    def generate_each(self, requests: Sequence[Any], **settings: Any) -> Iterator[Result]:
        self.settings = settings
        prompts = [self.prompt_of(request) for request in requests]
        for prompt in prompts:
            if prompt == "too long":
                raise PromptError("the prompt has 9999 tokens")
            if prompt == "warn":
                warnings.warn("the formula may stay unsatisfied", UnsatisfiedWarning, stacklevel=2)
        self.batches.append(prompts)
        for prompt, request in zip(prompts, requests, strict=True):
            if prompt == "interrupt":
                raise KeyboardInterrupt
            if prompt == "crash":
                raise ZeroDivisionError("oh no")
            text = f"The text of {prompt}."
            reports = neurologic.check(request.constraint.clauses, text)
            yield Result(text=text, score=-0.5, clauses=reports, others=self.others(settings, text))

    def prompt_of(self, request: Any) -> str:
        if isinstance(request.prompt, str):
            return ("raw " if request.raw else "") + request.prompt
        return " / ".join(f"{message['role']}: {message['content']}" for message in request.prompt)

    def others(self, settings: dict[str, Any], text: str) -> tuple[Result, ...]:
        count = settings.get("num_return_sequences", 1) - 1
        return tuple(Result(text=f"{text} Again.", score=-1.0) for _ in range(count))


@pytest.fixture
def lm(monkeypatch: pytest.MonkeyPatch) -> FakeModel:
    model = FakeModel()

    def load(name: str, **options: Any) -> FakeModel:
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
