"""Messages on standard error, and exit codes.

A user reads one message that says what to change; only `--debug` shows a traceback.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import logging
import os
import re
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence

from neurologic.errors import NeurologicError, UnsatisfiedWarning, system_reason

SATISFIED = 0
UNMET = 1
BAD_INPUT = 2
INTERRUPTED = 130  # 128 + SIGINT, as shells have it
BROKEN_PIPE = 141  # 128 + SIGPIPE


class CommandError(Exception):
    """Bad usage or bad input that the command line itself notices."""


def run_safely(arguments: argparse.Namespace) -> int:
    """Run the chosen command and return its exit code; turn whatever it raises into a message."""
    if sys.stdout is None:  # closed by the caller: `neurologic … >&-`
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (lives as long as the process)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Where the terminal's encoding lacks a character, its number is better than an error.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            with _log_shown(arguments.verbose):
                code: int = arguments.run(arguments)
            sys.stdout.flush()
        except BrokenPipeError:
            _abandon_standard_output()  # the reader, such as `head`, has seen enough
            return BROKEN_PIPE
        return code
    except KeyboardInterrupt as interrupt:
        say(f"neurologic: {str(interrupt) or 'interrupted'}")
        return INTERRUPTED
    except Exception as error:
        if arguments.debug:
            traceback.print_exc()
        say_error(_explanation(error))
        return BAD_INPUT


def say_error(message: str) -> None:
    say(f"neurologic: error: {message}")


def say_warning(message: str) -> None:
    say(f"warning: {message}")


def say_warnings(caught: Sequence[warnings.WarningMessage], where: str = "") -> None:
    """Say each warning of the library once, with how often it came."""
    for message, times in Counter(" ".join(str(one.message).split()) for one in caught).items():
        say_warning(where + message + (f" ({times} times)" if times > 1 else ""))


@contextlib.contextmanager
def collected_warnings() -> Iterator[None]:
    """Collect the library's warnings, and say them at the end."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UnsatisfiedWarning)
        try:
            yield
        finally:
            say_warnings(caught)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "line"), counted(3, "line")
    ('1 line', '3 lines')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@contextlib.contextmanager
def _log_shown(verbose: bool) -> Iterator[None]:
    """Show the library's log on standard error if the user wants it."""
    logger = logging.getLogger("neurologic")
    level, handler = logger.level, logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s: %(message)s", "%H:%M:%S"))
    if verbose:
        logger.setLevel(logging.INFO)
        logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def say(message: str) -> None:
    """Print a message to standard error, unless it is closed."""
    with contextlib.suppress(OSError):
        print(harmless(message), file=sys.stderr, flush=True)


# Everything that a terminal may take for a command, but line ends and tabs.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def harmless(text: str) -> str:
    r"""Return a text with its control characters written out, so that no terminal obeys them.

    >>> print(harmless("red: \x1b[31m"))
    red: \x1b[31m
    """
    return _CONTROLS.sub(lambda found: f"\\x{ord(found.group()):02x}", text)


def for_terminal(text: str) -> str:
    """Return a text as it may go to standard output: as it is, unless that is a terminal."""
    return harmless(text) if sys.stdout.isatty() else text


def _explanation(error: Exception) -> str:
    if isinstance(error, (CommandError, NeurologicError)):
        return str(error)
    return _system_error(error) if isinstance(error, OSError) else _unexpected_error(error)


def _system_error(error: OSError) -> str:
    if error.filename is not None:
        return f"{error.filename}: {system_reason(error)}"
    if error.errno in (errno.ENOSPC, errno.EIO, errno.EBADF):
        _abandon_standard_output()  # files of ours name themselves; this came from `print`
        return f"cannot write to standard output: {system_reason(error)}"
    return system_reason(error)


def _unexpected_error(error: Exception) -> str:
    message = f"{type(error).__name__}: {error}".strip().rstrip(":")
    if isinstance(error, MemoryError) or "out of memory" in message.lower():
        return f"out of memory; try a smaller --batch-size or --num-beams ({message.splitlines()[0]})"
    return f"{message}\nThis is unexpected; run it again with --debug and report what it shows"


def _abandon_standard_output() -> None:
    """Discard what is still buffered, so that Python does not stumble over it at exit."""
    with contextlib.suppress(OSError, ValueError):  # ValueError: a stand-in without a file behind it
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
