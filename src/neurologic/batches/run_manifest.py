"""Manifests: everything that decides the texts of a run, so that one output never mixes texts of two runs.

A manifest leaves out the number of inputs, the batch size and the device: they do not decide a text. (On
another device near-ties may resolve differently; the manifest does not detect that.) A run keeps it beside
its texts; the next process compares, and refuses to continue a run that differs.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from neurologic.decoders.registry import decoder_named
from neurologic.errors import DataError
from neurologic.storage import LOCK, LockedError, lock, write_whole

MANIFEST = "run.json"


@contextlib.contextmanager
def only_writer(folder: Path, name: str | Path) -> Iterator[None]:
    """Hold the lock of a folder; raise `DataError` if another process writes to what is called `name`."""
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(lock(folder / LOCK, wait=False))
        except LockedError:
            raise DataError(f"another process is writing to {name}; wait for it, or choose another") from None
        yield


def require_same_run(
    before: Mapping[str, Any], now: Mapping[str, Any], name: str | Path, remedy: str
) -> None:
    """Raise `DataError` if two manifests differ, with what differs; `remedy` says what to do instead."""
    found = differences(before, now)
    if found:
        raise DataError(
            f"{name} holds texts of another run: {'; '.join(found)}. "
            f"Give the same settings to continue it, or {remedy}"
        )


def read_manifest(path: Path) -> dict[str, Any]:
    """Read a manifest; raise `DataError` if the file holds none."""
    try:
        return manifest_from(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(f"{path} does not describe a run: {error}") from error


def manifest_from(text: str) -> dict[str, Any]:
    """Return the manifest in a text; an empty one, which equals no other, for JSON that is no object."""
    found = json.loads(text)
    return found if isinstance(found, dict) else {}


def manifest_text(manifest: Mapping[str, Any]) -> str:
    """Return a manifest as the text of its file."""
    return json.dumps(manifest, indent=2) + "\n"


def write_manifest(path: Path, manifest: Mapping[str, Any]) -> None:
    """Write a manifest, whole or not at all."""
    write_whole(path, manifest_text(manifest))


def digest(manifest: Mapping[str, Any]) -> str:
    """Return twelve digits that change with any part of a manifest."""
    plain = json.dumps(manifest, sort_keys=True)
    return hashlib.sha256(plain.encode()).hexdigest()[:12]


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Say in words how two runs differ."""
    first, second = dict(_flat(before)), dict(_flat(now))
    return [
        f"{name} was {_shown(first.get(name))} and is now {_shown(second.get(name))}"
        for name in {**first, **second}
        if first.get(name) != second.get(name)
    ]


def signature(described: Mapping[str, Any]) -> str:
    """Return a run in one line: "task:commongen|split:dev|…"."""
    return "|".join(f"{name}:{_plain(value)}" for name, value in _flat(described))


def effective_settings(decoder: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return all settings that the decoder accepts, with the defaults: another version may have others."""
    entry = decoder_named(decoder)
    complete = asdict(entry.settings(settings))
    complete = {name: value for name, value in complete.items() if value is not None}
    return entry.accepted({**complete, **settings})


def _flat(described: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in described.items():
        if isinstance(value, Mapping):
            yield from _flat(value)
        else:
            yield name, value


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _shown(value: Any) -> str:
    return "not given" if value is None else json.dumps(value, ensure_ascii=False)
