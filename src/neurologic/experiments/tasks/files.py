"""Reading a task's files: lines of text and of JSON, plain or gzipped; errors name file and line."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from neurologic.errors import DataError


def text_lines(path: Path) -> list[str]:
    """The lines of a file, without their ends; one whose name ends in `.gz` is unpacked.

    Only line feeds end a line (with or without a carriage return before it): other programs that write
    outputs line by line leave Unicode's own separators inside.
    """
    try:
        text = _content(path).decode("utf-8-sig")
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


def _content(path: Path) -> bytes:
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix == ".gz" else content


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file of JSON lines with their numbers from 1; blank lines are skipped."""
    for number, line in enumerate(text_lines(path), 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{path}, line {number}: not JSON: {error}") from error
        if not isinstance(found, dict):
            raise DataError(f"{path}, line {number}: expected a JSON object, found {line.strip()[:60]}")
        yield number, found
