"""Reading and writing lines of JSON.

A line that cannot be read is an entry with an error, never the end of the run. A line that was written is
with the system at once, so that a killed process loses nothing that was done.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self

from neurologic.cli.messages import CommandError, system_reason
from neurologic.errors import FormulaError, NeurologicError
from neurologic.logic import Formula, all_of, from_json, parse
from neurologic.storage import write_all

# Allowed inside a JSON string, but taken for the end of a line by Python's splitlines and by some editors.
_OTHER_LINE_ENDS = "\x85\u2028\u2029"

STANDARD = "-"  # standard input or output

# What `generate` adds to a line. A line that comes in with some of it is an earlier output.
RESULT_FIELDS = (
    "text",
    "score",
    "satisfied",
    "unmet",
    "clauses",
    "forced",
    "others",
    "before",
    "reduced",
    "glossary",
    "error",
)


class LineError(NeurologicError):
    """A line that is not a JSON object, or lacks what the command needs."""


@dataclass(frozen=True)
class InputLine:
    """One line of input: its number in the file, counted from 1, and its fields or what is wrong with it."""

    number: int
    fields: Mapping[str, Any] = field(default_factory=dict)
    error: NeurologicError | None = None

    @property
    def name(self) -> str:
        """How messages call the line."""
        identity = self.fields.get("id")
        known = isinstance(identity, (str, int)) and not isinstance(identity, bool)
        return f"line {self.number}" + (f" (id {identity})" if known else "")


def read_lines(path: str) -> list[InputLine]:
    """All lines of a file or of standard input that are not blank."""
    return [json_line(number, line) for number, line in enumerate(split_lines(path), start=1) if line.strip()]


def split_lines(path: str) -> list[bytes]:
    """The lines of a file or of standard input as they are, without what ends them."""
    if path == STANDARD and sys.stdin is None:
        raise CommandError("standard input is closed")
    try:
        data = sys.stdin.buffer.read() if path == STANDARD else Path(path).read_bytes()
    except OSError as error:
        raise CommandError(f"cannot read {source_name(path)}: {system_reason(error)}") from error
    # Only "\n" ends a line: Python's splitlines would also cut at characters that JSON allows inside strings.
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return lines if lines[-1] else lines[:-1]


def json_line(number: int, data: bytes) -> InputLine:
    """A line that should be a JSON object."""
    try:
        fields = json.loads(data.decode(), parse_constant=_refuse_constant, parse_float=_finite_float)
    except UnicodeDecodeError as error:
        return InputLine(number, error=LineError(f"not UTF-8: {error.reason} at byte {error.start + 1}"))
    except json.JSONDecodeError as error:
        return InputLine(number, error=LineError(f"not JSON: {error.msg} at column {error.colno}"))
    except (ValueError, RecursionError) as error:  # NaN, thousands of digits or of brackets
        return InputLine(number, error=LineError(f"not JSON: {error}"))
    if not isinstance(fields, dict):
        kind = "a list" if isinstance(fields, list) else f"{json.dumps(fields)[:40]}"
        return InputLine(
            number, error=LineError(f'expected an object, as in {{"prompt": "…"}}, found {kind}')
        )
    return InputLine(number, fields)


def _finite_float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{digits} is too large a number")
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def constraint_of_line(fields: Mapping[str, Any]) -> Formula | None:
    """What a line's `include`, `exclude`, `formula` and `clauses` say together.

    In an output line, `clauses` are reports, which hold the whole constraint as formula text: also what the
    command line of that run added.
    """
    clauses = fields.get("clauses")
    if not (isinstance(clauses, list) and clauses and all(_is_report(clause) for clause in clauses)):
        return from_json(fields)
    formulas: list[Formula] = []
    for index, clause in enumerate(clauses):
        try:
            formulas.append(parse(clause["clause"]))
        except FormulaError as error:
            raise FormulaError(f"clauses[{index}].clause: {error}") from error
    own = from_json({name: value for name, value in fields.items() if name != "clauses"})
    return all_of(*formulas) if own is None else all_of(own, *formulas)


def _is_report(clause: Any) -> bool:
    return isinstance(clause, Mapping) and isinstance(clause.get("clause"), str)


def json_text(value: Any, *, encoding: str = "utf-8", indent: int | None = None) -> str:
    """A value as JSON that `encoding` can write: escaped only where it has to be."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    for character in _OTHER_LINE_ENDS:
        text = text.replace(character, f"\\u{ord(character):04x}")
    try:
        text.encode(encoding)
    except (
        UnicodeEncodeError
    ):  # another encoding than UTF-8, or half a surrogate pair that came in as an escape
        return json.dumps(value, indent=indent)
    return text


class OutputFile:
    """A file of lines, or standard output.

    It is opened at once, to know that it can be written, but emptied only by `begin`: a command that fails
    before it has anything to say leaves an older file as it was.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._begun = False
        self._file = None
        if path != STANDARD:
            self._is_new = not os.path.lexists(path)
            try:
                # Without a buffer: what is written is with the system, and a full disk shows at once.
                self._file = open(path, "ab", buffering=0)  # noqa: SIM115 (closed in __exit__)
            except OSError as error:
                raise CommandError(f"cannot write {path}: {system_reason(error)}") from error

    def begin(self) -> None:
        self._begun = True
        if self._file is not None and stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
            self._file.truncate(0)

    def write(self, text: str) -> int:
        if self._file is None:
            sys.stdout.write(text)
            sys.stdout.flush()
            return len(text)
        try:
            write_all(self._file, text)
        except OSError as error:
            raise CommandError(f"cannot write {self.path}: {system_reason(error)}") from error
        return len(text)

    def write_line(self, fields: Mapping[str, Any]) -> None:
        encoding = "utf-8" if self._file is not None else standard_encoding()
        self.write(json_text(fields, encoding=encoding) + "\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is None:
            return
        self._file.close()
        if self._is_new and not self._begun:
            with contextlib.suppress(OSError):
                os.unlink(self.path)


def require_different_files(paths: Mapping[str, str | None]) -> None:
    """Refuse to read and write, or to write twice, one and the same file; keys are the options."""
    seen: dict[tuple[int, int] | str, str] = {}
    for option, path in paths.items():
        found = None if path is None else _identity(path, reads=option == "-i")
        if found is None:
            continue
        if found in seen:
            raise CommandError(
                f"{seen[found]} and {option} are the same file, {path}; choose another name for one"
            )
        seen[found] = option


def _identity(path: str, *, reads: bool) -> tuple[int, int] | str | None:
    """What two names of a file have in common; where it is not there yet, that is its place."""
    if path == STANDARD and (not reads or sys.stdin is None):
        return None
    try:
        found = os.fstat(sys.stdin.fileno()) if path == STANDARD else os.stat(path)
    except (OSError, ValueError):  # not there yet, or a stand-in without a file behind it
        return None if path == STANDARD else os.path.realpath(path)
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None  # not /dev/null


def standard_encoding() -> str:
    return sys.stdout.encoding or "utf-8"


def source_name(path: str) -> str:
    return "standard input" if path == STANDARD else path
