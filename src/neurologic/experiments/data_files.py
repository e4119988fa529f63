"""Read the files of data that the experiments ship beside their modules: words, templates, figures.

TOML for tables, tab-separated lines for rows; in both, "#" begins a comment.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any


def tables(package: str | None, name: str) -> dict[str, Any]:
    """Return the tables of a TOML file of a package."""
    return tomllib.loads(_text(package, name))


def rows(package: str | None, name: str) -> list[list[str]]:
    """Return the fields of each line of a tab-separated file."""
    return [line.split("\t") for line in _text(package, name).splitlines() if not line.startswith("#")]


def word_tables(package: str | None, name: str = "words.toml") -> dict[str, Any]:
    """Return the tables of a file; a text becomes the tuple of its phrases, which commas separate.

    >>> word_tables("neurologic.experiments.tasks.recipes")["generic"]["families"]["lettuce"]
    ('arugula', 'iceberg', 'romaine')
    """
    return {key: _phrases(value) for key, value in tables(package, name).items()}


def _text(package: str | None, name: str) -> str:
    return files(package or "").joinpath(name).read_text(encoding="utf-8")


def _phrases(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _phrases(part) for name, part in value.items()}
    if isinstance(value, list):
        return tuple(map(_phrases, value))
    return tuple(" ".join(phrase.split()) for phrase in value.split(","))
