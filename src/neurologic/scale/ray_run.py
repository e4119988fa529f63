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
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from neurologic.batches.parquet_files import ColumnTypes
from neurologic.batches.run_manifest import digest
from neurologic.batches.sources import PARQUET
from neurologic.errors import DataError, missing_extra
from neurologic.scale.missing_rows import (
    blocks_of,
    finished_parts,
    input_columns,
    missing_rows,
    require_unique,
    scan_pieces,
)
from neurologic.scale.part_writer import Answer, Block, PartWriter
from neurologic.scale.parts import JSON_LINES, PartCounts, PartFolder
from neurologic.scale.row_files import found_files, pieces_of

# Per worker, a run has at least this many blocks, so that the last ones end at about the same time.
_BLOCKS_PER_WORKER = 16
_LEAST_ROWS, _MOST_ROWS = 16, 8192
_BLOCKS_AT_A_TIME = 2  # of an actor: while the last rows of one block run, those of the next fill the places


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

    def run(
        self,
        show: Callable[[PartCounts, int, bool], None],
        warn: Callable[[str], object] = lambda message: None,
    ) -> list[PartCounts]:
        """Write all missing rows; return the parts.

        show  called with every part, the number of all rows, and whether the part was there already
        warn  called with what is doubtful about the input, about rows, or about the cluster
        """
        with cluster(self.ray.address) as ray:
            files = found_files(self.inputs)
            suffix = self.suffix or (PARQUET if all(name.endswith(PARQUET) for name in files) else JSON_LINES)
            folder = PartFolder(self.output, suffix)
            manifest = {**self.manifest, "parts": suffix}
            with folder.claimed(manifest, fresh=self.fresh):
                begin = partial(folder.begin, manifest, fresh=self.fresh)
                return self._run(ray, folder, files, begin, show, warn)

    def _run(
        self,
        ray: Any,
        folder: PartFolder,
        files: Sequence[str],
        begin: Callable[[], None],
        show: Callable[[PartCounts, int, bool], None],
        warn: Callable[[str], object],
    ) -> list[PartCounts]:
        pieces = [piece for name in files for piece in pieces_of(name)]
        scanned = scan_pieces(ray, pieces, typed=folder.suffix == PARQUET)
        require_unique(scanned)
        if not self.options.get("strict"):
            for doubt, count in sum((found.doubts for found in scanned), Counter[str]()).items():
                warn(f"{count} rows: {doubt}" if count > 1 else f"a row: {doubt}")
        total = sum(len(found.marks) for found in scanned)
        names = [] if self.fresh else folder.parts()
        if self.retry_errors:
            folder.reopen()  # rows go from its parts
        parts, done = finished_parts(ray, folder, names, retry_errors=self.retry_errors)
        missing = missing_rows(scanned, done, folder.path)
        for part in parts:
            show(part, total, True)
        if any(len(found.marks) for found in missing):
            placement = Placement.of(ray, self.ray, warn)
            begin()
            rows = self._block_rows(sum(len(found.marks) for found in missing), placement.workers)
            types = input_columns(scanned, files)
            for part in self._write(ray, folder, blocks_of(missing, rows), types, placement, warn):
                parts.append(part)
                show(part, total, False)
        written = sum(part.rows for part in parts)
        if written != total:
            raise DataError(f"{folder.path} has {written} rows of {total}; run the same command again")
        folder.finish(self.manifest, parts)
        return parts

    def _block_rows(self, rows: int, workers: int) -> int:
        if self.ray.block_rows is not None:
            return self.ray.block_rows
        return min(_MOST_ROWS, max(_LEAST_ROWS, math.ceil(rows / (workers * _BLOCKS_PER_WORKER))))

    def _write(
        self,
        ray: Any,
        folder: PartFolder,
        blocks: Sequence[Block],
        types: ColumnTypes,
        placement: Placement,
        warn: Callable[[str], object],
    ) -> Iterator[PartCounts]:
        cores = {} if placement.uses_gpu else {"threads": placement.threads}
        options = {**self.options, "loading": {**self.options.get("loading", {}), **cores}}
        dataset = ray.data.from_items(
            [block.to_row() for block in blocks], override_num_blocks=len(blocks)
        ).map_batches(
            PartWriter,
            batch_size=1,
            fn_constructor_args=(folder, digest(self.manifest), types, options),
            compute=ray.data.ActorPoolStrategy(
                size=min(placement.workers, len(blocks)),
                max_tasks_in_flight_per_actor=2 * _BLOCKS_AT_A_TIME,
                max_concurrent_calls_per_actor=_BLOCKS_AT_A_TIME,
                enable_true_multi_threading=True,
            ),
            num_cpus=0 if placement.uses_gpu else placement.threads,
            num_gpus=1 if placement.uses_gpu else 0,
        )
        try:
            for row in dataset.iter_rows():
                answer = Answer.from_row(row)
                if answer.part is None:
                    raise DataError(answer.problem)
                for message in answer.warnings:
                    warn(message)
                yield answer.part
        except ray.exceptions.RayError as error:
            raise DataError(f"the run ended early: {cause_of(error)}") from error


@dataclass(frozen=True)
class Placement:
    """How many workers there are, and what each of them gets of its machine."""

    workers: int
    threads: int
    uses_gpu: bool

    @classmethod
    def of(cls, ray: Any, options: RayOptions, warn: Callable[[str], object]) -> Placement:
        """Share out the machines of the cluster; warn if it has no room for all workers."""
        resources = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        gpus = sum(int(each.get("GPU", 0)) for each in resources)
        cores = [int(each["CPU"]) for each in resources if each.get("CPU", 0) >= 1]
        workers = options.workers or gpus or len(cores) or 1
        uses_gpu = options.uses_gpu if options.uses_gpu is not None else gpus >= workers
        on_largest = math.ceil(workers / max(1, len(cores)))
        threads = options.threads or max(1, max(cores, default=1) // on_largest)
        room = gpus if uses_gpu else sum(each // threads for each in cores)
        needs = "a GPU" if uses_gpu else f"{threads} core{'s' if threads > 1 else ''}"
        if not room and options.address is None:
            there = gpus if uses_gpu else max(cores, default=0)
            raise DataError(f"a worker needs {needs}, and this machine has {there}")
        if room < workers:
            warn(f"there is room for {room} of {workers} workers, each with {needs}; others wait for more")
        return cls(workers, threads, uses_gpu)


def cause_of(error: BaseException) -> str:
    """Return the last line of what Ray says: the error itself, after the traces of all processes."""
    cause = getattr(error, "cause", None) or error.__cause__
    if isinstance(cause, BaseException) and str(cause):
        return cause_of(cause)
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[-1].strip() if lines else type(error).__name__


@contextlib.contextmanager
def cluster(address: str | None) -> Iterator[Any]:
    """Connect to Ray, or start it here; stop what was started."""
    try:
        import ray
        import ray.data
    except ModuleNotFoundError:
        raise DataError(missing_extra("ray", "ray", "--engine ray")) from None
    # Ray tells each error of a worker with the traces of all processes; here it becomes one line.
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
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
        logging_level=logging.ERROR,
        include_dashboard=None if address else False,
    )
    try:
        yield ray
    finally:
        ray.shutdown()
