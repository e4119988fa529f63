"""An output of one line per row, in the order of the rows, that any number of processes write in turn.

Beside `out.jsonl` there is a folder `out.jsonl.run` with the manifest of the run and the ledger of its rows.
A process may end at any moment: the next one drops a torn line, compares the rows with the ledger, and goes
on with the first one that is missing. It refuses another manifest, an output that somebody changed, and a
second process at the same time. Rows whose texts are written must still be there, in any order if they have
ids; then, and to try failed rows again, the output is written anew as a draft that replaces it when it is
whole, with the finished lines as they are.

What follows the last whole pair of line and entry is written again, so a crash of the whole machine costs
what the system had not yet put on the disk, and no more.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from neurologic.batches.lines import InputLine
from neurologic.batches.row_ledger import (
    WIDTH,
    Counts,
    Entry,
    KeptRow,
    Outcome,
    line_check,
    read_entry,
    row_key,
)
from neurologic.batches.run_manifest import (
    MANIFEST,
    only_writer,
    read_manifest,
    require_same_run,
    write_manifest,
)
from neurologic.errors import DataError, system_reason
from neurologic.storage import append_bytes, flush

START_OVER = "give --fresh to start over, or choose another name"

_FOLDER = ".run"  # the end of the folder's name
_LEDGER = "rows"
_DRAFT = "draft"
_COMMIT = "commit"  # while this file exists, the draft is whole and takes the place of the output
_SECONDS_BETWEEN_FLUSHES = 5.0

# A row to write, and its lines if an earlier process wrote them.
PlannedRow = tuple[InputLine, KeptRow | None]


@dataclass
class _RowFiles:
    """Files that grow together: a line per row, its entry in the ledger, and for some rows a line beside."""

    lines: Path
    ledger: Path
    beside: Path | None

    @property
    def paths(self) -> tuple[Path, ...]:
        return (self.lines, self.ledger) if self.beside is None else (self.lines, self.ledger, self.beside)

    def open(self, closing: ExitStack) -> None:
        """Open the files for appending, without a buffer: the system has each line at once."""
        self._opened: list[IO[bytes]] = []
        for path in self.paths:
            with _named(path):
                self._opened.append(closing.enter_context(path.open("ab", buffering=0)))
        self._flushed = time.monotonic()

    def append(self, entry: Entry, line: bytes, beside: bytes) -> None:
        """Write a row; its entry comes last, so that a row with an entry is whole."""
        texts = {self.lines: line + b"\n", self.beside: beside, self.ledger: f"{entry.to_line()}\n".encode()}
        order = sorted(zip(self.paths, self._opened, strict=True), key=lambda each: each[0] == self.ledger)
        for path, file in order:
            if texts[path]:
                with _named(path):
                    append_bytes(file, texts[path])
        if time.monotonic() - self._flushed > _SECONDS_BETWEEN_FLUSHES:
            self.flush()

    def flush(self) -> None:
        """Have the system write everything to the disk, the ledger last."""
        for path in (self.lines, self.beside, self.ledger):
            if path is not None:
                flush(path)
        self._flushed = time.monotonic()

    def rows(self) -> Iterator[KeptRow]:
        """Yield the rows that are whole; raise `DataError` for a line that is not what was written."""
        with ExitStack() as files:
            lines, ledger = (files.enter_context(path.open("rb")) for path in (self.lines, self.ledger))
            beside = None if self.beside is None else files.enter_context(self.beside.open("rb"))
            for number in itertools.count(1):
                entry, line = read_entry(ledger.readline(), self.ledger), lines.readline()
                if entry is None or not line.endswith(b"\n"):
                    return
                if line_check(line[:-1]) != entry.check:
                    raise DataError(
                        f"line {number} of {self.lines} has changed since it was written; {START_OVER}"
                    )
                if beside is None or entry.outcome is Outcome.BLANK:
                    yield KeptRow(entry, line)
                    continue
                other = beside.readline()
                if not other.endswith(b"\n"):
                    return
                yield KeptRow(entry, line, other)

    def entries(self) -> Iterator[Entry]:
        """Yield the entries of the ledger, after `repair` those of whole rows."""
        with self.ledger.open("rb") as ledger:
            while (entry := read_entry(ledger.readline(), self.ledger)) is not None:
                yield entry

    def repair(self) -> Counts:
        """Cut off what is torn or has no entry; return what is left."""
        for path in self.paths:
            path.touch()
        counts, ends = Counts(), dict.fromkeys(self.paths, 0)
        for row in self.rows():
            counts.add(row.entry.outcome, row.entry.forced)
            ends[self.lines] += len(row.line)
            ends[self.ledger] += WIDTH
            if self.beside is not None:
                ends[self.beside] += len(row.beside)
        if next(self.entries(), None) is None and _has_lines(self.lines, 2):
            raise DataError(f"{self.ledger} does not say which rows {self.lines} holds; {START_OVER}")
        for path, end in ends.items():
            if path.stat().st_size > end:
                os.truncate(path, end)
        return counts

    def clear(self) -> None:
        for path in self.paths:
            path.unlink(missing_ok=True)


class ResumableOutput:
    """The lines of a run; a context manager. Call `plan`, `begin`, `add` or `keep` for each row, `finish`.

    path      the output
    folder    manifest, ledger and drafts
    name      the output in messages, as the user wrote it
    beside    a second file, with a line for each row that is not blank
    counts    the rows that are there already
    """

    def __init__(
        self,
        path: Path,
        manifest: Mapping[str, Any],
        *,
        fresh: bool = False,
        beside: Path | None = None,
    ) -> None:
        self.path = Path(os.path.realpath(path))  # a draft replaces the file, not a link to it
        self.folder = Path(f"{self.path}{_FOLDER}")
        self.name = str(path)
        self._manifest = manifest
        self._fresh = fresh
        self._output = _RowFiles(self._lines(), self.folder / _LEDGER, beside)
        self._draft = _RowFiles(
            self.folder / _DRAFT,
            self.folder / f"{_DRAFT}.{_LEDGER}",
            None if beside is None else self.folder / f"{_DRAFT}.beside",
        )
        self._written = self._output
        self._begun = False
        self._held = ExitStack()
        self._closing = ExitStack()
        self.counts = Counts()
        self.changed = False

    def _lines(self) -> Path:
        """Return where the lines are."""
        return self.path

    def __enter__(self) -> Self:
        with ExitStack() as held:
            self._open(held)
            self._held = held.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.close()
        self._held.close()

    def _open(self, held: ExitStack) -> None:
        """Hold the lock, and find what is there; until `begin`, leave no trace."""
        for path in self._seen_by_user():
            is_new = not path.exists()
            with _named(path), path.open("ab"):
                pass
            if is_new:
                held.callback(self._remove_unused, path)
        with _named(self.name):
            self.folder.mkdir(exist_ok=True)
        held.callback(self._remove_unused, self.folder)
        held.enter_context(only_writer(self.folder, self.name))
        if self._fresh:
            return
        self._commit()
        manifest = self.folder / MANIFEST
        if not manifest.exists():
            self._require_empty()
        elif any(path.exists() and path.stat().st_size for path in (self._output.lines, self._output.ledger)):
            require_same_run(read_manifest(manifest), self._manifest, self.name, START_OVER)
            self.counts = self._output.repair()

    def _seen_by_user(self) -> tuple[Path, ...]:
        """Return the files that are not in the run's own folder."""
        return tuple(path for path in (self._output.lines, self._output.beside) if path is not None)

    def _remove_unused(self, path: Path) -> None:
        if not self._begun:
            with contextlib.suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()

    def _require_empty(self) -> None:
        for path in self._seen_by_user():
            if path.exists() and path.stat().st_size:
                raise DataError(f"{path} exists, and nothing says which run wrote it; {START_OVER}")

    # -- which rows are missing -----------------------------------------------------------------------

    def plan(
        self, rows: Callable[[], Iterator[InputLine]], *, read_again: bool, retry_errors: bool = False
    ) -> Iterator[PlannedRow]:
        """Return the rows to write, in their order; those before them are there already.

        rows        reads all rows from the first one
        read_again  whether it can do so more than once
        """
        if not self.counts.rows:
            return ((row, None) for row in rows())
        retries = retry_errors and self.counts[Outcome.FAILED] > 0
        if retries and not read_again:
            raise DataError(
                "--retry-errors reads its input twice, so it takes no standard input; give a file"
            )
        given = rows()
        if not retries:
            place = _first_difference(given, self._output.entries())
            if place is None:
                return ((row, None) for row in given)
            if not read_again:
                raise DataError(self._changed(place))
        return self._rewriting(rows, retries=retries)

    def _rewriting(self, rows: Callable[[], Iterator[InputLine]], *, retries: bool) -> Iterator[PlannedRow]:
        """Return all rows with the lines that they keep, but those that an earlier draft has."""
        self._written = self._draft
        drafted = 0
        if self._draft.lines.exists() and self._draft.ledger.exists():
            self.counts = self._draft.repair()
            drafted = self.counts.rows
            if _first_difference(rows(), self._draft.entries()) is not None:
                self._draft.clear()
                drafted = 0
        if not drafted:
            self.counts = Counts()
        planned = self._in_step(rows()) if self._is_in_order(rows()) else self._by_key(rows)
        return itertools.islice(
            (
                (row, None if retries and kept and kept.entry.outcome is Outcome.FAILED else kept)
                for row, kept in planned
            ),
            drafted,
            None,
        )

    def _in_step(self, rows: Iterator[InputLine]) -> Iterator[PlannedRow]:
        """Yield rows that are where they were, with their lines; a row that was mended has none."""
        old = self._output.rows()
        for row in rows:
            kept = next(old, None)
            yield row, kept if kept is not None and kept.entry.key == row_key(row) else None

    def _is_in_order(self, rows: Iterator[InputLine]) -> bool:
        """Return whether every finished row is where it was; rows that failed may have been mended."""
        return all(
            row is not None and (entry.outcome is Outcome.FAILED or row_key(row) == entry.key)
            for entry, row in zip(
                self._output.entries(), itertools.chain(rows, itertools.repeat(None)), strict=False
            )
        )

    def _by_key(self, rows: Callable[[], Iterator[InputLine]]) -> Iterator[PlannedRow]:
        """Return the rows in their new order; this keeps the places of all lines in memory."""
        places: dict[str, list[_Place]] = {}
        offset = beside = 0
        for number, kept in enumerate(self._output.rows(), start=1):
            place = _Place(number, kept.entry, offset, len(kept.line), beside, len(kept.beside))
            places.setdefault(kept.entry.key, []).append(place)
            offset, beside = offset + len(kept.line), beside + len(kept.beside)
        unseen = {key: list(found) for key, found in places.items()}
        for row in rows():
            if unseen.get(key := row_key(row)):
                unseen[key].pop()
        left = [place for found in unseen.values() for place in found]
        lost = [place.number for place in left if place.entry.outcome is not Outcome.FAILED]
        if lost:
            raise DataError(self._changed(min(lost), len(lost)))
        return self._placed(rows(), places)

    def _placed(self, rows: Iterator[InputLine], places: dict[str, list[_Place]]) -> Iterator[PlannedRow]:
        with ExitStack() as files:
            lines = files.enter_context(self._output.lines.open("rb"))
            beside = (
                None if self._output.beside is None else files.enter_context(self._output.beside.open("rb"))
            )
            for row in rows:
                found = places.get(row_key(row))
                yield row, found.pop(0).read(lines, beside) if found else None

    def _changed(self, number: int, count: int = 1) -> str:
        line = f"line {number} of {self.name}"
        rows = f"the row of {line} is" if count == 1 else f"{count} rows, the first of them on {line}, are"
        return (
            f"{rows} no longer in the input, or changed since the text was written. "
            f"Give the same rows, or {START_OVER}"
        )

    # -- writing --------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Prepare to write; from here on, older texts that --fresh gives up are gone."""
        self._begun = True
        with _named(self.name):
            if self._fresh:
                for files in (self._draft, self._output):
                    files.clear()
            if not self.counts.rows and self._written is self._output:
                write_manifest(self.folder / MANIFEST, self._manifest)
        self._written.open(self._closing)

    def add(
        self, row: InputLine, line: bytes, outcome: Outcome, *, forced: bool = False, beside: bytes = b""
    ) -> None:
        """Write a row: its line, without the end, and its line in the second file, with the end."""
        self._written.append(Entry(row_key(row), line_check(line), outcome, forced), line, beside)
        self.changed = True

    def keep(self, kept: KeptRow) -> None:
        """Write a row as it was."""
        self._written.append(kept.entry, kept.line.removesuffix(b"\n"), kept.beside)

    def finish(self) -> None:
        """Say that every row is written."""
        self._written.flush()
        self._closing.close()
        if self._written is self._draft:
            (self.folder / _COMMIT).touch()
            flush(self.folder)
            self._commit()
            self.changed = True

    def _commit(self) -> None:
        """Put a whole draft in the place of the output; go on where a process stopped doing so."""
        if not (self.folder / _COMMIT).exists():
            return
        with _named(self.name):
            for draft, path in zip(self._draft.paths, self._output.paths, strict=True):
                if draft.exists():
                    draft.replace(path)
            (self.folder / _COMMIT).unlink()


