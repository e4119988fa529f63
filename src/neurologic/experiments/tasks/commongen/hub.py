"""CommonGen as the hub has it, `common_gen`: rows of `concept_set_idx`, `concepts` and `target`.

The rows may be Parquet, JSON lines or one JSON list, in files whose name starts with the split, in the folder
or one below it: `validation-00000-of-00001.parquet`, `common_gen/validation.jsonl`. The hub's name for dev is
validation; either is understood. A name that is no folder goes to the package `datasets`, if it is
installed, which may fetch it from the hub; nothing else here needs a network. Parquet needs `pyarrow`.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from neurologic.errors import DataError
from neurologic.experiments.tasks.files import json_lines, text_lines

_SUFFIXES = (".parquet", ".jsonl", ".json")
_OTHER_NAME = {"dev": "validation", "validation": "dev"}


def split_names(split: str) -> list[str]:
    """The names that a split may have in files, the given one first."""
    return [split, _OTHER_NAME[split]] if split in _OTHER_NAME else [split]


def rows(data: str | Path, split: str) -> Iterator[tuple[list[str], list[str]]] | None:
    """Concepts and references row by row; None if there is nothing of this kind."""
    folder = Path(data)
    for name in split_names(split):
        if files := _files(folder, name):
            return _of_files(files)
    if not folder.exists() and importlib.util.find_spec("datasets"):
        return _of_rows(_fetched(str(data), "validation" if split == "dev" else split), data)
    return None


def splits(folder: Path) -> list[str]:
    """The splits for which there are files of rows."""
    return sorted({_split(path) for path in _candidates(folder)})


def _files(folder: Path, split: str) -> list[Path]:
    """All files of a split, of one format: the first of `_SUFFIXES` that there is."""
    found = [path for path in _candidates(folder) if _split(path) == split]
    for suffix in _SUFFIXES:
        if same := [path for path in found if path.suffix == suffix]:
            return same
    return []


def _candidates(folder: Path) -> list[Path]:
    paths = (path for pattern in ("*", "*/*") for path in folder.glob(pattern))
    return sorted(path for path in paths if path.suffix in _SUFFIXES and "." not in path.stem)


def _split(path: Path) -> str:
    """The split of a file: "validation-00000-of-00001.parquet" is validation."""
    return path.stem.partition("-")[0]


def _of_files(files: Iterable[Path]) -> Iterator[tuple[list[str], list[str]]]:
    readers = {".parquet": _of_parquet, ".jsonl": _of_json_lines, ".json": _of_json}
    for path in files:
        yield from _of_rows(readers[path.suffix](path), path)


def _of_rows(found: Iterable[Mapping[str, Any]], where: object) -> Iterator[tuple[list[str], list[str]]]:
    for number, row in enumerate(found, 1):
        concepts, target = row.get("concepts"), row.get("target", "")
        if not isinstance(concepts, Sequence) or isinstance(concepts, str) or not isinstance(target, str):
            raise DataError(
                f'{where}, row {number}: expected "concepts" (a list of words) and "target" (a sentence), '
                f"found {', '.join(map(str, row)) or 'nothing'}"
            )
        yield [str(concept) for concept in concepts], [target]


def _of_parquet(path: Path) -> list[dict[str, Any]]:
    try:
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise DataError(f"{path} is a Parquet file; to read it, install pyarrow") from None
    try:
        found: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    except (ValueError, OSError) as error:  # what pyarrow's own errors derive from
        raise DataError(f"cannot read {path}: {error}") from error
    return found


def _of_json_lines(path: Path) -> Iterator[dict[str, Any]]:
    return (row for _, row in json_lines(path))


def _of_json(path: Path) -> Iterable[dict[str, Any]]:
    """One list of rows; many a file of this name holds JSON lines instead."""
    text = "\n".join(text_lines(path))
    if not text.lstrip().startswith("["):
        return _of_json_lines(path)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {error}") from error
    if not all(isinstance(row, dict) for row in found):
        raise DataError(f"{path}: expected a list of rows, each a JSON object")
    return found


def _fetched(name: str, split: str) -> Iterable[Mapping[str, Any]]:
    try:
        found: Iterable[Mapping[str, Any]] = importlib.import_module("datasets").load_dataset(
            name, split=split
        )
    except Exception as error:  # whatever the hub, the network or the format say
        raise DataError(f"there is no folder {name}, and datasets cannot load it: {error}") from error
    return found
