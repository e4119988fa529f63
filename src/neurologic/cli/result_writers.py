"""Writers of results: as lines of JSON, lines of text, one JSON document, or for people to read.

A writer writes each result at once. It begins when the model is loaded, and also closes when the run is
interrupted, so that a document is always complete.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping

from neurologic.batches.inputs import PromptInput
from neurologic.batches.lines import json_text
from neurologic.batches.result_rows import output_fields
from neurologic.batches.resumable_output import ResumableOutput
from neurologic.batches.row_ledger import Counts, Outcome, outcome_of
from neurologic.cli.jsonl import OutputFile, standard_encoding
from neurologic.cli.messages import counted, say_warning
from neurologic.generation.result import Result

# Makes the line of a result, without its end, for a file or standard output with this encoding.
LineForm = Callable[[PromptInput, Result, str], str]


def json_row(given: PromptInput, result: Result, encoding: str = "utf-8") -> str:
    """Return a result as a line of JSON."""
    return json_text(output_fields(given, result), encoding=encoding)


def text_row(given: PromptInput, result: Result, encoding: str = "utf-8") -> str:
    """Return a result as its text on one line, blank if it failed."""
    return " ".join(result.text.splitlines())


class ResultWriter:
    """Takes results in the order of the inputs."""

    def begin(self) -> None:
        """Prepare to write; from here on, an older file is gone."""

    def add(self, given: PromptInput, result: Result) -> None:
        """Write a result."""
        raise NotImplementedError

    def end(self) -> None:
        """Write what follows the last result, even if others would have come after it."""

    def finish(self) -> None:
        """Say that every result is written."""


class LinesWriter(ResultWriter):
    """One line per result, to a file or to standard output; `report` gets the same results as JSON."""

    def __init__(self, file: OutputFile, form: LineForm, report: OutputFile | None = None) -> None:
        self._file = file
        self._form = form
        self._report = report

    def begin(self) -> None:
        self._file.begin()
        if self._report is not None:
            self._report.begin()

    def add(self, given: PromptInput, result: Result) -> None:
        self._file.write(self._form(given, result, self._file.encoding) + "\n")
        if self._report is not None and not given.blank:
            self._report.write(json_row(given, result) + "\n")


class ResumableWriter(ResultWriter):
    """One line per result, to an output that another process can continue."""

    def __init__(self, output: ResumableOutput, form: LineForm, *, has_report: bool = False) -> None:
        self._output = output
        self._form = form
        self._has_report = has_report

    def begin(self) -> None:
        self._output.begin()

    def add(self, given: PromptInput, result: Result) -> None:
        if given.kept is not None:
            self._output.keep(given.kept)
            return
        assert given.line is not None
        beside = f"{json_row(given, result)}\n".encode() if self._has_report and not given.blank else b""
        line = self._form(given, result, "utf-8").encode()
        outcome = Outcome.BLANK if given.blank else outcome_of(result)
        self._output.add(given.line, line, outcome, forced=result.forced > 0, beside=beside)

    def finish(self) -> None:
        self._output.finish()


def say_troubles(given: PromptInput, result: Result) -> None:
    """Name a failure, unmet clauses, forced tokens and a cut-off end on standard error."""
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
        if given.blank:
            return
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
    """Counts results for the exit code and the summary, and the terms of a glossary that the inputs have.

    resumed  how many of them an earlier process wrote
    """

    def __init__(self, before: Counts | None = None) -> None:
        self._counts = Counts() if before is None else before
        self.start()
        self.resumed = self.done
        self.terms = 0

    def start(self) -> None:
        """Start the clock: loading a model is no part of a row."""
        self._started = time.monotonic()

    def add(self, given: PromptInput, result: Result) -> None:
        if given.kept is not None:
            self._counts.add(given.kept.entry.outcome, given.kept.entry.forced)
            self.resumed += not given.blank
            return
        self._counts.add(Outcome.BLANK if given.blank else outcome_of(result), result.forced > 0)
        self.terms += len(given.uses or ())

    def add_counts(self, counts: Mapping[Outcome, int], *, forced: int, was_there: bool) -> None:
        """Count many results at once."""
        self._counts.add_many(counts, forced)
        self.resumed += sum(counts.values()) if was_there else 0

    @property
    def done(self) -> int:
        return self._counts.rows - self._counts[Outcome.BLANK]

    @property
    def satisfied(self) -> int:
        return self._counts[Outcome.SATISFIED]

    @property
    def failed(self) -> int:
        return self._counts[Outcome.FAILED]

    @property
    def progress(self) -> str:
        """The counts beside a progress bar."""
        return f"{self.satisfied} satisfied, {self._counts.forced} forced, {self.failed} failed"

    def to_json(self) -> dict[str, int | float]:
        seconds = time.monotonic() - self._started
        return {
            "lines": self.done,
            "satisfied": self.satisfied,
            "unmet": self._counts[Outcome.UNMET],
            "failed": self.failed,
            "forced": self._counts.forced,
            "resumed": self.resumed,
            "seconds": round(seconds, 3),
            "rows_per_second": round((self.done - self.resumed) / max(seconds, 1e-9), 3),
        }

    def __str__(self) -> str:
        text = f"{counted(self.done, 'line')}: {self.satisfied} satisfied"
        unmet = self._counts[Outcome.UNMET]
        text += f", {unmet} unmet" if unmet else ""
        text += f", {self.failed} failed" if self.failed else ""
        return text + (f"; {self.resumed} of them were there already" if self.resumed else "")
