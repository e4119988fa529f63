"""`neurologic check`: judge finished texts by their constraints, with the plain specification and no model.

Only a line's text and constraint count, not its own verdict (`satisfied`, `unmet`, the reports in `clauses`).
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import neurologic
from neurologic.cli.arguments import (
    add_command_parser,
    add_constraint_options,
    conjunction,
    constraint_of,
)
from neurologic.cli.jsonl import (
    InputLine,
    LineError,
    constraint_of_line,
    print_json,
    read_lines,
    source_name,
)
from neurologic.cli.messages import BAD_INPUT, SATISFIED, UNMET, CommandError, counted, say_error, say_warning
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
    source.add_argument("-i", "--input", metavar="FILE", help='lines of JSON with "text"; "-" for stdin')
    source.add_argument("--text", help="one text to verify")
    parser.add_argument("--all", action="store_true", help="show satisfied lines as well")
    parser.add_argument("--json", action="store_true", help="print one JSON document to stdout")
    add_constraint_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    formula = constraint_of(arguments)
    if arguments.text is not None:
        return _check_one(arguments, formula)
    lines = list(read_lines(arguments.input))
    if not lines:
        raise CommandError(f"{source_name(arguments.input)} has no lines to check")
    verdicts = [_judge(line, formula) for line in lines]
    if arguments.json:
        print_json(_document(verdicts))
    else:
        _print(verdicts, show_all=arguments.all)
    if all(verdict.unreadable is not None for verdict in verdicts):
        say_error(f"no line of {source_name(arguments.input)} could be judged")
        return BAD_INPUT
    if not any(verdict.reports for verdict in verdicts if verdict.problem is None):
        say_warning("no line has a constraint (include, exclude, formula or clauses)")
    return SATISFIED if all(verdict.satisfied for verdict in verdicts) else UNMET


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


def _counts(verdicts: Sequence[Verdict]) -> dict[str, int]:
    satisfied = sum(verdict.satisfied for verdict in verdicts)
    failed = sum(verdict.problem is not None for verdict in verdicts)
    reports = [report for verdict in verdicts for report in verdict.reports]
    return {
        "lines": len(verdicts),
        "satisfied": satisfied,
        "unmet": len(verdicts) - satisfied - failed,
        "failed": failed,
        "clauses": len(reports),
        "clauses_satisfied": sum(report.satisfied for report in reports),
    }


def _document(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    return {**_counts(verdicts), "results": [verdict.to_json() for verdict in verdicts]}


def _print(verdicts: Sequence[Verdict], show_all: bool) -> None:
    for verdict in verdicts:
        if verdict.problem is not None:
            print(f"{verdict.line.name}: failed: {verdict.problem}")
        elif not verdict.satisfied:
            print(f"{verdict.line.name}: unmet: {'; '.join(verdict.unmet)}")
            print(f"  {_shortened(verdict.line.fields['text'])}")
        elif show_all:
            print(f"{verdict.line.name}: satisfied")
    counts = _counts(verdicts)
    print(
        f"{counted(counts['lines'], 'line')}: {counts['satisfied']} satisfied, "
        f"{counts['unmet']} unmet, {counts['failed']} failed; "
        f"{counts['clauses_satisfied']} of {counts['clauses']} clauses satisfied"
    )


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN_CHARACTERS else flat[: _SHOWN_CHARACTERS - 1] + "…"
