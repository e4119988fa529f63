"""The folder of a training: its settings, checkpoints, loss curve, and in the end the model.

    training.json      settings, the pairs' fingerprint, and the result of a finished training
    loss.json          the loss curve; loss.svg and loss.png are pictures of it
    checkpoints/       transformers' own, the last two; a finished training removes them
    config.json, …     the model and its tokenizer, when the training is finished: `neurologic.load(folder)`

A folder belongs to one training. Once it has a checkpoint, it refuses another training. It also refuses other
content and a second process. A process may be killed at any moment, because only checkpoints that are marked
as complete count. No torch.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neurologic.errors import NeurologicError
from neurologic.experiments.training.settings import TrainingSettings, differences
from neurologic.storage import LOCK, LockedError, flush, lock, write_whole

FORMAT = 1  # version of training.json
MANIFEST = "training.json"
CURVE = "loss.json"
CHECKPOINTS = "checkpoints"
_COMPLETE = "complete"  # an empty file that marks a checkpoint, written last
_CHECKPOINT = re.compile(r"checkpoint-(\d+)")


class TrainingError(NeurologicError, RuntimeError):
    """A training that cannot start or continue."""


@dataclass(frozen=True)
class TrainingFolder:
    """A folder that belongs to a training with these settings and pairs (`Sample.to_json`)."""

    path: Path
    settings: TrainingSettings
    data: Mapping[str, Any]

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], settings: TrainingSettings, data: Mapping[str, Any]
    ) -> TrainingFolder:
        """Open or make the folder; raise `TrainingError` if it belongs to something else."""
        folder = cls(Path(path), settings, data)
        found = folder._manifest()
        if found is not None and (found.get("result") or folder.steps_done()):
            folder._require_same(found)
            return folder
        if found is None and folder._holds_something_else():
            raise TrainingError(
                f"{path} holds something other than a training (it has no {MANIFEST}); choose a new folder"
            )
        try:
            folder.path.mkdir(parents=True, exist_ok=True)
            with folder.locked():  # another process may just have started a training with other settings
                folder._write_manifest(None)
        except OSError as error:
            raise TrainingError(f"cannot write to {path}: {error.strerror or error}") from error
        return folder

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder's lock; raise `TrainingError` if another process holds it."""
        try:
            with lock(self.path / LOCK, wait=False):
                yield
        except LockedError:
            raise TrainingError(f"another process is training in {self.path}; wait for it") from None

    def _holds_something_else(self) -> bool:
        if not self.path.is_dir():
            return self.path.exists()
        # A process that was killed may have left its lock and a manifest that it was writing.
        names = (file.name for file in self.path.iterdir())
        return any(name != LOCK and not name.startswith(f"{MANIFEST}.") for name in names)

    # -- result -----------------------------------------------------------------------------------

    @property
    def result(self) -> dict[str, Any] | None:
        """The result of the training; None while it is not finished."""
        manifest = self._manifest()
        return None if manifest is None else manifest.get("result")

    def finish(self, model: Any, tokenizer: Any, result: Mapping[str, Any]) -> None:
        """Put model and tokenizer in place, write the result, and remove the checkpoints."""
        saving = self.path / "saving"
        shutil.rmtree(saving, ignore_errors=True)
        model.save_pretrained(saving)
        tokenizer.save_pretrained(saving)
        # Move config.json last: it makes the folder a model.
        for file in sorted(saving.iterdir(), key=lambda file: file.name == "config.json"):
            os.replace(file, self.path / file.name)
        saving.rmdir()
        self._write_manifest(result)
        shutil.rmtree(self.path / CHECKPOINTS, ignore_errors=True)

    # -- checkpoints ------------------------------------------------------------------------------

    @property
    def checkpoints(self) -> Path:
        return self.path / CHECKPOINTS

    def last_checkpoint(self) -> Path | None:
        """Return the latest complete checkpoint, and remove incomplete ones."""
        complete = self._complete()
        for path in self.checkpoints.glob("checkpoint-*"):
            if path not in complete.values():
                shutil.rmtree(path, ignore_errors=True)
        return complete[max(complete)] if complete else None

    def steps_done(self) -> int:
        """Return the step of the latest complete checkpoint, 0 if there is none."""
        return max(self._complete(), default=0)

    def _complete(self) -> dict[int, Path]:
        """Return the complete checkpoints by their steps."""
        return {
            int(found[1]): path
            for path in self.checkpoints.glob("checkpoint-*")
            if (found := _CHECKPOINT.fullmatch(path.name)) and (path / _COMPLETE).is_file()
        }

    def mark_complete(self, step: int) -> None:
        """Mark the checkpoint of this step as complete."""
        path = self.checkpoints / f"checkpoint-{step}"
        for file in path.iterdir():
            flush(file)
        (path / _COMPLETE).touch()
        flush(path)

    # -- manifest ---------------------------------------------------------------------------------

    def _manifest(self) -> dict[str, Any] | None:
        path = self.path / MANIFEST
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            if not isinstance(found, dict) or found["format"] != FORMAT:
                raise ValueError(f"it has another format than {FORMAT}")
            return found
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, KeyError) as error:
            raise TrainingError(
                f"{path} cannot be read ({error}); choose a new folder, or delete this one"
            ) from error

    def _write_manifest(self, result: Mapping[str, Any] | None) -> None:
        content = {
            "format": FORMAT,
            "settings": self.settings.to_json(),
            "data": dict(self.data),
            "result": None if result is None else dict(result),
        }
        write_whole(self.path / MANIFEST, json.dumps(content, indent=2, ensure_ascii=False) + "\n")

    def _require_same(self, found: Mapping[str, Any]) -> None:
        changes = differences(found["settings"], self.settings.to_json())
        if not changes and found["data"] != dict(self.data):
            changes = ["the texts have changed"]
        if changes:
            raise TrainingError(
                f"{self.path} holds a training with other settings: {'; '.join(changes)}. "
                "Give the same settings to continue it, or choose another folder"
            )
