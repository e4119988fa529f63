"""Writers of results: as lines of JSON, lines of text, one JSON document, or for people to read.

A writer writes each result at once. It begins when the model is loaded, and also closes when the run is
interrupted, so that a document is always complete.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from neurologic.cli.inputs import PromptInput
from neurologic.cli.jsonl import RESULT_FIELDS, OutputFile, json_text, standard_encoding
from neurologic.cli.messages import counted, say_warning
from neurologic.generation.result import Result


def output_fields(given: PromptInput, result: Result) -> dict[str, Any]:
    """Return the output line of an input: its fields, then those of the result."""
    # An input line may be the output of an earlier run: nothing of that run may stay. A failed line keeps its
    # constraint, which may be in "clauses", for whoever mends it.
    stale = {*RESULT_FIELDS} - ({"clauses"} if result.error is not None else set())
    fields = {name: value for name, value in given.fields.items() if name not in stale}
    fields |= result.to_dict()
    if given.uses is not None and result.error is None:
        fields["glossary"] = [use.to_json(result.text) for use in given.uses]
    return fields


class ResultWriter:
    """Takes results in the order of the inputs."""

    def begin(self) -> None:
        """Prepare to write; from here on, an older file is gone."""

    def add(self, given: PromptInput, result: Result) -> None:
        """Write a result."""
        raise NotImplementedError

    def end(self) -> None:
        """Write what follows the last result."""


class JsonLinesWriter(ResultWriter):
    """One JSON object a line, to a file or to standard output."""

    def __init__(self, file: OutputFile) -> None:
        self._file = file

    def begin(self) -> None:
        self._file.begin()

    def add(self, given: PromptInput, result: Result) -> None:
        self._file.write_line(output_fields(given, result))


class TextLinesWriter(ResultWriter):
    """One text a line, each in the line of its prompt, for programs that compare files line by line.

    A prompt that failed leaves its line blank. Standard error names failures, and texts that leave a clause
    unmet, have forced tokens or were cut off. `report` gets the same results.

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

    def add(self, given: PromptInput, result: Result) -> None:
        self._done += 1
        self._file.write(" ".join(result.text.splitlines()) + "\n" * self._line_ends[self._done])
        if self._report is not None:
            self._report.add(given, result)
        for trouble in _troubles(result):
            say_warning(f"{given.name}: {trouble}" if given.name else trouble)


def _troubles(result: Result) -> Iterator[str]:
    if result.error is not None:
        yield str(result.error)
        return
    if not result.satisfied:
        yield f"unmet: {'; '.join(result.unmet)}"
    if result.forced:
        yield (
            f"{result.forced} tokens were forced, so the text may read badly; "
            "try more --num-beams or other forms"
        )
    if result.ending in ("length", "time"):
        yield f"ended by its {result.ending} limit"


class JsonDocumentWriter(ResultWriter):
    """One JSON document on standard output: an object for one prompt, else a list that grows."""

    def __init__(self, is_list: bool) -> None:
        self._is_list = is_list
        self._separator = "["

    def add(self, given: PromptInput, result: Result) -> None:
        indent = None if self._is_list else 2
        text = json_text(output_fields(given, result), encoding=standard_encoding(), indent=indent)
        sys.stdout.write(f"{self._separator}\n{text}" if self._is_list else f"{text}\n")
        sys.stdout.flush()
        self._separator = ","

    def end(self) -> None:
        if self._is_list:
            sys.stdout.write("[]\n" if self._separator == "[" else "\n]\n")
            sys.stdout.flush()


class ScreenWriter(ResultWriter):
    """For people: the text, then its clauses."""

    def __init__(self, several: bool) -> None:
        self._several = several

    def add(self, given: PromptInput, result: Result) -> None:
        from neurologic.cli.tables import print_heading, print_result, print_terms

        if self._several:
            print_heading(given.index + 1, str(given.fields["prompt"]))
        if result.error is None:
            print_result(result)
            print_terms(given.uses or (), result.text)
        else:
            say_warning(f"{given.name}: {result.error}")
        sys.stdout.flush()


class Tally:
    """Counts results for the exit code and the summary, and the terms of a glossary that the inputs have."""

    def __init__(self) -> None:
        self.done = 0
        self.satisfied = 0
        self.failed = 0
        self.terms = 0

    def add(self, given: PromptInput, result: Result) -> None:
        self.done += 1
        self.terms += len(given.uses or ())
        self.satisfied += result.satisfied
        self.failed += result.error is not None

    def to_json(self) -> dict[str, int]:
        unmet = self.done - self.satisfied - self.failed
        return {"lines": self.done, "satisfied": self.satisfied, "unmet": unmet, "failed": self.failed}

    def __str__(self) -> str:
        counts = self.to_json()
        text = f"{counted(self.done, 'line')}: {counts['satisfied']} satisfied"
        text += f", {counts['unmet']} unmet" if counts["unmet"] else ""
        return text + (f", {counts['failed']} failed" if counts["failed"] else "")
