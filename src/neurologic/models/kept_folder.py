"""Folders in the cache that are complete or not there, whatever ends the process that makes them.

`make` writes to a folder beside the right one, flushes it, writes a marker that names every file with its
size, and moves it into place; other processes wait meanwhile instead of making it as well. Who uses a folder
touches its marker, so that the time of the marker is the folder's last use.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sys
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neurologic.storage import flush, lock

MARKER = "neurologic.json"
LOCK = ".lock"
_PARTIAL = ".partial"
# What stands behind the name of a folder beside it: a lock, or an attempt to make it.
_BESIDE = re.compile(rf"(\.[0-9a-f]{{32}}{re.escape(_PARTIAL)}|{re.escape(LOCK)})$")


@dataclass(frozen=True)
class KeptFolder:
    """A folder of the cache.

    path     where it is
    version  of the rules that make it: a folder made by others is made anew
    source   what it was made from, for people
    """

    path: Path
    version: str
    source: str

    def is_complete(self) -> bool:
        """Return whether the folder holds all of its files with their original sizes."""
        marker = read_marker(self.path)
        try:
            return marker["version"] == self.version and all(
                (self.path / name).stat().st_size == size for name, size in marker["files"].items()
            )
        except (OSError, LookupError, TypeError, AttributeError):
            return False

    def make(self, write: Callable[[Path], None]) -> bool:
        """Let `write` fill the folder; return False if another process has done so meanwhile."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with lock(lock_of(self.path), wait=True):
            if self.is_complete():
                return False
            self._make(write)
        return True

    def touch(self) -> None:
        """Note that the folder is in use."""
        with contextlib.suppress(OSError):  # a cache that this user may only read
            os.utime(self.path / MARKER)

    def _make(self, write: Callable[[Path], None]) -> None:
        for leftover in partials(self.path):  # left by a killed process
            shutil.rmtree(leftover, ignore_errors=True)
        partial = partial_path(self.path)
        try:
            partial.mkdir()
            write(partial)
            self._write_marker(partial)
            shutil.rmtree(self.path, ignore_errors=True)  # a damaged one
            os.replace(partial, self.path)
            flush(self.path.parent)
        finally:
            shutil.rmtree(partial, ignore_errors=True)

    def _write_marker(self, partial: Path) -> None:
        """Flush all files to the disk, then write the marker that makes the folder valid."""
        files = {path.name: path.stat().st_size for path in sorted(partial.iterdir())}
        content = {"version": self.version, "source": self.source, "files": files}
        (partial / MARKER).write_text(json.dumps(content, indent=1), encoding="utf-8")
        for path in (*partial.iterdir(), partial):
            flush(path)


def read_marker(folder: Path) -> Mapping[str, Any]:
    """Return what the marker of a folder says; nothing if it has none or a damaged one."""
    try:
        marker = json.loads((folder / MARKER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return marker if isinstance(marker, dict) else {}


def lock_of(path: Path) -> Path:
    """Return the lock file of whoever makes or removes a folder."""
    return path.with_name(path.name + LOCK)


def partial_path(path: Path) -> Path:
    """Return a unique name beside `path`, to write there before moving into place."""
    return path.with_name(f"{path.name}.{uuid.uuid4().hex}{_PARTIAL}")


def partials(path: Path) -> list[Path]:
    """Return what processes that were killed left beside `path`."""
    return [other for other in path.parent.glob(f"*{_PARTIAL}") if made_name(other) == path.name]


def made_name(path: Path) -> str:
    """Return the name of the folder or file that `path` is, locks, or is an attempt to make.

    >>> made_name(Path(f"models/smollm2.{'0' * 32}.partial")), made_name(Path("models/a.gguf"))
    ('smollm2', 'a.gguf')
    """
    return _BESIDE.sub("", path.name)


def remove(path: Path) -> None:
    """Remove a folder or file of the cache at once, and what is left of attempts to make it."""
    with contextlib.suppress(FileNotFoundError):
        doomed = partial_path(path)
        os.replace(path, doomed)  # nobody finds half of it
    for leftover in partials(path):
        if leftover.is_dir():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            leftover.unlink(missing_ok=True)


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder."""
    total = 0
    for file in path.rglob("*") if path.is_dir() else [path]:
        with contextlib.suppress(OSError):  # another process has just removed it
            total += file.stat().st_size if file.is_file() else 0
    return total


def last_use(path: Path) -> float:
    """Return when a file or folder was used last, in seconds since 1970; 0 if it has gone."""
    for place in (path / MARKER, path):
        with contextlib.suppress(OSError):
            return place.stat().st_mtime
    return 0.0


def say(message: str) -> None:
    """Tell the user, on standard error, about something that takes long and happens once."""
    sys.stderr.write(f"neurologic: {message}\n")
    sys.stderr.flush()
