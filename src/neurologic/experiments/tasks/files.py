"""Read a task's files: lines of text and JSON, plain or gzipped. Errors name file and line."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from neurologic.errors import DataError

_DEVELOPMENT = ("dev", "valid", "validation")


def split_names(split: str) -> list[str]:
    """Return the names a split may have in file names, the given one first.

    >>> split_names("dev"), split_names("train")
    (['dev', 'valid', 'validation'], ['train'])
    """
    return list(dict.fromkeys((split, *_DEVELOPMENT))) if split in _DEVELOPMENT else [split]


def no_such_split(path: Path, splits: set[str]) -> DataError:
    """Return the error for a missing file of a split; it lists the splits that the folder has."""
    known = f"; the splits there are {', '.join(sorted(splits))}" if splits else ""
    return DataError(f"there is no {path}{known}")


def text_lines(path: Path) -> list[str]:
    """Return the lines of a file without their ends; unpack a file whose name ends in `.gz`.

    Only line feeds (or carriage return and line feed) end a line: programs that write outputs line by line
    leave Unicode's other separators inside.
    """
    try:
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8-sig")
    except FileNotFoundError:
        raise DataError(f"there is no {path}") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8: {error.reason} at byte {error.start + 1}") from error
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error
    except (EOFError, zlib.error) as error:
        raise DataError(f"cannot unpack {path}: {error}") from error
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def parse_json(text: str, where: str) -> Any:
    """Return the value of a JSON text; `where` names its place in the error."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: not JSON: {error}") from error


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a file of JSON lines with their line numbers from 1; skip blank lines."""
    for number, line in enumerate(text_lines(path), 1):
        if not line.strip():
            continue
        found = parse_json(line, f"{path}, line {number}")
        if not isinstance(found, dict):
            raise DataError(f"{path}, line {number}: expected a JSON object, found {line.strip()[:60]}")
        yield number, found
