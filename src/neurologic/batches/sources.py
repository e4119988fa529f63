"""Where rows come from: files of JSON lines, Parquet files, globs of either, and standard input.

Rows are read one after the other as they are asked for, so memory does not grow with the input. Rows of
Parquet are known by the name's end; standard input has lines.
"""

from __future__ import annotations

import contextlib
import glob
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from neurologic.batches.lines import InputLine, json_line, json_text, misspelt_keys
from neurologic.errors import DataError, system_reason

STANDARD = "-"  # standard input or output
PARQUET = ".parquet"

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")

# Reads a line from its number, from 1, and its bytes; None leaves the line out.
ReadLine = Callable[[int, bytes], InputLine | None]


def object_line(number: int, data: bytes) -> InputLine | None:
    """Read a line of JSON; leave out a blank one."""
    return json_line(number, data) if data.strip() else None


@dataclass(frozen=True)
class Sources:
    """Files in their order, or standard input."""

    paths: tuple[str, ...]

    @classmethod
    def named(cls, names: Sequence[str]) -> Sources:
        """Find the files of names and globs; raise `DataError` for a glob that fits none."""
        return cls(tuple(path for name in names for path in _found(name)))

    @property
    def name(self) -> str:
        """The sources in messages."""
        if len(self.paths) == 1:
            return source_name(self.paths[0])
        return f"{len(self.paths)} files from {self.paths[0]} to {self.paths[-1]}"

    @property
    def all_parquet(self) -> bool:
        """Whether every source is a Parquet file."""
        return all(path.endswith(PARQUET) for path in self.paths)

    def rows(self, read: ReadLine = object_line) -> Iterator[InputLine]:
        """Yield all rows; `read` reads the lines of files that are not Parquet."""
        places = count()
        for path in self.paths:
            file = source_name(path) if len(self.paths) > 1 else ""
            for row in _parquet_rows(path) if path.endswith(PARQUET) else _lines(path, read):
                yield replace(row, file=file, place=next(places))

    @property
    def read_again(self) -> bool:
        """Whether the rows can be read more than once."""
        return all(path != STANDARD and os.path.isfile(path) for path in self.paths)

    def count(self, *, blank: bool) -> int | None:
        """Return how many rows there are, with blank lines or without; None if they can be read only once."""
        return sum(_count(path, blank=blank) for path in self.paths) if self.read_again else None


def _found(name: str) -> Iterable[str]:
    if name == STANDARD or os.path.exists(name) or not glob.has_magic(name):
        return [name]
    found = sorted(path for path in glob.glob(name, recursive=True) if os.path.isfile(path))
    if not found:
        raise DataError(f"no file has a name like {name}")
    return found


def _lines(path: str, read: ReadLine) -> Iterator[InputLine]:
    for number, data in enumerate(split_lines(path), start=1):
        line = read(number, data)
        if line is not None:
            yield replace(line, data=data)


def _parquet_rows(path: str) -> Iterator[InputLine]:
    from neurologic.batches.parquet_files import read_rows

    for number, fields in enumerate(read_rows(path), start=1):
        data = json_text(fields).encode()
        yield InputLine(number, fields, data=data, doubts=misspelt_keys(fields))


def _count(path: str, *, blank: bool) -> int:
    if path.endswith(PARQUET):
        from neurologic.batches.parquet_files import count_rows

        return count_rows(path)
    return sum(1 for line in split_lines(path) if blank or line.strip())


def split_lines(path: str) -> Iterator[bytes]:
    """Yield the lines of a file or of standard input as they are, without their ends."""
    if path == STANDARD and sys.stdin is None:
        raise DataError("standard input is closed")
    try:
        # Only "\n" ends a line, as in all binary files: JSON allows other ends inside strings.
        with contextlib.nullcontext(sys.stdin.buffer) if path == STANDARD else open(path, "rb") as file:
            for number, line in enumerate(file):
                data = without_mark(line, source_name(path)) if number == 0 else line
                if data:
                    yield data.removesuffix(b"\n")
    except OSError as error:
        raise DataError(f"cannot read {source_name(path)}: {system_reason(error)}") from error


def without_mark(line: bytes, name: str) -> bytes:
    """Return the first line of a file without its byte order mark; refuse one in UTF-16."""
    if line.startswith(_UTF_16_MARKS):
        raise DataError(f"{name} is UTF-16; save it as UTF-8")
    return line.removeprefix(_BYTE_ORDER_MARK)


def source_name(path: str) -> str:
    """Return the name of a source in messages."""
    return "standard input" if path == STANDARD else path
