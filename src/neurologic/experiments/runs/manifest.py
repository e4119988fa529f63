"""Manifests: everything that decides the texts of a run, so that one folder never mixes texts of two runs.

`Experiment.manifest` makes one. It leaves out the number of inputs, the batch size and the device: they do
not decide a text. (On another device near-ties may resolve differently; the manifest does not detect that.)
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from neurologic.decoders.registry import decoder_named
from neurologic.experiments.tasks.base import Item


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


def fingerprint(items: Sequence[Item]) -> str:
    """Return eight digits that change with the prompts, the formulas and the inputs' own settings."""
    digest = hashlib.sha256()
    for item in items:
        asked = [item.id, item.prompt, str(item.formula), item.raw, item.opening]
        own = [dict(item.settings)] if item.settings else []
        digest.update(json.dumps(asked + own).encode())
    return digest.hexdigest()[:8]


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
