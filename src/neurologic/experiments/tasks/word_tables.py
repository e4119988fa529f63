"""Read the tables that a task ships as TOML beside its modules: words and templates are data, not code."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any


def tables(package: str | None, name: str) -> dict[str, Any]:
    """Return the tables of a package's file."""
    return tomllib.loads(files(package or "").joinpath(name).read_text(encoding="utf-8"))


def word_tables(package: str | None, name: str = "words.toml") -> dict[str, Any]:
    """Return the tables of a file; a text becomes the tuple of its phrases, which commas separate.

    >>> word_tables("neurologic.experiments.tasks.recipes")["generic"]["families"]["lettuce"]
    ('arugula', 'iceberg', 'romaine')
    """
    return {key: _phrases(value) for key, value in tables(package, name).items()}


def _phrases(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _phrases(part) for name, part in value.items()}
    if isinstance(value, list):
        return tuple(map(_phrases, value))
    return tuple(" ".join(phrase.split()) for phrase in value.split(","))
