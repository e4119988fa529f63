"""The folder of an output: whole parts, each row in one of them, and one manifest.

A part is written under a temporary name and renamed when it is whole, so that one that is there counts. Its
name follows from its rows: whoever writes the same block again, after a crash or beside a worker that was
taken for dead, replaces a part by an equal one. `run.json` says what decides the texts, and `manifest.json`
lists the parts of a finished run. Any file system that fsspec knows will do; only a local one has a lock.
"""

from __future__ import annotations

import contextlib
import io
import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

from neurologic.batches.lines import RESULT_FIELDS, json_text
from neurologic.batches.row_ledger import short_hash
from neurologic.batches.run_manifest import (
    MANIFEST,
    digest,
    manifest_from,
    manifest_text,
    only_writer,
    require_same_run,
)
from neurologic.batches.sources import PARQUET
from neurologic.errors import DataError
from neurologic.storage import flush

ROW, RUN = "neurologic_row", "neurologic_run"  # columns: the mark of a row, the fingerprint of its run
JSON_LINES = ".jsonl"
_LIST = "manifest.json"
_PART, _TEMPORARY = "part-", ".part-"
_START_OVER = "give --fresh to start over, or choose another folder"


@dataclass(frozen=True)
class PartCounts:
    """A part, and how its rows ended."""

    name: str
    rows: int
    satisfied: int
    failed: int
    forced: int

    @classmethod
    def of(cls, name: str, rows: Sequence[Mapping[str, Any]]) -> PartCounts:
        return cls(
            name,
            len(rows),
            sum(bool(row.get("satisfied")) for row in rows),
            sum(row.get("error") is not None for row in rows),
            sum(bool(row.get("forced")) for row in rows),
        )


