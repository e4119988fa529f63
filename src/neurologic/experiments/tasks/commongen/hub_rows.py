"""Read CommonGen as the Hugging Face hub has it: rows of `concept_set_idx`, `concepts` and `target`.

The rows may be Parquet, JSON lines or one JSON list, in files named after the split, in the folder or one
below it: `validation-00000-of-00001.parquet`, `common_gen/validation.jsonl`. A name that is not a folder goes
to the package `datasets`, if it is installed, which may fetch it from the hub; nothing else here needs a
network. Parquet needs `pyarrow`.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from neurologic.errors import DataError
from neurologic.experiments.tasks.files import json_lines, parse_json, split_names, text_lines

HubRows: TypeAlias = Iterable[Mapping[str, Any]]

_SUFFIXES = (".parquet", ".jsonl", ".json")


def rows(data: str | Path, split: str) -> Iterator[tuple[list[str], list[str]]] | None:
    """Return an iterator over concepts and references, row by row; None if the data has no such rows."""
    folder = Path(data)
    for name in split_names(split):
        if files := _files(folder, name):
            return (row for path in files for row in _checked(_READERS[path.suffix](path), path))
    if not folder.exists() and importlib.util.find_spec("datasets"):
        return _checked(_fetched(str(data), "validation" if split == "dev" else split), data)
    return None


def splits(folder: Path) -> set[str]:
    """Return the splits for which there are files of rows."""
    return {_split(path) for path in _candidates(folder)}


def _files(folder: Path, split: str) -> list[Path]:
    """Return all files of a split in one format: the first of `_SUFFIXES` that it has."""
    found = [path for path in _candidates(folder) if _split(path) == split]
    for suffix in _SUFFIXES:
        if same := [path for path in found if path.suffix == suffix]:
            return same
    return []


def _candidates(folder: Path) -> list[Path]:
    paths = (path for pattern in ("*", "*/*") for path in folder.glob(pattern))
    return sorted(path for path in paths if path.suffix in _SUFFIXES and "." not in path.stem)


def _split(path: Path) -> str:
    """Return the split of a file: "validation-00000-of-00001.parquet" is validation."""
    return path.stem.partition("-")[0]


def _checked(found: HubRows, where: object) -> Iterator[tuple[list[str], list[str]]]:
    for number, row in enumerate(found, 1):
        concepts, target = row.get("concepts"), row.get("target", "")
        if not isinstance(concepts, Sequence) or isinstance(concepts, str) or not isinstance(target, str):
            raise DataError(
                f'{where}, row {number}: expected "concepts" (a list of words) and "target" (a sentence), '
                f"found {', '.join(map(str, row)) or 'nothing'}"
            )
        yield [str(concept) for concept in concepts], [target]


def _read_parquet(path: Path) -> HubRows:
    try:
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise DataError(f"{path} is a Parquet file; to read it, install pyarrow") from None
    try:
        found: HubRows = parquet.read_table(path).to_pylist()
    except (ValueError, OSError) as error:  # the base classes of pyarrow's own errors
        raise DataError(f"cannot read {path}: {error}") from error
    return found


def _read_json_lines(path: Path) -> HubRows:
    return (row for _, row in json_lines(path))


def _read_json(path: Path) -> HubRows:
    """Read one list of rows, or JSON lines, which many files of this name hold instead."""
    text = "\n".join(text_lines(path))
    if not text.lstrip().startswith("["):
        return _read_json_lines(path)
    found: list[Any] = parse_json(text, str(path))
    if not all(isinstance(row, dict) for row in found):
        raise DataError(f"{path}: expected a list of rows, each a JSON object")
    return found


_READERS = {".parquet": _read_parquet, ".jsonl": _read_json_lines, ".json": _read_json}


def _fetched(name: str, split: str) -> HubRows:
    try:
        found: HubRows = importlib.import_module("datasets").load_dataset(name, split=split)
    except Exception as error:  # the hub, the network and the format have errors of many classes
        raise DataError(f"there is no folder {name}, and datasets cannot load it: {error}") from error
    return found
