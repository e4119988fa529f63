"""List what neurologic keeps in its cache folder, and remove it.

An entry is what a person would want to remove by itself: a model, or everything of a kind that has many small
files. Everything in the cache can be made again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from neurologic.models.cache_folder import cache_folder
from neurologic.models.kept_folder import last_use, lock_of, made_name, read_marker, remove, size_of
from neurologic.storage import lock

# Parts of the cache with a folder or a file per model, and parts that are one entry each.
_MODELS = ("models", "converted")


@dataclass(frozen=True)
class CacheEntry:
    """Something in the cache.

    name       what the user calls it
    path       its file or folder; it may be gone, with attempts to make it left
    bytes      its size, with what killed processes left beside it
    last_used  seconds since 1970
    source     what it was made from, for people
    """

    name: str
    path: Path
    bytes: int
    last_used: float
    source: str


def cache_entries() -> list[CacheEntry]:
    """Return what the cache holds, largest first."""
    folder = cache_folder()
    found: list[CacheEntry] = []
    for part in sorted(folder.iterdir()) if folder.is_dir() else []:
        if part.name in _MODELS:
            found += _models(part)
        elif part.is_dir():
            found += _files(part)
    return sorted(found, key=lambda entry: (-entry.bytes, entry.name))


def remove_entry(entry: CacheEntry) -> None:
    """Remove an entry; raise `LockedError` if a process is making it right now."""
    if entry.path.parent.name not in _MODELS:
        remove(entry.path)
        return
    with lock(lock_of(entry.path), wait=False):
        remove(entry.path)


def _models(part: Path) -> Iterator[CacheEntry]:
    """Return an entry for each model, complete or not."""
    paths: dict[str, list[Path]] = {}
    for path in sorted(part.iterdir()):
        paths.setdefault(made_name(path), []).append(path)
    for name, found in paths.items():
        path = part / name
        source = read_marker(path).get("source", "")
        if path not in found:
            source = "unfinished"
        yield CacheEntry(name, path, sum(map(size_of, found)), max(map(last_use, found)), str(source))


def _files(part: Path) -> Iterator[CacheEntry]:
    """Return one entry for all files of a part."""
    files = [path for path in part.iterdir() if path.is_file()]
    if files:
        source = f"{len(files)} file" + "s" * (len(files) > 1)
        yield CacheEntry(part.name, part, size_of(part), max(map(last_use, files)), source)
