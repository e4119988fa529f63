"""Keep GGUF files converted to floating point, so that only the first start takes long.

transformers reads a GGUF file slowly: it parses the metadata several times, and works every weight out anew.
So the first load writes the result as an ordinary Hugging Face folder into the part `converted` of the cache
folder, in float32, and every later one loads that. A conversion is known by the path of the file, its size,
its time, its beginning (the header with all metadata, and the first weights), and the version of
transformers.

Limits: at most `MOST_MODELS` models and `MOST_BYTES` bytes; those used longest ago go. A file whose weights
would take more than that, or for which the disk has no room, is read as it is every time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from importlib.metadata import version
from pathlib import Path

from neurologic.errors import ModelError
from neurologic.models.cache_folder import cache_part
from neurologic.models.gguf import convert_gguf
from neurologic.models.kept_folder import KeptFolder, last_use, lock_of, read_marker, remove, say, size_of
from neurologic.storage import LockedError, lock

MOST_MODELS = 4
MOST_BYTES = 32 * 10**9
# Raise this number when the conversion changes.
FORMAT = 1

PART = "converted"
_HEADER_BYTES = 16 * 10**6
# Float32 takes this many times the bytes of a file: files of 4 bits per weight have 4.5 or more, rarely less.
_GROWTH = 8


def converted_folder(file: Path) -> Path | None:
    """Return the folder with a file's conversion, which the first call makes; None if it cannot be kept."""
    file = file.resolve()
    try:
        kept = _kept(file)
    except (ModelError, OSError):  # there is no place for a cache
        return None
    if not kept.is_complete():
        bytes_needed = file.stat().st_size * _GROWTH
        reason = _no_room(kept.path.parent, bytes_needed)
        if reason is None:
            reason = _make(kept, file)
        if reason is not None:
            say(f"{file.name} is converted at every start: {reason}")
            return None
        _remove_old(kept.path, file)
    kept.touch()
    return kept.path


def _kept(file: Path) -> KeptFolder:
    status = file.stat()
    with file.open("rb") as content:
        header = hashlib.sha256(content.read(_HEADER_BYTES)).hexdigest()
    known_by = [FORMAT, version("transformers"), str(file), status.st_size, status.st_mtime_ns, header]
    key = hashlib.sha256(json.dumps(known_by).encode()).hexdigest()
    return KeptFolder(cache_part(PART) / f"{file.stem}-{key[:12]}", key, str(file))


def _no_room(part: Path, needed: int) -> str | None:
    """Return why a conversion cannot be kept; None if it can."""
    if needed > MOST_BYTES:
        return (
            f"its weights would take up to {needed / 1e9:.0f} GB, and the cache keeps {MOST_BYTES / 1e9:.0f}"
        )
    existing = next(folder for folder in (part, *part.parents) if folder.exists())
    free = shutil.disk_usage(existing).free
    if free < needed:
        return f"{existing} has {free / 1e9:.1f} GB left, and it may need {needed / 1e9:.1f}"
    return None


def _make(kept: KeptFolder, file: Path) -> str | None:
    """Convert; return why the result cannot be kept, if so."""

    def write(target: Path) -> None:
        say(f"converting {file.name} (once, a minute or more) …")
        convert_gguf(file, target)

    try:
        if kept.make(write):
            say(f"kept in {kept.path}")
    except OSError as error:
        return f"cannot write to {kept.path.parent}: {error.strerror or error}"
    return None


def _remove_old(newest: Path, file: Path) -> None:
    """Remove conversions of what `file` was before, and those used longest ago while there are too many."""
    others = {folder: last_use(folder) for folder in newest.parent.iterdir() if folder != newest}
    others = {folder: time for folder, time in others.items() if read_marker(folder)}
    count, total = 1, size_of(newest)
    for folder in sorted(others, key=others.__getitem__, reverse=True):
        size = size_of(folder)
        is_old = read_marker(folder).get("source") == str(file)
        if not is_old and count < MOST_MODELS and total + size <= MOST_BYTES:
            count, total = count + 1, total + size
            continue
        # Whoever holds the lock is making this one anew.
        with contextlib.suppress(LockedError, OSError), lock(lock_of(folder), wait=False):
            remove(folder)
