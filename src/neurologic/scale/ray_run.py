"""The driver of a run on Ray: find the rows that are missing, and have actors write them.

1. Tasks scan the input, and say where each row is and what it is known by.
2. The driver leaves out the rows that parts of the same run hold, and cuts the others into blocks.
3. Actors write a part per block. Ray starts an actor again that died, and gives its block to another one.
4. The driver writes the list of parts.

The driver keeps forty bytes for each row, and no text. Whenever it dies, the parts stay, and the next driver
begins with step 1.
"""

from __future__ import annotations

import contextlib
import logging
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from neurologic.batches.parquet_files import ColumnTypes, input_types, joined_types
from neurologic.batches.run_manifest import digest
from neurologic.batches.sources import PARQUET
from neurologic.errors import DataError, missing_extra
from neurologic.scale.part_writer import Block, PartWriter
from neurologic.scale.parts import JSON_LINES, ROW, RUN, PartCounts, PartFolder
from neurologic.scale.row_files import KEY_LENGTH, Piece, found_files, pieces_of, scan

# Per worker, a run has at least this many blocks, so that the last ones end at about the same time.
_BLOCKS_PER_WORKER = 16
_LEAST_ROWS, _MOST_ROWS = 16, 8192
_BLOCKS_AT_A_TIME = 2  # of an actor: while the last rows of one block run, those of the next fill the places
_TYPED_ROWS = 1000


@dataclass(frozen=True)
class RayOptions:
    """Where and how to run.

    address    of a Ray cluster, "auto" for the one that this machine belongs to, None to start one here
    workers    actors, each with a model of its own; None for one per GPU, or else one per node
    threads    of each actor; None for its share
    uses_gpu   whether each actor gets a GPU; None if there is one
    block_rows rows of a part; None to choose by the number of rows and workers
    """

    address: str | None = None
    workers: int | None = None
    threads: int | None = None
    uses_gpu: bool | None = None
    block_rows: int | None = None


