"""Where texts go: lines of JSON, lines of text, one JSON document, or something to read.

Whatever is done is written at once. Each kind of output is begun when the model is loaded and ended also when
the run is interrupted, so that a document is closed properly.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Protocol

from neurologic.cli.inputs import Outcome
from neurologic.cli.jsonl import OutputFile, json_text, standard_encoding
from neurologic.cli.messages import say_warning
from neurologic.errors import NeurologicError
from neurologic.generation.result import Result


class ResultWriter(Protocol):
    """Takes outcomes in the order of the inputs."""

    def begin(self) -> None: ...

    def add(self, outcome: Outcome) -> None: ...

    def end(self) -> None: ...


class JsonLinesWriter:
    """One JSON object a line, to a file or to standard output."""

    def __init__(self, file: OutputFile) -> None:
        self._file = file

    def begin(self) -> None:
        self._file.begin()

    def add(self, outcome: Outcome) -> None:
        self._file.write_line(outcome.to_json())

    def end(self) -> None:
        pass


class TextLinesWriter:
    """One text a line, each in the line of its prompt, for programs that compare files line by line.

    A prompt that failed leaves its line blank. Failures, and texts that do not satisfy their formula, had to
    be forced or were cut off, are named on standard error. `report` gets the same outcomes.

    places  the lines of the prompts, from 1; the other ones of `total` stay blank
    """

    def __init__(
        self, file: OutputFile, places: Sequence[int], total: int, report: JsonLinesWriter | None = None
    ) -> None:
        self._file = file
        # How many lines end before the first text, and with each.
        self._line_ends = [after - before for before, after in pairwise([1, *places, total + 1])]
        self._done = 0
        self._report = report

    def begin(self) -> None:
        self._file.begin()
        self._file.write("\n" * self._line_ends[0])
        if self._report is not None:
            self._report.begin()

    def add(self, outcome: Outcome) -> None:
        result = outcome.result
        text = " ".join(result.text.splitlines()) if isinstance(result, Result) else ""
        self._done += 1
        self._file.write(text + "\n" * self._line_ends[self._done])
        if self._report is not None:
            self._report.add(outcome)
        for trouble in _troubles(result):
            say_warning(f"{outcome.task.name}: {trouble}" if outcome.task.name else trouble)

    def end(self) -> None:
        pass


def _troubles(result: Result | NeurologicError) -> Iterator[str]:
    if isinstance(result, NeurologicError):
        yield str(result)
        return
    if not result.satisfied:
        yield f"unmet: {'; '.join(result.unmet)}"
    if result.forced:
        yield f"{result.forced} tokens were forced, which reads badly; try more --num-beams or other forms"
    if result.ending in ("length", "time"):
        yield f"ended by its {result.ending} limit"


class JsonDocumentWriter:
    """One JSON document on standard output: an object for one prompt, else a list that grows."""

    def __init__(self, is_list: bool) -> None:
        self._is_list = is_list
        self._separator = "["

    def begin(self) -> None:
        pass

    def add(self, outcome: Outcome) -> None:
        text = json_text(outcome.to_json(), encoding=standard_encoding(), indent=None if self._is_list else 2)
        sys.stdout.write(f"{self._separator}\n{text}" if self._is_list else f"{text}\n")
        sys.stdout.flush()
        self._separator = ","

    def end(self) -> None:
        if self._is_list:
            sys.stdout.write("[]\n" if self._separator == "[" else "\n]\n")
            sys.stdout.flush()


class ScreenWriter:
    """For people: the text, then its clauses."""

    def __init__(self, several: bool) -> None:
        self._several = several

    def begin(self) -> None:
        pass

    def add(self, outcome: Outcome) -> None:
        from neurologic.cli.tables import print_heading, print_result, print_terms

        if self._several:
            print_heading(outcome.task.index + 1, str(outcome.task.fields["prompt"]))
        if isinstance(outcome.result, Result):
            print_result(outcome.result)
            print_terms(outcome.task.uses or (), outcome.result.text)
        else:
            say_warning(f"{outcome.task.name}: {outcome.result}")
        sys.stdout.flush()

    def end(self) -> None:
        pass


class Tally:
    """Counts outcomes for the exit code and the summary."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self.satisfied = 0
        self.failed = 0

    def add(self, outcome: Outcome) -> None:
        self.done += 1
        self.satisfied += outcome.satisfied
        self.failed += isinstance(outcome.result, NeurologicError)

    def to_json(self) -> dict[str, int]:
        unmet = self.done - self.satisfied - self.failed
        return {"lines": self.done, "satisfied": self.satisfied, "unmet": unmet, "failed": self.failed}

    def __str__(self) -> str:
        counts = self.to_json()
        text = f"{counts['lines']} {'line' if self.done == 1 else 'lines'}: {counts['satisfied']} satisfied"
        text += f", {counts['unmet']} unmet" if counts["unmet"] else ""
        return text + (f", {counts['failed']} failed" if counts["failed"] else "")
