"""Which rows of the input are missing in a folder of parts; tasks read both, the driver compares marks.

Only marks and places come to the driver, as arrays: forty bytes for each row of the input, and thirty-two for
each row of the parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import fsspec
import numpy as np

from neurologic.batches.parquet_files import ColumnTypes, file_types, input_types, joined_types
from neurologic.batches.sources import PARQUET
from neurologic.errors import DataError
from neurologic.scale.part_writer import MARK, Block
from neurologic.scale.parts import ROW, RUN, PartCounts, PartFolder
from neurologic.scale.row_files import KEY_LENGTH, Piece, scan

_TYPED_ROWS = 1000


@dataclass(frozen=True)
class ScannedPiece:
    """The rows of a piece: where they are, their marks, the types of their columns, and their doubts."""

    piece: Piece
    offsets: np.ndarray
    marks: np.ndarray
    types: ColumnTypes = field(default_factory=dict)
    doubts: Counter[str] = field(default_factory=Counter)


def scan_pieces(ray: Any, pieces: Sequence[Piece], *, typed: bool) -> list[ScannedPiece]:
    """Scan pieces, as many at a time as there are cores."""
    scanned = ray.remote(_scan_piece)
    return list(ray.get([scanned.remote(piece, typed and not piece.is_parquet) for piece in pieces]))


def _scan_piece(piece: Piece, typed: bool) -> ScannedPiece:
    offsets: list[int] = []
    marks: list[str] = []
    types: ColumnTypes = {}
    doubts: Counter[str] = Counter()
    scanned = scan(piece)
    while rows := list(islice(scanned, _TYPED_ROWS)):
        offsets += [reference.offset for reference, _ in rows]
        marks += [reference.mark for reference, _ in rows]
        doubts.update(doubt for _, line in rows for doubt in line.doubts)
        if typed:
            types = joined_types([types, input_types([line.fields for _, line in rows])])
    return ScannedPiece(piece, np.array(offsets, dtype=np.int64), np.array(marks, dtype=MARK), types, doubts)


def input_columns(scanned: Iterable[ScannedPiece], files: Iterable[str]) -> ColumnTypes:
    """Return the columns of the input, with types into which all files fit."""
    tables = []
    for path in files:
        if path.endswith(PARQUET):
            with fsspec.open(path, "rb") as file:
                tables.append(file_types(file))
    types = joined_types([*tables, *(found.types for found in scanned)])
    return {name: found for name, found in types.items() if name not in (ROW, RUN)}


def require_unique(scanned: Sequence[ScannedPiece]) -> None:
    """Refuse rows that cannot be told apart: one of two would count as written."""
    keys = _joined([found.marks.astype(f"S{KEY_LENGTH}") for found in scanned], f"S{KEY_LENGTH}")
    keys.sort()
    twice = keys[1:][keys[1:] == keys[:-1]]
    if not len(twice):
        return
    for found in scanned:
        places = np.flatnonzero(found.marks.astype(f"S{KEY_LENGTH}") == twice[0])
        if len(places):
            unit = "row" if found.piece.is_parquet else "byte"
            where = f"{found.piece.path}, {unit} {found.offsets[places[0]]}"
            ids = "1 id occurs" if len(twice) == 1 else f"{len(twice)} ids occur"
            raise DataError(f"{ids} more than once, the first of them at {where}; make them unique")


def finished_parts(
    ray: Any, folder: PartFolder, names: Sequence[str], *, retry_errors: bool
) -> tuple[list[PartCounts], np.ndarray]:
    """Return parts that are there, and the marks of their rows, sorted.

    A part may have rows of another one, if a worker outlived its driver: the second one is removed, and its
    other rows are missing then.
    """
    read = ray.remote(_read_part)
    found = ray.get([read.remote(folder, name, retry_errors) for name in names])
    marks = _sorted_marks(marks for _, marks in found)
    twice = np.unique(marks[1:][marks[1:] == marks[:-1]])
    if len(twice):
        found = _without_overlaps(folder, found, twice)
        marks = _sorted_marks(marks for _, marks in found)
    return [part for part, marks in found if len(marks)], marks


def _read_part(folder: PartFolder, name: str, retry_errors: bool) -> tuple[PartCounts, np.ndarray]:
    """Read a part; on request, take the rows that failed out of it."""
    rows = folder.read_part(name)
    if retry_errors and any(row["error"] is not None for row in rows):
        folder.without_errors(name)
        rows = [row for row in rows if row["error"] is None]
    return PartCounts.of(name, rows), np.array([row[ROW] for row in rows], dtype=MARK)


def _without_overlaps(
    folder: PartFolder, found: Sequence[tuple[PartCounts, np.ndarray]], twice: np.ndarray
) -> list[tuple[PartCounts, np.ndarray]]:
    """Keep the first part that has a row; remove others that have it."""
    kept: list[tuple[PartCounts, np.ndarray]] = []
    seen: set[bytes] = set()
    for part, marks in found:
        shared = set(marks[_is_in(marks, twice)].tolist())
        if shared & seen:
            folder.remove(part.name)
        else:
            seen |= shared
            kept.append((part, marks))
    return kept


def missing_rows(scanned: Sequence[ScannedPiece], done: np.ndarray, name: str) -> list[ScannedPiece]:
    """Return the rows without those that are done; refuse if a row that is done is not among them."""
    masks = [_is_in(found.marks, done) for found in scanned]
    lost = len(done) - sum(int(mask.sum()) for mask in masks)
    if lost:
        raise DataError(
            f"{lost} rows of {name} are no longer in the input, or changed since their texts were written. "
            "Give the same rows, or give --fresh to start over, or choose another folder"
        )
    return [
        replace(found, offsets=found.offsets[~mask], marks=found.marks[~mask])
        for found, mask in zip(scanned, masks, strict=True)
    ]


def blocks_of(pieces: Sequence[ScannedPiece], rows: int) -> list[Block]:
    """Cut rows into blocks, each of one piece."""
    return [
        Block(found.piece, found.offsets[start : start + rows], found.marks[start : start + rows])
        for found in pieces
        for start in range(0, len(found.offsets), rows)
    ]


def _is_in(marks: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return which marks are among known ones, which are sorted."""
    if not len(known):
        return np.zeros(len(marks), dtype=bool)
    places = np.minimum(np.searchsorted(known, marks), len(known) - 1)
    return np.asarray(known[places] == marks)


def _sorted_marks(arrays: Iterable[np.ndarray]) -> np.ndarray:
    marks = _joined(list(arrays), MARK)
    marks.sort()
    return marks


def _joined(arrays: Sequence[np.ndarray], kind: str) -> np.ndarray:
    return np.concatenate(arrays) if arrays else np.array([], dtype=kind)
