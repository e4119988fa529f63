"""The folder of a run: its manifest (`run.json`) and one line per finished input (`predictions.jsonl`).

The system has each line as soon as it is written. If the process is killed, at most the last line is torn;
the next process with the same manifest drops it and continues with the inputs that have no line. The folder
refuses a process with another manifest, and a second process at the same time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from neurologic.batches.run_manifest import (
    MANIFEST,
    only_writer,
    read_manifest,
    require_same_run,
    write_manifest,
)
from neurologic.errors import DataError
from neurologic.experiments.runs.prediction import Prediction
from neurologic.experiments.tasks.base import Item
from neurologic.generation.result import Result
from neurologic.storage import append_line, drop_torn_line, whole_lines

PREDICTIONS = "predictions.jsonl"


class RunFolder:
    """The predictions of one model and decoder; a context manager, open while a model writes texts.

    folder    None keeps the predictions in memory only
    manifest  everything that decides the texts (see `manifest`)
    done      predictions by the id of their item
    """

    def __init__(self, folder: Path | None, manifest: Mapping[str, Any]) -> None:
        self.folder = folder
        self.manifest = manifest
        self.done: dict[str, Prediction] = {}
        self._file: IO[bytes] | None = None
        self._closing = ExitStack()

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """Read a run as it is now, even while a process writes to it; None if there is no run."""
        if not (folder / MANIFEST).is_file() or not (folder / PREDICTIONS).is_file():
            return None
        run = cls(folder, read_manifest(folder / MANIFEST))
        run.done = _read_predictions(folder / PREDICTIONS)
        return run

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

    def missing(self, items: Sequence[Item]) -> list[Item]:
        """Return the items without a prediction."""
        return [item for item in items if item.id not in self.done]

    def predictions(self, items: Sequence[Item]) -> tuple[Prediction, ...]:
        """Return the predictions of items that are all done, in the order of the items."""
        return tuple(self.done[item.id] for item in items)

    def add(self, item: Item, result: Result, seconds: float) -> Prediction:
        """Store the outcome of an item."""
        prediction = Prediction.from_result(item.id, result, seconds, item.opening)
        if self._file is not None:
            # `neurologic check -i` reads these lines too, so they carry the item's own fields.
            line = {"id": item.id, **item.fields, **prediction.to_json()}
            try:
                append_line(self._file, json.dumps(line))
            except OSError as error:
                raise DataError(f"cannot write {self._file.name}: {error.strerror or error}") from error
        self.done[item.id] = prediction
        return prediction

    def _open(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._closing.enter_context(only_writer(folder, folder))
        path = folder / PREDICTIONS
        self._file = self._closing.enter_context(path.open("ab", buffering=0))
        self._check_manifest(folder / MANIFEST, path)
        drop_torn_line(path)
        self.done = _read_predictions(path)

    def _check_manifest(self, path: Path, predictions: Path) -> None:
        """Write the manifest of a new run; refuse texts of another one."""
        if not predictions.stat().st_size:  # an earlier run with another manifest never got to a text
            write_manifest(path, self.manifest)
            return
        if not path.exists():
            raise DataError(
                f"{predictions} has texts, but there is no {MANIFEST} that says of which run; "
                "choose another folder"
            )
        require_same_run(read_manifest(path), self.manifest, path.parent, "choose another folder")

    def _close(self) -> None:
        self._file = None
        self._closing.close()


def _read_predictions(path: Path) -> dict[str, Prediction]:
    """Read all whole lines; another process may be writing the last one."""
    done: dict[str, Prediction] = {}
    for number, line in enumerate(whole_lines(path), 1):
        if not line.strip():
            continue
        try:
            prediction = Prediction.from_json(json.loads(line))
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"{path}, line {number}: not a line of a run ({error!r})") from error
        done.setdefault(prediction.id, prediction)
    return done
