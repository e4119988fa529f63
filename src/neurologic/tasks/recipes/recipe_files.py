"""Recipes from files: title, lines of ingredients, directions.

Two layouts are known, and the first that a folder has is read:

- JSON lines, `*.jsonl` or `*.jsonl.gz`: `{"title": …, "ingredients": [lines], "directions": [steps]}`;
- Markdown, `*.md`, as based.cooking writes it: a `title:` in the head, lists under `## Ingredients` and
  `## Directions`. A file without one of the three is no recipe and is left out.

`--data` may also name one such file. A file of JSON lines whose name begins with the split (`dev.jsonl`) is
that split. Otherwise a hash of the title decides, so that the splits are the same on every machine,
whatever the order of the files, and recipes of one title stay together: one in ten is dev, the others are
train. `all` is both. A recipe that comes twice is read once.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neurologic.errors import DataError
from neurologic.tasks.files import text_lines

TRAIN, DEV, ALL = "train", "dev", "all"
_DEV_SHARE = 10  # one title in so many

_JSON_LINES = (".jsonl", ".jsonl.gz")
_HEADING = re.compile(r"#+\s*(.*?)[\s:]*")
_BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(.*)")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


@dataclass(frozen=True)
class Recipe:
    """A dish: its name, what goes into it as people write it ("2 cups chopped onions"), and what to do."""

    title: str
    ingredients: tuple[str, ...]
    directions: tuple[str, ...]

    @property
    def text(self) -> str:
        """The directions as one paragraph."""
        return " ".join(self.directions)


def read_recipes(data: str | Path, split: str) -> list[Recipe]:
    """The recipes of a split in the order of their files."""
    path = Path(data)
    files = _files(path)
    named = [file for file in files if re.split(r"[.-]", file.name)[0] == split]
    found = list(dict.fromkeys(recipe for file in named or files for recipe in _of_file(file)))
    if named or split == ALL:
        return found
    if split not in (TRAIN, DEV):
        raise DataError(f"there is no split {split!r} of {path}; choose one of {TRAIN}, {DEV}, {ALL}")
    return [recipe for recipe in found if split_of(recipe.title) == split]


def split_of(title: str) -> str:
    """The split that a title belongs to, whatever its case and spacing.

    >>> split_of("Thanksgiving Beets") == split_of(" thanksgiving  beets")
    True
    """
    plain = " ".join(title.casefold().split())
    return TRAIN if int.from_bytes(hashlib.sha256(plain.encode()).digest()[:8], "big") % _DEV_SHARE else DEV


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise DataError(f"there is no {path}; name a folder of recipes, or a file")
    inside = sorted(path.iterdir())
    for endings in (_JSON_LINES, (".md",)):
        if found := [file for file in inside if file.name.endswith(endings) and file.is_file()]:
            return found
    raise DataError(f"{path} has no recipes: neither *.jsonl nor *.jsonl.gz nor *.md")


def _of_file(path: Path) -> Iterator[Recipe]:
    if path.name.endswith(".md"):
        recipe = of_markdown(text_lines(path))
        if recipe is not None:
            yield recipe
        return
    for number, line in enumerate(_lines(path), 1):
        if line.strip():
            yield _of_json(line, f"{path}, line {number}")


def _lines(path: Path) -> Iterable[str]:
    if not path.name.endswith(".gz"):
        return text_lines(path)
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            return file.read().split("\n")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read {path}: {error}") from error


def _of_json(line: str, where: str) -> Recipe:
    try:
        found: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: not JSON: {error}") from error
    title = found.get("title") if isinstance(found, dict) else None
    lists = [found.get(name) for name in ("ingredients", "directions")] if title else []
    if not isinstance(title, str) or not all(isinstance(several, list) for several in lists):
        raise DataError(
            f'{where}: expected {{"title": …, "ingredients": [lines], "directions": [steps]}}, '
            f"found {line[:60]}"
        )
    ingredients, directions = (tuple(str(one).strip() for one in several) for several in lists)
    return Recipe(title.strip(), ingredients, directions)


def of_markdown(lines: Iterable[str]) -> Recipe | None:
    """The recipe of a Markdown file; None if it lacks a title, ingredients or directions."""
    title, section = "", ""
    parts: dict[str, list[str]] = {"ingredients": [], "directions": []}
    for line in lines:
        if line.startswith("title:"):
            title = line.removeprefix("title:").strip().strip("\"'")
        elif heading := _HEADING.fullmatch(line):
            # A heading inside of a part, "### For the sauce", leaves that part open.
            section = heading[1].lower() if line.startswith(("# ", "## ")) else section
        elif (item := _BULLET.fullmatch(line)) and section in parts:
            parts[section].append(_LINK.sub(r"\1", item[1]).replace("*", "").strip())
    ingredients, directions = (tuple(filter(None, part)) for part in parts.values())
    return Recipe(title, ingredients, directions) if title and ingredients and directions else None
