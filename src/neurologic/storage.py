"""Files that survive the end of a process: whole files, files of lines, and locks between processes.

A process may end at any moment. `write_whole` then leaves the old file or the new one, a file of lines loses
at most the line that was being written, and the system frees a `lock`.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from neurologic.errors import NeurologicError

_BLOCK = 1 << 16

LOCK = ".lock"  # the lock file of a folder


class LockedError(NeurologicError, RuntimeError):
    """Another process holds a lock."""


@contextlib.contextmanager
def lock(path: Path, *, wait: bool) -> Iterator[None]:
    """Hold a lock file; raise `LockedError` if another process holds it and `wait` is false.

    The system frees the lock when the process ends. Where a file system has no locks, continue without one.
    """
    from filelock import FileLock, Timeout  # 0.1 s to import, and few commands lock anything

    held = FileLock(path)
    try:
        held.acquire(blocking=wait)
    except Timeout:
        raise LockedError(f"another process holds the lock {path}") from None
    except OSError:
        pass
    try:
        yield
    finally:
        if held.is_locked:
            # Removing a held file is safe: a process that waits for it notices, and makes a new one.
            with contextlib.suppress(OSError):
                path.unlink()
            held.release()


def write_whole(path: Path, content: str | bytes) -> None:
    """Replace a file at once: a reader finds the old content or the new one, whatever ends the process."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    data = content if isinstance(content, bytes) else content.encode(errors="replace")
    try:
        with draft.open("xb") as file:
            file.write(data)
        flush(draft)
        draft.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def flush(path: Path) -> None:
    """Have the system write a file, or the entries of a folder, to the disk."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return  # some systems do not open folders
    try:
        os.fsync(descriptor)
    except OSError:
        pass  # nor flush them
    finally:
        os.close(descriptor)


def append_line(file: IO[bytes], line: str) -> None:
    """Append a line to a file opened without a buffer, so that the system has all of it on return."""
    append_text(file, f"{line}\n")


def append_text(file: IO[bytes], text: str) -> None:
    """Append text to a file opened without a buffer, so that the system has all of it on return."""
    append_bytes(file, text.encode())


def append_bytes(file: IO[bytes], data: bytes) -> None:
    """Append bytes to a file opened without a buffer, so that the system has all of them on return."""
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]


def whole_lines(path: Path) -> list[bytes]:
    r"""Return the lines of a file, without a torn last line: only "\n" ends a line."""
    return path.read_bytes().split(b"\n")[:-1]


def drop_torn_line(path: Path) -> None:
    """Cut off what follows the last end of a line, so that appending begins a line."""
    with path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        while end:  # in blocks from the end: the file may be larger than the memory
            start = max(0, end - _BLOCK)
            file.seek(start)
            whole = file.read(end - start).rfind(b"\n") + 1
            if whole:
                file.truncate(start + whole)
                return
            end = start
        file.truncate(0)
