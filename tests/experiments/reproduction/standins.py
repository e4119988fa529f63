"""Stand-ins for models and trainings that answer at once."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from neurologic.errors import ModelError
from neurologic.generation.result import Result
from neurologic.logic import check, to_clauses


class Models:
    """Writes the base forms of what is asked for; "beam" and "greedy" forget the last of them.

    asked            decoder and words of every text, in their order
    loaded           names of the models, in their order
    interrupt_after  so many texts in all
    """

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.loaded: list[str] = []
        self.missing: set[str] = set()
        self.interrupt_after: int | None = None

    def load(self, name: str, **options: Any) -> Models:
        if name in self.missing:
            raise ModelError(f"there is no model {name}")
        self.loaded.append(name)
        return self

    def stream(self, requests: Iterable[Any], *, decoder: str, **options: Any) -> Iterator[Result]:
        for request in requests:
            if self.interrupt_after is not None and len(self.asked) >= self.interrupt_after:
                raise KeyboardInterrupt
            clauses = to_clauses(request.constraint)
            words = [clause.literals[0].atom.text for clause in clauses]
            self.asked.append(f"{decoder} {' '.join(words)}")
            text = f"A {' '.join(words[:-1] if decoder in ('beam', 'greedy') else words)}."
            verdict = check(clauses, text)
            yield Result(text, -0.5, verdict, tokens=(1, 2), logprob=-1.0, calls=3, request=request)


class Trainings:
    """Makes a folder that looks like a trained model.

    done  the names, in their order
    """

    def __init__(self) -> None:
        self.done: list[str] = []
        self.failing: set[str] = set()

    def train(
        self, pairs: Sequence[Any], settings: Any, folder: Path, *, begin: Any, **more: Any
    ) -> dict[str, Any]:
        if folder.name in self.failing:
            raise ModelError("too few layers")
        found = folder / "training.json"
        if not found.exists():
            with begin(_Session()) as advance:
                advance()
                advance()
            folder.mkdir(parents=True)
            result = {"seconds": 1.0, "parameters": 2_000_000}
            found.write_text(
                json.dumps({"format": 1, "settings": settings.to_json(), "data": {}, "result": result})
            )
            (folder / "config.json").write_text("{}")
            self.done.append(folder.name)
        return dict(json.loads(found.read_text())["result"])


class _Session:
    steps, done = 2, 0


class Quiet:
    """An observer that keeps what it hears."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.said: list[str] = []
        self.warned: list[str] = []

    def advance(self, label: str, seconds: float) -> None:
        self.seconds += seconds

    def say(self, message: str) -> None:
        self.said.append(message)

    def warn(self, message: str) -> None:
        self.warned.append(message)

    @contextlib.contextmanager
    def until_interrupted(self) -> Iterator[Callable[[], bool]]:
        yield lambda: False
