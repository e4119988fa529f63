"""Files of rows in pieces: where each row begins, what it is known by, and how to read it again.

A piece is a range of bytes of a file of JSON lines, or a row group of a Parquet file, on any file system that
fsspec knows. Scanning a piece parses its rows once; reading rows later goes straight to them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, Any

import fsspec

from neurologic.batches.lines import InputLine, json_line, json_text, misspelt_keys
from neurologic.batches.row_ledger import row_identity, short_hash
from neurologic.batches.sources import PARQUET, STANDARD, without_mark
from neurologic.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

PIECE_BYTES = 64 << 20
KEY_LENGTH = 16  # of a row's mark, the part that says which row it is; the rest changes with its content


@dataclass(frozen=True)
class Piece:
    """A part of a file: bytes from `start` to before `stop`, or the row group `start`."""

    path: str
    start: int
    stop: int

    @property
    def is_parquet(self) -> bool:
        return self.path.endswith(PARQUET)


@dataclass(frozen=True)
class RowReference:
    """A row of a file: where it begins (its first byte, or its place in the row group), and its mark.

    mark  32 letters and digits: 16 for the row's id, or else its file and place, and 16 for its content
    """

    offset: int
    mark: str


def found_files(names: Sequence[str]) -> list[str]:
    """Return the files of paths and globs on any file system, each with its protocol."""
    files: list[str] = []
    for name in names:
        if name == STANDARD:
            raise DataError("many processes cannot read one standard input; give files with -i")
        system, path = fsspec.core.url_to_fs(name)
        found = [path] if system.isfile(path) else sorted(filter(system.isfile, system.glob(path)))
        if not found:
            raise DataError(f"no file has a name like {name}")
        files += [system.unstrip_protocol(each) for each in found]
    return files


def pieces_of(path: str) -> list[Piece]:
    """Split a file into pieces."""
    if path.endswith(PARQUET):
        from pyarrow import parquet

        with fsspec.open(path, "rb") as file:
            groups = parquet.ParquetFile(file).metadata.num_row_groups
        return [Piece(path, group, group + 1) for group in range(groups)]
    system, bare = fsspec.core.url_to_fs(path)
    size = int(system.size(bare))
    return [Piece(path, start, min(start + PIECE_BYTES, size)) for start in range(0, size, PIECE_BYTES)]


def scan(piece: Piece) -> Iterator[tuple[RowReference, InputLine]]:
    """Yield the rows of a piece, each with where it is."""
    with fsspec.open(piece.path, "rb") as file:
        if piece.is_parquet:
            for place, row in enumerate(row_group(file, piece.start).to_pylist()):
                line = _table_line(row, piece, place)
                yield RowReference(place, _mark(line, piece, place)), line
            return
        for offset, data in _lines_from(file, piece):
            if data.strip():
                line = _line_at(piece, offset, data)
                yield RowReference(offset, _mark(line, piece, offset, data)), line


def _lines_from(file: IO[bytes], piece: Piece) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that begin inside a piece; the last one may end outside."""
    if piece.start:
        file.seek(piece.start - 1)
        file.readline()  # the end of a line that began before; nothing if one begins right here
    while (offset := file.tell()) < piece.stop and (data := file.readline()):
        yield offset, data.removesuffix(b"\n")


def _mark(line: InputLine, piece: Piece, place: int, data: bytes | None = None) -> str:
    identity = row_identity(line.fields)
    if identity is None:
        identity = ["place", piece.path, piece.start if piece.is_parquet else 0, place]
    content = json_text(line.fields).encode() if data is None else data
    return short_hash(json.dumps(identity)) + short_hash(content)


def _line_at(piece: Piece, offset: int, data: bytes) -> InputLine:
    """Read a line; one that cannot be read is known by its first byte, since nobody has counted lines."""
    line = json_line(offset, without_mark(data, piece.path) if offset == 0 else data)
    fields = line.fields if line.error is None else {"byte": offset}
    return replace(line, fields=fields, label=f"{_file_name(piece)}, byte {offset}")


def _table_line(row: dict[str, Any], piece: Piece, place: int) -> InputLine:
    fields = {name: value for name, value in row.items() if value is not None}
    label = f"{_file_name(piece)}, row {place + 1} of group {piece.start + 1}"
    return InputLine(place + 1, fields, place=place, label=label, doubts=misspelt_keys(fields))


def _file_name(piece: Piece) -> str:
    return piece.path.rpartition("/")[2]


def read_rows(piece: Piece, offsets: Sequence[int]) -> Iterator[InputLine]:
    """Read rows of a piece again; those of Parquet come as `read_table` has them."""
    if piece.is_parquet:
        for place, row in zip(offsets, read_table(piece, offsets).to_pylist(), strict=True):
            yield _table_line(row, piece, place)
        return
    with fsspec.open(piece.path, "rb") as file:
        for offset in offsets:
            file.seek(offset)
            yield _line_at(piece, offset, file.readline().removesuffix(b"\n"))


def read_table(piece: Piece, offsets: Sequence[int]) -> pa.Table:
    """Read rows of a Parquet file as a table, with the types that they have."""
    with fsspec.open(piece.path, "rb") as file:
        return row_group(file, piece.start).take(list(offsets))


def row_group(file: IO[bytes], group: int) -> pa.Table:
    """Read a row group of a Parquet file."""
    from pyarrow import parquet

    return parquet.ParquetFile(file).read_row_group(group)
