"""The ledger of an output: one short entry per row that is written, in the order of the rows.

An entry says which row it was, what its line in the output sums up to, and how it ended. So the next process
knows without parsing a text which rows are done, which failed, and whether somebody changed the output. All
entries have the same width; a torn last one is easy to see.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from neurologic.batches.lines import InputLine
from neurologic.errors import DataError
from neurologic.generation.result import Result

WIDTH = 29  # bytes of an entry: key, space, sum, space, outcome, forced, end of line
_KEY_BYTES = 12  # 96 bits: among 10^9 rows, two share a key with a chance of 10^-11


class Outcome(StrEnum):
    """How a row ended."""

    SATISFIED = "s"
    UNMET = "u"
    FAILED = "f"
    BLANK = "b"


def outcome_of(result: Result) -> Outcome:
    """Return how a row with this result ended."""
    if result.error is not None:
        return Outcome.FAILED
    return Outcome.SATISFIED if result.satisfied else Outcome.UNMET


@dataclass(frozen=True)
class Entry:
    """A row that is written.

    key     identifies the row (see `row_key`)
    check   sums up its line in the output
    forced  whether its text has forced tokens
    """

    key: str
    check: str
    outcome: Outcome
    forced: bool = False

    def to_line(self) -> str:
        return f"{self.key} {self.check} {self.outcome}{'+' if self.forced else '.'}"

    @classmethod
    def from_line(cls, line: bytes) -> Entry | None:
        """Read an entry; None for one that is torn. Raise ValueError for anything else."""
        if len(line) < WIDTH or not line.endswith(b"\n"):
            return None
        key, check, end = line.decode("ascii").split()
        return cls(key, check, Outcome(end[0]), end[1:] == "+")


@dataclass(frozen=True)
class KeptRow:
    """A row as an earlier process wrote it; `beside` is its line in a second file, b"" if it has none."""

    entry: Entry
    line: bytes
    beside: bytes = b""


class Counts:
    """How many rows ended how."""

    def __init__(self) -> None:
        self._outcomes: Counter[Outcome] = Counter()
        self.forced = 0

    def add(self, outcome: Outcome, forced: bool) -> None:
        self._outcomes[outcome] += 1
        self.forced += forced

    def add_many(self, outcomes: Mapping[Outcome, int], forced: int) -> None:
        self._outcomes.update(outcomes)
        self.forced += forced

    def __getitem__(self, outcome: Outcome) -> int:
        return self._outcomes[outcome]

    @property
    def rows(self) -> int:
        """All rows, blank ones included."""
        return self._outcomes.total()


def row_key(line: InputLine) -> str:
    """Return what a row is known by: its content, with its `id` or else its place among the rows."""
    identity = row_identity(line.fields)
    return short_hash(json.dumps(["place", line.place] if identity is None else identity), line.data)


def row_identity(fields: Any) -> list[Any] | None:
    """Return the id of a row in a form that hashes well; None if it has none."""
    found = fields.get("id")
    is_known = isinstance(found, (str, int)) and not isinstance(found, bool)
    return ["id", found] if is_known else None


def short_hash(*parts: str | bytes) -> str:
    """Return sixteen letters and digits that depend on all parts and on where each one ends."""
    digest = hashlib.blake2b(digest_size=_KEY_BYTES)
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode(errors="surrogatepass")
        digest.update(len(data).to_bytes(8))
        digest.update(data)
    return base64.urlsafe_b64encode(digest.digest()).decode()


def line_check(line: bytes) -> str:
    """Return eight digits that sum up a line without its end."""
    return f"{zlib.crc32(line):08x}"


def read_entry(line: bytes, name: object) -> Entry | None:
    """Read an entry of the ledger called `name`; None for one that is torn."""
    try:
        return Entry.from_line(line)
    except ValueError as error:
        raise DataError(f"{name} is not a ledger of rows: {error}; give --fresh to start over") from error
