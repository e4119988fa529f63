"""`neurologic check`: judge finished texts by their constraints, with the plain specification and no model.

Only a line's text and constraint count, not its own verdict (`satisfied`, `unmet`, the reports in `clauses`).
Verdicts appear while lines are read, and none stays in memory.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import neurologic
from neurologic.batches.lines import InputLine, LineError, conjunction, constraint_of_line, json_text
from neurologic.batches.sources import Sources
from neurologic.cli.arguments import (
    add_command_parser,
    add_constraint_options,
    add_input_option,
    constraint_of,
)
from neurologic.cli.jsonl import doubted, print_json, standard_encoding
from neurologic.cli.messages import (
    BAD_INPUT,
    SATISFIED,
    UNMET,
    CommandError,
    counted,
    for_terminal,
    say_error,
    say_warning,
)
from neurologic.errors import NeurologicError
from neurologic.logic import ClauseReport, Formula, WishReport, check_wishes

_SHOWN_CHARACTERS = 200


@dataclass(frozen=True)
class Verdict:
    """A line with the reports on its clauses, or the reason why there are none.

    failed      the error that the line itself reports: nothing was generated
    unreadable  why the line cannot be judged
    """

    line: InputLine
    reports: tuple[ClauseReport, ...] = ()
    wishes: tuple[WishReport, ...] = ()
    failed: str | None = None
    unreadable: str | None = None

    @property
    def problem(self) -> str | None:
        return self.unreadable or self.failed

    @property
    def satisfied(self) -> bool:
        return self.problem is None and all(report.satisfied for report in self.reports)

    @property
    def unmet(self) -> list[str]:
        return [report.text for report in self.reports if not report.satisfied]

    def to_json(self) -> dict[str, Any]:
        identity = {"id": self.line.fields["id"]} if "id" in self.line.fields else {}
        fields = {"line": self.line.number, **identity, "satisfied": self.satisfied}
        if self.problem is not None:
            return {**fields, "error": self.problem}
        fields |= {"unmet": self.unmet, "clauses": [report.to_json() for report in self.reports]}
        return fields | _wish_fields(self.wishes)


def add_command(commands: Any) -> None:
    parser = add_command_parser(commands, "check")
    source = parser.add_mutually_exclusive_group(required=True)
    add_input_option(source, 'lines of JSON or Parquet with "text"')
    source.add_argument("--text", help="one text to verify")
    parser.add_argument("--all", action="store_true", help="show satisfied lines as well")
    parser.add_argument("--json", action="store_true", help="print one JSON document to stdout")
    add_constraint_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    formula = constraint_of(arguments)
    if arguments.text is not None:
        return _check_one(arguments, formula)
    sources = Sources.named(arguments.input)
    lines = sources.rows()
    first = next(lines, None)
    if first is None:
        raise CommandError(f"{sources.name} has no lines to check")
    lines = (doubted(line, strict=arguments.strict) for line in itertools.chain([first], lines))
    verdicts = (_judge(line, formula) for line in lines)
    counts = _Counts()
    show = _print_json if arguments.json else _print
    show(map(counts.seen, verdicts), counts, show_all=arguments.all)
    if counts.unreadable == counts.lines:
        say_error(f"no line of {sources.name} could be judged")
        return BAD_INPUT
    if not counts.clauses:
        say_warning("no line has a constraint (include, exclude, formula or clauses)")
    return SATISFIED if counts.satisfied == counts.lines else UNMET


def _check_one(arguments: argparse.Namespace, formula: Formula | None) -> int:
    if formula is None:
        raise CommandError("--text needs a constraint: --include, --exclude or --formula")
    reports = neurologic.check(formula, arguments.text)
    wishes = check_wishes(formula, arguments.text)
    unmet = [report.text for report in reports if not report.satisfied]
    if arguments.json:
        document = {
            "text": arguments.text,
            "satisfied": not unmet,
            "unmet": unmet,
            "clauses": [report.to_json() for report in reports],
        }
        print_json(document | _wish_fields(wishes))
    else:
        from neurologic.cli.tables import print_reports, print_wishes

        print_reports(reports)
        print_wishes(wishes)
    return UNMET if unmet else SATISFIED


def _judge(line: InputLine, formula: Formula | None) -> Verdict:
    if line.error is not None:
        return Verdict(line, unreadable=str(line.error))
    if line.fields.get("error") is not None:
        return Verdict(line, failed=str(line.fields["error"]))
    try:
        constraint = conjunction([constraint_of_line(line.fields), formula])
        text, before = _text(line.fields), _before(line.fields)
        reports, wishes = neurologic.check(constraint, text, before), check_wishes(constraint, text, before)
        return Verdict(line, reports, wishes)
    except NeurologicError as error:
        return Verdict(line, unreadable=str(error))


def _wish_fields(wishes: Sequence[WishReport]) -> dict[str, Any]:
    return {"wishes": [wish.to_json() for wish in wishes]} if wishes else {}


def _text(fields: Mapping[str, Any]) -> str:
    text = fields.get("text")
    if not isinstance(text, str):
        raise LineError('"text" is missing' if text is None else '"text" must be a string')
    return text


def _before(fields: Mapping[str, Any]) -> str:
    """Return what comes directly before the text, where it continues a prompt."""
    before = fields.get("before", fields.get("prompt") if fields.get("raw") is True else "")
    if not isinstance(before, str):
        raise LineError('"before" must be a string')
    return before


class _Counts:
    """Counts verdicts as they pass, so that none has to stay in memory."""

    def __init__(self) -> None:
        self.lines = self.satisfied = self.failed = self.unreadable = 0
        self.clauses = self.clauses_satisfied = 0

    def seen(self, verdict: Verdict) -> Verdict:
        """Count a verdict and return it."""
        self.lines += 1
        self.satisfied += verdict.satisfied
        self.failed += verdict.problem is not None
        self.unreadable += verdict.unreadable is not None
        self.clauses += len(verdict.reports)
        self.clauses_satisfied += sum(report.satisfied for report in verdict.reports)
        return verdict

    def to_json(self) -> dict[str, int]:
        return {
            "lines": self.lines,
            "satisfied": self.satisfied,
            "unmet": self.lines - self.satisfied - self.failed,
            "failed": self.failed,
            "clauses": self.clauses,
            "clauses_satisfied": self.clauses_satisfied,
        }


def _print_json(verdicts: Iterable[Verdict], counts: _Counts, show_all: bool) -> None:
    """Print one document: a verdict per line as it is found, then the counts."""
    separator = '{"results": ['
    for verdict in verdicts:
        print(
            f"{separator}\n{json_text(verdict.to_json(), encoding=standard_encoding())}", end="", flush=True
        )
        separator = ","
    rest = json_text(counts.to_json(), encoding=standard_encoding()).removeprefix("{")
    print(f"\n], {rest}")


def _print(verdicts: Iterable[Verdict], counts: _Counts, show_all: bool) -> None:
    """Print what needs a look as it is found, then the counts."""
    for verdict in verdicts:
        if verdict.problem is not None:
            print(for_terminal(f"{verdict.line.name}: failed: {verdict.problem}"), flush=True)
        elif not verdict.satisfied:
            shown = _shortened(verdict.line.fields["text"])
            print(
                for_terminal(f"{verdict.line.name}: unmet: {'; '.join(verdict.unmet)}\n  {shown}"), flush=True
            )
        elif show_all:
            print(for_terminal(f"{verdict.line.name}: satisfied"), flush=True)
    found = counts.to_json()
    print(
        f"{counted(found['lines'], 'line')}: {found['satisfied']} satisfied, "
        f"{found['unmet']} unmet, {found['failed']} failed; "
        f"{found['clauses_satisfied']} of {found['clauses']} clauses satisfied"
    )


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN_CHARACTERS else flat[: _SHOWN_CHARACTERS - 1] + "…"
