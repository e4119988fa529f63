"""Read and write lines of JSON.

A line that cannot be read keeps its error, and the run continues. Each written line reaches the system
immediately, so that a killed process loses no result.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, NoReturn, Self

from neurologic.cli.messages import CommandError, system_reason
from neurologic.errors import FormulaError, NeurologicError
from neurologic.logic import Formula, all_of, from_json, parse
from neurologic.storage import append_text

# JSON allows these inside a string, but Python's splitlines and some editors end a line there.
_OTHER_LINE_ENDS = "\x85\u2028\u2029"

STANDARD = "-"  # standard input or output
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")

# The fields that `generate` adds to a line. An input line that has some of them is an earlier output.
RESULT_FIELDS = (
    "text",
    "score",
    "satisfied",
    "unmet",
    "clauses",
    "forced",
    "marks",
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
    """A line of input: its number in the file, from 1, and its fields or the error in it."""

    number: int
    fields: Mapping[str, Any] = field(default_factory=dict)
    error: NeurologicError | None = None

    @property
    def name(self) -> str:
        """The name of the line in messages."""
        identity = self.fields.get("id")
        known = isinstance(identity, (str, int)) and not isinstance(identity, bool)
        return f"line {self.number}" + (f" (id {identity})" if known else "")


def read_lines(path: str) -> Iterator[InputLine]:
    """Yield the lines of a file or of standard input that are not blank."""
    for number, line in enumerate(split_lines(path), start=1):
        if line.strip():
            yield json_line(number, line)


def split_lines(path: str) -> Iterator[bytes]:
    """Yield the lines of a file or of standard input as they are, without their ends."""
    if path == STANDARD and sys.stdin is None:
        raise CommandError("standard input is closed")
    try:
        # Only "\n" ends a line, as in all binary files: JSON allows other ends inside strings.
        with contextlib.nullcontext(sys.stdin.buffer) if path == STANDARD else open(path, "rb") as file:
            for number, line in enumerate(file):
                if number == 0 and line.startswith(_UTF_16_MARKS):
                    raise CommandError(f"{source_name(path)} is UTF-16; save it as UTF-8")
                data = line.removeprefix(_BYTE_ORDER_MARK) if number == 0 else line
                if data:
                    yield data.removesuffix(b"\n")
    except OSError as error:
        raise CommandError(f"cannot read {source_name(path)}: {system_reason(error)}") from error


def count_lines(path: str, *, blank: bool) -> int | None:
    """Return how many lines a file has, with or without blank ones; None if it can be read only once."""
    if path == STANDARD or not os.path.isfile(path):
        return None
    return sum(1 for line in split_lines(path) if blank or line.strip())


def decode(data: bytes) -> str:
    """Return the text of a line; raise LineError if it is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise LineError(f"not UTF-8: {error.reason} at byte {error.start + 1}") from error


def json_line(number: int, data: bytes) -> InputLine:
    """Read a line that should be a JSON object."""
    try:
        fields = json.loads(decode(data), parse_constant=_refuse_constant, parse_float=_finite_float)
    except LineError as error:
        return InputLine(number, error=error)
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
    """Return the conjunction of a line's `include`, `exclude`, `formula` and `clauses`.

    In an output line, `clauses` are reports. They hold the whole constraint as formula text, with the part
    that the command line of that run added.
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
    """Return a value as JSON that `encoding` can write, with as few escapes as possible."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    for character in _OTHER_LINE_ENDS:
        text = text.replace(character, f"\\u{ord(character):04x}")
    try:
        text.encode(encoding)
    except UnicodeEncodeError:  # not UTF-8, or half a surrogate pair that came in as an escape
        return json.dumps(value, indent=indent)
    return text


def print_json(value: Any) -> None:
    """Print one JSON document to standard output."""
    print(json_text(value, encoding=standard_encoding(), indent=2))


class OutputFile:
    """A file of lines, or standard output.

    Opening it shows that it can be written; only `begin` empties it. So a command that fails before its first
    result leaves an older file as it was.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._begun = False
        self._file = None
        if path != STANDARD:
            self._is_new = not os.path.lexists(path)
            try:
                # Unbuffered: each write reaches the OS, so a full disk raises immediately.
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
            append_text(self._file, text)
        except OSError as error:
            raise CommandError(f"cannot write {self.path}: {system_reason(error)}") from error
        return len(text)

    def write_line(self, fields: Mapping[str, Any], indent: int | None = None) -> None:
        """Write an object on one line, or on several if there is an indent."""
        encoding = "utf-8" if self._file is not None else standard_encoding()
        self.write(json_text(fields, encoding=encoding, indent=indent) + "\n")

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
    """Raise if two options name the same file; keys are the options."""
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
    """Return what all names of a file share: its number, or its place if it does not exist yet."""
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
