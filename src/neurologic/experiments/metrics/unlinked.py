"""Unlinked words: how many words of a text link-grammar cannot link, as a mean over the texts.

Link Grammar (Sleator and Temperley, 1991) joins the words of an English sentence by typed links, from a
dictionary and without any statistics. Its program `link-parser` (Debian: link-grammar and
link-grammar-dictionaries-en) reports how many words the best linkage of a sentence leaves out. So it judges
syntax alone, and shares nothing with the model that wrote the text. Without the program the metric is n/a.

Limits: English only. Punctuation counts as words, fragments such as headlines and closings cost a word or
two in good texts as well, and long texts have more words to leave out. Compare systems on the same inputs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from neurologic.experiments.metrics.base import Corpus, Goal, Numbers
from neurologic.experiments.metrics.kept_scores import KeptScores, Verdict
from neurologic.experiments.metrics.optional_packages import UnavailableError

# The program refuses lines beyond 2,046 bytes and sentences beyond 254 words, and takes long well before.
MOST_WORDS, MOST_BYTES = 100, 1500
_SECONDS = 10  # per sentence; then the program looks for any linkage, and at last gives up
_SENTENCES = 32  # per process
_GRACE = 60.0  # seconds per process on top, to read the dictionary

_END = re.compile(r"(?<=[.!?…。！？])[\"'”’)\]]*\s+|\n")
_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|vs|e\.g|i\.e|a\.m|p\.m)\.$", re.IGNORECASE)
_UNUSED = re.compile(r"cost vector = \(UNUSED=(\d+)")
_COMMANDS = b"!%"  # the program takes a line that begins so for a command or a comment
_MARKER = "!verbosity=1"  # a command that answers with a line of its own, as a mark between sentences
_MARKED = "verbosity set to 1"


@dataclass(frozen=True)
class Unlinked:
    """Unlinked words with rows (words, 1); lower is better."""

    name: ClassVar[str] = "unlinked"
    title: ClassVar[str] = "Unlinked"
    goal: ClassVar[Goal] = Goal.LOW
    digits: ClassVar[int] = 2
    unit: ClassVar[str] = "unlinked words per text"

    def statistics(self, texts: Corpus) -> Numbers:
        pieces = [sentences(output) for output in texts.outputs]
        flat = [sentence for several in pieces for sentence in several]
        counts = iter(KeptScores(f"unlinked|{self.settings()}").of(flat, _counted))
        return np.array([(sum(next(counts)[0] for _ in several), 1.0) for several in pieces])

    def value(self, totals: Numbers) -> float:
        return float(totals[0] / totals[1])

    def value_of_one(self, row: Numbers) -> float:
        return self.value(row)

    def settings(self) -> str:
        return f"parser:{_version(_program())}|dictionary:en|seconds:{_SECONDS}|words:{MOST_WORDS}"


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


def _counted(lines: list[str]) -> Iterator[tuple[str, Verdict]]:
    """Yield every sentence with the number of its unlinked words."""
    program = _program()
    for start in range(0, len(lines), _SENTENCES):
        some = lines[start : start + _SENTENCES]
        for line, answer in zip(some, _answers(program, some), strict=True):
            unused = _UNUSED.search(answer)
            # No linkage at all, not even one that leaves words out.
            yield line, (float(len(line.split()) if unused is None else unused[1]),)


def _answers(program: str, lines: Sequence[str]) -> list[str]:
    """Return what the program says about each sentence."""
    typed = "".join(f"{line}\n{_MARKER}\n" for line in lines)
    said = _run(program, ["en", "-graphics=0", "-spell=0", f"-timeout={_SECONDS}"], typed, len(lines))
    answers = said.split(_MARKED)[:-1]
    if len(answers) != len(lines):
        raise UnavailableError(
            f"{program} answered {len(answers)} of {len(lines)} sentences; is its English dictionary there "
            "(Debian: link-grammar-dictionaries-en)?"
        )
    return answers


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