class PartFolder:
    """A folder of parts; `suffix` is .parquet or .jsonl. It can be sent to workers."""

    def __init__(self, path: str, suffix: str) -> None:
        self.path = path.rstrip("/")
        self.suffix = suffix
        self._system, self._root = fsspec.core.url_to_fs(self.path)

    # -- the run --------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def claimed(self, manifest: Mapping[str, Any], *, fresh: bool) -> Iterator[None]:
        """Make the folder this run's own, and hold its lock; refuse the folder of another run."""
        self._system.makedirs(self._root, exist_ok=True)
        with contextlib.ExitStack() as held:
            if self._is_local:
                held.enter_context(only_writer(Path(self._root), self.path))
            self._require_own(manifest, fresh=fresh)
            self.remove("attempts")
            yield

    def begin(self, manifest: Mapping[str, Any], *, fresh: bool) -> None:
        """Prepare to write parts; from here on, those that `fresh` gives up are gone."""
        self.reopen()
        for name in self._names():
            if fresh and name.startswith((_PART, _TEMPORARY)):
                self.remove(name)
        self._write(MANIFEST, manifest_text(manifest).encode())

    def reopen(self) -> None:
        """Remove the list of the last finished run, which is no longer true."""
        self.remove(_LIST)

    @property
    def _is_local(self) -> bool:
        return isinstance(self._system, LocalFileSystem)

    def _require_own(self, manifest: Mapping[str, Any], *, fresh: bool) -> None:
        names = [name for name in self._names() if not name.startswith(".") and name != _LIST]
        parts = [name for name in names if name.startswith(_PART)]
        if MANIFEST in names:
            if parts and not fresh:
                before = manifest_from(self._system.cat_file(self._at(MANIFEST)).decode())
                require_same_run(before, manifest, self.path, _START_OVER)
        elif others := [name for name in names if name not in parts or not fresh]:
            raise DataError(
                f"{self.path} is not empty ({others[0]}), and nothing says which run wrote it; {_START_OVER}"
            )

    # -- parts ----------------------------------------------------------------------------------------

    def parts(self) -> list[str]:
        """Return the names of all parts, whole as they are."""
        names = (name for name in self._names() if name.startswith(_PART))
        return sorted(name for name in names if name.endswith(self.suffix))

    def part_name(self, marks: Sequence[str]) -> str:
        """Return the name of the part with these rows."""
        return f"{_PART}{short_hash(*sorted(marks))}{self.suffix}"

    def write_part(self, name: str, content: bytes) -> None:
        """Write a part, whole or not at all."""
        self._write(name, content)

    def read_part(self, name: str) -> list[dict[str, Any]]:
        """Return the rows of a part with what says how they ended: mark, verdict, forced tokens, error."""
        try:
            return self._ends(name)
        except (KeyError, ValueError) as error:  # pyarrow's errors are of these kinds too
            raise DataError(
                f"{self.path}/{name} is damaged ({error}); remove it to have it written again"
            ) from error

    def _ends(self, name: str) -> list[dict[str, Any]]:
        names = [ROW, "satisfied", "forced", "error"]
        with self._system.open(self._at(name), "rb") as file:
            if self.suffix == PARQUET:
                from pyarrow import parquet

                rows: list[dict[str, Any]] = parquet.ParquetFile(file).read(columns=names).to_pylist()
                return rows
            return [
                {name: row[name] if name == ROW else row.get(name) for name in names}
                for row in map(json.loads, file)
            ]

    def without_errors(self, name: str) -> None:
        """Write a part again without the rows that failed; remove it if none is left."""
        content = self._system.cat_file(self._at(name))
        if self.suffix == PARQUET:
            from pyarrow import compute, parquet

            table = parquet.read_table(io.BytesIO(content))
            kept = table.filter(compute.is_null(table["error"]))
            count, content = kept.num_rows, parquet_bytes(kept)
        else:
            lines = [line for line in content.splitlines() if json.loads(line).get("error") is None]
            count, content = len(lines), b"".join(line + b"\n" for line in lines)
        if count:
            self._write(name, content)
        else:
            self.remove(name)

    def finish(self, manifest: Mapping[str, Any], parts: Sequence[PartCounts]) -> None:
        """Write the list of parts; remove what killed workers left behind."""
        known = {part.name for part in parts}
        for name in self._names():
            if name.startswith(_TEMPORARY) or (name.startswith(_PART) and name not in known):
                self.remove(name)
        self.remove("attempts")
        document = {
            "fingerprint": digest(manifest),
            "rows": sum(part.rows for part in parts),
            "parts": [asdict(part) for part in sorted(parts, key=lambda part: part.name)],
        }
        self._write(_LIST, f"{json_text(document, indent=1)}\n".encode())

    # -- files ----------------------------------------------------------------------------------------

    def exists(self, name: str) -> bool:
        return bool(self._system.exists(self._at(name)))

    def files_in(self, folder: str) -> list[str]:
        """Return the names of the files in a folder of this one; none if there is no such folder."""
        with contextlib.suppress(FileNotFoundError):
            return [path.rpartition("/")[2] for path in self._system.ls(self._at(folder), detail=False)]
        return []

    def touch(self, folder: str, name: str) -> None:
        """Make an empty file in a folder of this one."""
        self._system.makedirs(self._at(folder), exist_ok=True)
        self._system.pipe_file(f"{self._at(folder)}/{name}", b"")

    def remove(self, name: str) -> None:
        """Remove a file or folder, if it is there."""
        with contextlib.suppress(FileNotFoundError):
            self._system.rm(self._at(name), recursive=True)

    def _names(self) -> list[str]:
        self._system.invalidate_cache()
        return [path.rpartition("/")[2] for path in self._system.ls(self._root, detail=False)]

    def _at(self, name: str) -> str:
        return f"{self._root}/{name}"

    def _write(self, name: str, content: bytes) -> None:
        draft = self._at(f"{_TEMPORARY}{secrets.token_hex(8)}")
        self._system.pipe_file(draft, content)
        if self._is_local:
            flush(Path(draft))
        self._system.mv(draft, self._at(name))


def parquet_bytes(table: Any) -> bytes:
    """Return a table as the content of a Parquet file."""
    from pyarrow import parquet

    buffer = io.BytesIO()
    parquet.write_table(table, buffer)
    return buffer.getvalue()


def line_bytes(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return rows as the content of a file of JSON lines."""
    return "".join(f"{json_text(row)}\n" for row in rows).encode()


assert not {ROW, RUN} & {*RESULT_FIELDS}
