"""Files of lines and standard output, as the commands write them.

Each written line reaches the system immediately, so that a killed process loses no result.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from neurologic.batches.lines import InputLine, json_text, refused
from neurologic.batches.sources import STANDARD
from neurologic.cli.messages import CommandError, for_terminal, say_warning
from neurologic.errors import system_reason
from neurologic.storage import append_text


def print_json(value: Any) -> None:
    """Print one JSON document to standard output."""
    print(json_text(value, encoding=standard_encoding(), indent=2))


def doubted(line: InputLine, *, strict: bool) -> InputLine:
    """Warn of what is doubtful in a line or, if `strict`, make it an error."""
    if strict:
        return refused(line)
    if line.error is None:
        for doubt in line.doubts:
            say_warning(f"{line.name}: {doubt}")
    return line


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

    def begin(self, *, keep: bool = False) -> None:
        """Prepare to write; from here on, an older file is gone unless `keep` has it continue."""
        self._begun = True
        if not keep and self._file is not None and stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
            self._file.truncate(0)

    def write(self, text: str) -> int:
        if self._file is None:
            sys.stdout.write(for_terminal(text))
            sys.stdout.flush()
            return len(text)
        try:
            append_text(self._file, text)
        except OSError as error:
            raise CommandError(f"cannot write {self.path}: {system_reason(error)}") from error
        return len(text)

    @property
    def encoding(self) -> str:
        return "utf-8" if self._file is not None else standard_encoding()

    def write_line(self, fields: Mapping[str, Any], indent: int | None = None) -> None:
        """Write an object on one line, or on several if there is an indent."""
        self.write(json_text(fields, encoding=self.encoding, indent=indent) + "\n")

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


def require_different_files(paths: Mapping[str, str | Sequence[str] | None]) -> None:
    """Raise if two options name the same file; keys are the options, of which some take several files."""
    seen: dict[tuple[int, int] | str, str] = {}
    each = (
        (option, path)
        for option, given in paths.items()
        for path in ([given] if given is None or isinstance(given, str) else given)
    )
    for option, path in each:
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


def is_special(path: str) -> bool:
    """Return whether a path exists and is neither a file nor a folder: a device or a pipe."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)