@dataclass
class RayRun:
    """A run from files to a folder of parts.

    inputs    paths and globs, on any file system that fsspec knows
    output    a folder
    manifest  everything that decides the texts (see `batches.run_manifest`)
    options   those of `Generator`
    """

    inputs: Sequence[str]
    output: str
    manifest: Mapping[str, Any]
    options: Mapping[str, Any]
    ray: RayOptions = field(default_factory=RayOptions)
    suffix: str | None = None
    fresh: bool = False
    retry_errors: bool = False

    def run(self, show: Callable[[PartCounts, int, bool], None]) -> list[PartCounts]:
        """Write all missing rows; return the parts.

        show  called with every part, the number of all rows, and whether the part was there already
        """
        with cluster(self.ray.address) as ray:
            files = found_files(self.inputs)
            suffix = self.suffix or (PARQUET if all(name.endswith(PARQUET) for name in files) else JSON_LINES)
            folder = PartFolder(self.output, suffix)
            with folder.claimed({**self.manifest, "parts": suffix}, fresh=self.fresh):
                return self._run(ray, folder, files, show)

    def _run(
        self,
        ray: Any,
        folder: PartFolder,
        files: Sequence[str],
        show: Callable[[PartCounts, int, bool], None],
    ) -> list[PartCounts]:
        pieces = [piece for name in files for piece in pieces_of(name)]
        scanned = _scan(ray, pieces, typed=folder.suffix == PARQUET)
        _require_unique(scanned)
        parts, done = self._finished(folder)
        missing = _missing(scanned, done, folder.path)
        total = sum(len(found.marks) for found in scanned)
        for part in parts:
            show(part, total, True)
        workers = self._workers(ray)
        blocks = _blocks(missing, self._block_rows(sum(len(found.marks) for found in missing), workers))
        types = joined_types(found.types for found in scanned)
        for part in self._write(ray, folder, blocks, types, workers):
            parts.append(part)
            show(part, total, False)
        written = sum(part.rows for part in parts)
        if written != total:
            raise DataError(f"{folder.path} has {written} rows of {total}; run the same command again")
        folder.finish(self.manifest, parts)
        return parts

    def _finished(self, folder: PartFolder) -> tuple[list[PartCounts], np.ndarray]:
        """Return the parts that are there, and the marks of their rows, sorted."""
        parts, marks = [], []
        for name in folder.parts():
            rows = folder.read_part(name)
            if self.retry_errors and any(row["error"] is not None for row in rows):
                folder.without_errors(name)
                rows = [row for row in rows if row["error"] is None]
            if rows:
                parts.append(PartCounts.of(name, rows))
                marks += [row[ROW] for row in rows]
        return parts, np.sort(np.array(marks, dtype="S32"))

    def _workers(self, ray: Any) -> int:
        if self.ray.workers is not None:
            return self.ray.workers
        gpus = int(ray.cluster_resources().get("GPU", 0))
        return gpus or sum(node["Alive"] for node in ray.nodes())

    def _block_rows(self, rows: int, workers: int) -> int:
        if self.ray.block_rows is not None:
            return self.ray.block_rows
        return min(_MOST_ROWS, max(_LEAST_ROWS, math.ceil(rows / (workers * _BLOCKS_PER_WORKER))))

    def _write(
        self, ray: Any, folder: PartFolder, blocks: Sequence[Block], types: ColumnTypes, workers: int
    ) -> Iterator[PartCounts]:
        if not blocks:
            return
        resources = ray.cluster_resources()
        uses_gpu = self.ray.uses_gpu if self.ray.uses_gpu is not None else resources.get("GPU", 0) >= workers
        threads = self.ray.threads or max(1, int(resources.get("CPU", 1)) // workers)
        loading = {**self.options.get("loading", {}), **({} if uses_gpu else {"threads": threads})}
        dataset = ray.data.from_items(
            [{"block": block.to_json()} for block in blocks], override_num_blocks=len(blocks)
        ).map_batches(
            PartWriter,
            batch_size=1,
            fn_constructor_args=(folder, digest(self.manifest), types, {**self.options, "loading": loading}),
            compute=ray.data.ActorPoolStrategy(
                size=min(workers, len(blocks)),
                max_tasks_in_flight_per_actor=2 * _BLOCKS_AT_A_TIME,
                max_concurrent_calls_per_actor=_BLOCKS_AT_A_TIME,
                enable_true_multi_threading=True,
            ),
            num_cpus=0 if uses_gpu else threads,
            num_gpus=1 if uses_gpu else 0,
        )
        for row in dataset.iter_rows():
            yield PartCounts(**row)


@contextlib.contextmanager
def cluster(address: str | None) -> Iterator[Any]:
    """Connect to Ray, or start it here; stop what was started."""
    try:
        import ray
        import ray.data
    except ModuleNotFoundError:
        raise DataError(missing_extra("ray", "ray", "--engine ray")) from None
    logging.getLogger("ray.data").setLevel(logging.WARNING)  # it logs every run to standard error
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    if ray.is_initialized():
        yield ray
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing here tells anybody that it runs
    ray.init(
        address=address,
        log_to_driver=False,
        logging_level=logging.WARNING,
        include_dashboard=None if address else False,
    )
    try:
        yield ray
    finally:
        ray.shutdown()


# -- rows -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ScannedPiece:
    """The rows of a piece: where they are, their marks, and the types of their columns."""

    piece: Piece
    offsets: np.ndarray
    marks: np.ndarray
    types: ColumnTypes


def _scan(ray: Any, pieces: Sequence[Piece], *, typed: bool) -> list[ScannedPiece]:
    """Scan pieces, as many at a time as there are cores."""
    scanned = ray.remote(_scan_piece)
    return list(ray.get([scanned.remote(piece, typed and not piece.is_parquet) for piece in pieces]))


def _scan_piece(piece: Piece, typed: bool) -> ScannedPiece:
    offsets: list[int] = []
    marks: list[str] = []
    types: ColumnTypes = {}
    scanned = scan(piece)
    while rows := list(islice(scanned, _TYPED_ROWS)):
        offsets += [reference.offset for reference, _ in rows]
        marks += [reference.mark for reference, _ in rows]
        if typed:
            own = [{**line.fields, ROW: "", RUN: ""} for _, line in rows]
            types = joined_types([types, input_types(own)])
    return ScannedPiece(piece, np.array(offsets, dtype=np.int64), np.array(marks, dtype="S32"), types)


def _require_unique(scanned: Sequence[ScannedPiece]) -> None:
    """Refuse rows that cannot be told apart: one of two would count as written."""
    keys = np.sort(_joined([found.marks for found in scanned]).astype(f"S{KEY_LENGTH}"))
    twice = keys[1:][keys[1:] == keys[:-1]]
    if not len(twice):
        return
    for found in scanned:
        places = np.flatnonzero(found.marks.astype(f"S{KEY_LENGTH}") == twice[0])
        if len(places):
            where = f"{found.piece.path}, byte {found.offsets[places[0]]}"
            raise DataError(
                f"{len(twice)} ids occur more than once, the first of them at {where}; make them unique"
            )


def _missing(scanned: Sequence[ScannedPiece], done: np.ndarray, name: str) -> list[ScannedPiece]:
    """Return the rows without those that are done; refuse if a row that is done is not among them."""
    given = np.sort(_joined([found.marks for found in scanned]))
    lost = np.count_nonzero(~np.isin(done, given, assume_unique=True))
    if lost:
        raise DataError(
            f"{lost} rows of {name} are no longer in the input, or changed since their texts were written. "
            "Give the same rows, or give --fresh to start over, or choose another folder"
        )
    kept = [(found, ~np.isin(found.marks, done)) for found in scanned]
    return [
        ScannedPiece(found.piece, found.offsets[mask], found.marks[mask], found.types) for found, mask in kept
    ]


def _joined(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate(arrays) if arrays else np.array([], dtype="S32")


def _blocks(pieces: Sequence[ScannedPiece], rows: int) -> list[Block]:
    """Cut rows into blocks, each of one piece."""
    return [
        Block(
            found.piece,
            tuple(found.offsets[start : start + rows].tolist()),
            tuple(mark.decode() for mark in found.marks[start : start + rows].tolist()),
        )
        for found in pieces
        for start in range(0, len(found.offsets), rows)
    ]