class ResumableParquet(ResumableOutput):
    """A Parquet file, which cannot grow: its lines wait in the run's folder, and become the file at the end.

    They stay there, so that a later process can add rows or try failed ones again.
    """

    def __init__(
        self, path: Path, manifest: Mapping[str, Any], *, given: Sequence[str] = (), **options: Any
    ) -> None:
        """Prepare as for lines.

        given    the Parquet files that all rows come from: their columns stay as they are
        options  those of `ResumableOutput`
        """
        self._given = given
        super().__init__(path, manifest, **options)

    def _lines(self) -> Path:
        return self.folder / "rows.jsonl"

    def _seen_by_user(self) -> tuple[Path, ...]:
        return ()

    def _require_empty(self) -> None:
        if self.path.exists():
            raise DataError(f"{self.path} exists, and nothing says which run wrote it; {START_OVER}")

    def finish(self) -> None:
        super().finish()
        if not self.changed and self.path.exists():
            return
        from neurologic.batches.parquet_files import write_lines_as_parquet

        draft = self.folder / "table"
        with _named(self.name):
            with draft.open("wb") as file:
                write_lines_as_parquet(str(self._output.lines), file, self._given)
            flush(draft)
            draft.replace(self.path)


@dataclass(frozen=True)
class _Place:
    """Where the lines of a row are: its number, its entry, and the first bytes of its lines."""

    number: int
    entry: Entry
    offset: int
    length: int
    beside_offset: int
    beside_length: int

    def read(self, lines: IO[bytes], beside: IO[bytes] | None) -> KeptRow:
        lines.seek(self.offset)
        line, other = lines.read(self.length), b""
        if beside is not None:
            beside.seek(self.beside_offset)
            other = beside.read(self.beside_length)
        return KeptRow(self.entry, line, other)


def _first_difference(rows: Iterator[InputLine], entries: Iterator[Entry]) -> int | None:
    """Read as many rows as there are entries; return the number of the first that is another row."""
    for number, entry in enumerate(entries, start=1):
        row = next(rows, None)
        if row is None or row_key(row) != entry.key:
            return number
    return None


def _has_lines(path: Path, count: int) -> bool:
    with path.open("rb") as file:
        return all(file.readline().endswith(b"\n") for _ in range(count))


@contextlib.contextmanager
def _named(path: Path | str) -> Iterator[None]:
    """Let an error of the system name the file."""
    try:
        yield
    except OSError as error:
        raise DataError(f"cannot write {path}: {system_reason(error)}") from error
