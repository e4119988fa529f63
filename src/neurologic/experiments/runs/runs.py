"""A run in a folder: what it is (`run.json`), and a line per input as it is done (`predictions.jsonl`).

A line is with the system as soon as it is written, in one piece. So whatever kills the process, at most the
last line is torn, and a new process with the same settings drops it and goes on with the inputs that have no
line. A process with other settings is refused, and so is a second one at the same time (where the system has
locks).

A run without a folder keeps its lines in memory. `kept` reads one as it is, whoever writes to it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from neurologic.errors import DataError, NeurologicError
from neurologic.experiments.runs.manifest import differences
from neurologic.experiments.runs.predictions import Prediction, line_of, of_line
from neurologic.experiments.tasks.base import Item
from neurologic.generation.result import Result
from neurologic.storage import LOCK, LockedError, append_line, drop_torn_line, lock, whole_lines, write_whole

MANIFEST = "run.json"
PREDICTIONS = "predictions.jsonl"


class Run:
    """The predictions of one model and decoder; a context manager, open while texts are written.

    manifest  what decides the texts (see `manifest`)
    done      predictions by the id of their item
    """

    def __init__(self, folder: Path | None, manifest: Mapping[str, Any]) -> None:
        self.folder = folder
        self.manifest = manifest
        self.done: dict[str, Prediction] = {}
        self._file: IO[bytes] | None = None
        self._closing = ExitStack()

    def __enter__(self) -> Self:
        if self.folder is not None:
            try:
                self._open(self.folder)
            except BaseException as error:
                self._close()
                if isinstance(error, OSError):
                    raise DataError(f"cannot write {self.folder}: {error.strerror or error}") from error
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def left(self, items: Sequence[Item]) -> list[Item]:
        """The items without a prediction."""
        return [item for item in items if item.id not in self.done]

    def predictions(self, items: Sequence[Item]) -> tuple[Prediction, ...]:
        """The predictions of items that are all done, in the order of the items."""
        return tuple(self.done[item.id] for item in items)

    def add(self, item: Item, result: Result | NeurologicError, seconds: float) -> None:
        """Keep what became of an item."""
        line = line_of(item, result, seconds)
        if self._file is not None:
            try:
                append_line(self._file, json.dumps(line))
            except OSError as error:
                raise DataError(f"cannot write {self._file.name}: {error.strerror or error}") from error
        self.done[item.id] = of_line(line)

    def _open(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            self._closing.enter_context(lock(folder / LOCK, wait=False))
        except LockedError:
            raise DataError(
                f"another process is writing to {folder}; wait for it, or choose another"
            ) from None
        path = folder / PREDICTIONS
        self._file = self._closing.enter_context(path.open("ab", buffering=0))
        described = folder / MANIFEST
        if not path.stat().st_size:  # a run that was told otherwise never got to a text
            write_whole(described, json.dumps(self.manifest, indent=2) + "\n")
        elif described.exists():
            _require_same(described, self.manifest)
        else:
            raise DataError(
                f"{path} has texts, but there is no {MANIFEST} that says of which run; choose another folder"
            )
        drop_torn_line(path)
        self.done = _read(path)

    def _close(self) -> None:
        self._file = None
        self._closing.close()


def kept(folder: Path) -> Run | None:
    """A run as it is now, to be read only; None where there is none."""
    described, path = folder / MANIFEST, folder / PREDICTIONS
    if not described.is_file() or not path.is_file():
        return None
    run = Run(folder, _described(described))
    run.done = _read(path)
    return run


def _described(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(f"{path} does not describe a run: {error}") from error
    return found if isinstance(found, dict) else {}


def _require_same(path: Path, now: Mapping[str, Any]) -> None:
    found = differences(_described(path), now)
    if found:
        raise DataError(
            f"{path.parent} holds texts of another run: {'; '.join(found)}. "
            "Give the same settings to go on with it, or choose another folder"
        )


def _read(path: Path) -> dict[str, Prediction]:
    """The predictions of all whole lines: another process may be writing the last one."""
    done: dict[str, Prediction] = {}
    for number, line in enumerate(whole_lines(path), 1):
        if not line.strip():
            continue
        try:
            prediction = of_line(json.loads(line))
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"{path}, line {number}: not a line of a run ({error!r})") from error
        done.setdefault(prediction.id, prediction)
    return done
