"""Link Grammar's program `link-parser`: sentences in, its answers out.

Link Grammar (Sleator and Temperley, 1991) joins the words of an English sentence by typed links, from a
dictionary and without any statistics. Its program (Debian: link-grammar and link-grammar-dictionaries-en)
reads one sentence per line. This file cuts texts into lines that it takes, and runs it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import lru_cache

from neurologic.experiments.metrics.optional_packages import UnavailableError

# The program refuses lines beyond 2,046 bytes and sentences beyond 254 words, and takes long well before.
MOST_WORDS, MOST_BYTES = 100, 1500
_SECONDS = 10  # per sentence; then the program looks for any linkage, and at last gives up
_SENTENCES = 32  # per process
_GRACE = 60.0  # seconds per process on top, to read the dictionary

_END = re.compile(r"(?<=[.!?…。！？])[\"'”’)\]]*\s+|\n")
_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|vs|e\.g|i\.e|a\.m|p\.m)\.$", re.IGNORECASE)
_COMMANDS = b"!%"  # the program takes a line that begins so for a command or a comment
_MARKER = "!verbosity=1"  # a command that answers with a line of its own, as a mark between sentences
_MARKED = "verbosity set to 1"


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each as a line that the program takes.

    >>> sentences("Ms. Okafor came at 8 p.m. to us. \\"Why?\\"\\n- Nobody knows")
    ['Ms. Okafor came at 8 p.m. to us.', '"Why?"', '- Nobody knows']
    """
    found: list[str] = []
    start = 0
    for end in [*_END.finditer(text), None]:
        piece = text[start : len(text) if end is None else end.end()]
        is_line = end is None or "\n" in end[0]
        if not is_line and _TITLE.search(piece.rstrip()):
            continue
        found += _lines(piece)
        start = len(text) if end is None else end.end()
    return found


def _lines(sentence: str) -> Iterator[str]:
    """Yield a sentence as lines that the program takes for text, several where it is too long for one."""
    line: list[str] = []
    size = 0
    for word in "".join(char if char.isprintable() else " " for char in sentence).split():
        encoded = word.encode(errors="ignore")[:MOST_BYTES]
        if len(line) == MOST_WORDS or size + len(line) + len(encoded) > MOST_BYTES:
            yield " ".join(line)
            line, size = [], 0
        if not line:
            encoded = encoded.lstrip(_COMMANDS)
        if encoded:
            line.append(encoded.decode(errors="ignore"))
            size += len(encoded)
    if any(char.isalnum() for word in line for char in word):
        yield " ".join(line)


def answers(lines: Sequence[str], *options: str) -> Iterator[str]:
    """Yield what the program says about each line, with further options of its own."""
    for start in range(0, len(lines), _SENTENCES):
        yield from _answers(lines[start : start + _SENTENCES], options)


def parser_settings() -> str:
    """Return all that decides an answer besides the line, for signatures."""
    return f"parser:{_version(_program())}|dictionary:en|seconds:{_SECONDS}|words:{MOST_WORDS}"


def _answers(lines: Sequence[str], options: Sequence[str]) -> list[str]:
    program = _program()
    typed = "".join(f"{line}\n{_MARKER}\n" for line in lines)
    said = _run(
        program, ["en", "-graphics=0", "-spell=0", f"-timeout={_SECONDS}", *options], typed, len(lines)
    )
    parts = said.split(_MARKED)[:-1]
    if len(parts) != len(lines):
        raise UnavailableError(
            f"{program} answered {len(parts)} of {len(lines)} sentences; is its English dictionary there "
            "(Debian: link-grammar-dictionaries-en)?"
        )
    return parts


def _run(program: str, arguments: Sequence[str], typed: str, sentences: int) -> str:
    timeout = _GRACE + 3 * _SECONDS * sentences
    try:
        done = subprocess.run(
            [program, *arguments],
            input=typed.encode(),
            capture_output=True,
            timeout=timeout,
            check=False,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )
    except OSError as error:
        raise UnavailableError(f"{program} does not run: {error}") from error
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"{program} did not finish within {timeout:g} seconds") from None
    return done.stdout.decode("utf-8", "replace")


def _program() -> str:
    found = shutil.which("link-parser")
    if found is None:
        raise UnavailableError(
            "link-parser is not installed (Debian: link-grammar and link-grammar-dictionaries-en)"
        )
    return found


@lru_cache(maxsize=4)
def _version(program: str) -> str:
    said = _run(program, ["--version"], "", 0)
    found = re.search(r"link-grammar-(\S+)", said)
    return "unknown" if found is None else found[1]
