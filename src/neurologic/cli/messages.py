"""How a command ends: its exit code, and what is said on standard error when something goes wrong.

A user reads one message that says what to change, never a traceback, unless `--debug` asks for it.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import os
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence

from neurologic.errors import NeurologicError, UnsatisfiedWarning

SATISFIED = 0
UNMET = 1
BAD_INPUT = 2
INTERRUPTED = 130  # 128 + SIGINT, as shells have it
BROKEN_PIPE = 141  # 128 + SIGPIPE


class CommandError(Exception):
    """Bad usage or bad input, noticed by the command line itself."""


def run_safely(arguments: argparse.Namespace) -> int:
    """Run the chosen command; whatever it raises becomes a message and an exit code."""
    if sys.stdout is None:  # closed by the caller: `neurologic … >&-`
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (lives as long as the process)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Where the terminal's encoding lacks a character, its number is better than an error.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            code: int = arguments.run(arguments)
            sys.stdout.flush()
        except BrokenPipeError:
            _abandon_standard_output()  # the reader, such as `head`, has seen enough
            return BROKEN_PIPE
        return code
    except KeyboardInterrupt as interrupt:
        _say(f"neurologic: {str(interrupt) or 'interrupted'}")
        return INTERRUPTED
    except Exception as error:
        if arguments.debug:
            traceback.print_exc()
        say_error(_told(error))
        return BAD_INPUT


def say_error(message: str) -> None:
    _say(f"neurologic: error: {message}")


def say_warning(message: str) -> None:
    _say(f"warning: {message}")


def say_warnings(caught: Sequence[warnings.WarningMessage], where: str = "") -> None:
    """One line per warning of the library, with how often it came."""
    for message, times in Counter(" ".join(str(one.message).split()) for one in caught).items():
        say_warning(where + message + (f" ({times} times)" if times > 1 else ""))


@contextlib.contextmanager
def collected_warnings() -> Iterator[None]:
    """Tell in the end what the library has warned of on the way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UnsatisfiedWarning)
        try:
            yield
        finally:
            say_warnings(caught)


def system_reason(error: OSError) -> str:
    """Why the system refused, in its words and without the number."""
    return error.strerror or str(error)


def _say(message: str) -> None:
    with contextlib.suppress(OSError):
        print(message, file=sys.stderr, flush=True)


def _told(error: Exception) -> str:
    if isinstance(error, (CommandError, NeurologicError)):
        return str(error)
    return _of_system(error) if isinstance(error, OSError) else _unexpected(error)


def _of_system(error: OSError) -> str:
    if error.filename is not None:
        return f"{error.filename}: {system_reason(error)}"
    if error.errno in (errno.ENOSPC, errno.EIO, errno.EBADF):
        _abandon_standard_output()  # files of ours name themselves; this came from `print`
        return f"cannot write to standard output: {system_reason(error)}"
    return system_reason(error)


def _unexpected(error: Exception) -> str:
    told = f"{type(error).__name__}: {error}".strip().rstrip(":")
    if isinstance(error, MemoryError) or "out of memory" in told.lower():
        return f"out of memory; try a smaller --batch-size or --num-beams ({told.splitlines()[0]})"
    return f"{told}\nThis is unexpected; run it again with --debug and report what it shows"


def _abandon_standard_output() -> None:
    """Send what is still buffered nowhere, so that Python does not stumble over it at exit."""
    with contextlib.suppress(OSError, ValueError):  # ValueError: a stand-in without a file behind it
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
