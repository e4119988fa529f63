"""Files that are there whole or not at all, and folders that one process at a time writes to."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


def write_whole(path: Path, text: str) -> None:
    """Write a file so that there is the old one or the new one, never a part, whatever ends the process."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8", errors="replace")
        flush(draft)
        draft.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def flush(path: Path) -> None:
    """Have the system write a file, or what a folder lists, to the disk."""
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


def locked(file: IO[bytes] | int) -> bool:
    """Lock a file, or what a descriptor stands for; False if another process has done so.

    The lock ends with the file, or with the process in whatever way that goes. Where the system or the file
    system has no locks, it is as if there were no other process.
    """
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True
