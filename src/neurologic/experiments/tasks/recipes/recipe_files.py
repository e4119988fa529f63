"""Read recipes from files: title, lines of ingredients, directions.

A folder has one of two layouts; the first that fits counts:

- JSON lines, `*.jsonl` or `*.jsonl.gz`: `{"title": …, "ingredients": [lines], "directions": [steps]}`;
- Markdown, `*.md`, as based.cooking writes it: a `title:` in the head, lists under `## Ingredients` and
  `## Directions`. A file without one of the three is not a recipe; we skip it.

`--data` may also name one such file. A file of JSON lines whose name begins with a split (`dev.jsonl`,
`train-1.jsonl.gz`) is that split, and then there are no other splits than those with files. Otherwise a hash
of the title decides: one in ten is dev, the others are train. So the splits are the same on every machine,
whatever the order of the files, and recipes of one title stay together. `all` is everything. A recipe that
comes twice counts once.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neurologic.errors import DataError
from neurologic.experiments.tasks.files import json_lines, text_lines

TRAIN, DEV, ALL = "train", "dev", "all"
_DEV_SHARE = 10  # one title in this many goes to dev

_SPLITS = (TRAIN, DEV, "val", "valid", "validation", "test")  # in names of files
_JSON_LINES = (".jsonl", ".jsonl.gz")
_HEADING = re.compile(r"#+\s*(.*?)[\s:]*")
_BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(.*)")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


@dataclass(frozen=True)
class Recipe:
    """A dish: its name, its lines of ingredients ("2 cups chopped onions"), and its steps."""

    title: str
    ingredients: tuple[str, ...]
    directions: tuple[str, ...]

    @property
    def text(self) -> str:
        """Return the directions as one paragraph."""
        return " ".join(self.directions)


def read_recipes(data: str | Path, split: str) -> list[Recipe]:
    """Return the recipes of a split in the order of their files."""
    path = Path(data)
    files = _files(path)
    heads = [_head(file) for file in files]
    named = [file for file, head in zip(files, heads, strict=True) if head == split]
    splits = [name for name in _SPLITS if name in heads] or [TRAIN, DEV]
    if not named and split not in (*splits, ALL):
        # A hash would put recipes of one named split into another.
        raise DataError(f"there is no split {split!r} of {path}; choose one of {', '.join([*splits, ALL])}")
    found = list(dict.fromkeys(recipe for file in named or files for recipe in _of_file(file)))
    if named or split == ALL:
        return found
    return [recipe for recipe in found if split_of(recipe.title) == split]


def _head(file: Path) -> str:
    """Return the first word of a JSON file's name: "dev" for `dev.jsonl` and for `dev-2.jsonl.gz`."""
    return re.split(r"[._-]", file.name.lower())[0] if file.name.endswith(_JSON_LINES) else ""


def split_of(title: str) -> str:
    """Return the split of a title, whatever its case and spacing.

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
    if not path.name.endswith(".md"):
        yield from (_of_json(found, f"{path}, line {number}") for number, found in json_lines(path))
    elif recipe := of_markdown(text_lines(path)):
        yield recipe


def _of_json(found: dict[str, Any], where: str) -> Recipe:
    title = found.get("title")
    lists: list[Any] = [found.get(name) for name in ("ingredients", "directions")]
    if not isinstance(title, str) or not title.strip() or not all(map(_are_lines, lists)):
        raise DataError(
            f'{where}: expected {{"title": …, "ingredients": [lines], "directions": [steps]}}, '
            f"found {json.dumps(found, ensure_ascii=False)[:60]}"
        )
    ingredients, directions = (tuple(line.strip() for line in lines) for lines in lists)
    return Recipe(title.strip(), ingredients, directions)


def _are_lines(found: Any) -> bool:
    return isinstance(found, list) and all(isinstance(line, str) for line in found)


def of_markdown(lines: Iterable[str]) -> Recipe | None:
    """Return the recipe of a Markdown file; None if it lacks a title, ingredients or directions."""
    title, section = "", ""
    parts: dict[str, list[str]] = {"ingredients": [], "directions": []}
    for line in lines:
        if line.startswith("title:"):
            title = line.removeprefix("title:").strip().strip("\"'")
        elif heading := _HEADING.fullmatch(line):
            # A lower heading, "### For the sauce", does not end a section.
            section = heading[1].lower() if line.startswith(("# ", "## ")) else section
        elif (item := _BULLET.fullmatch(line)) and section in parts:
            parts[section].append(_LINK.sub(r"\1", item[1]).replace("*", "").strip())
    ingredients, directions = (tuple(filter(None, part)) for part in parts.values())
    return Recipe(title, ingredients, directions) if title and ingredients and directions else None
