"""Print results for people: tables with colours on a terminal, plain aligned columns elsewhere.

`NO_COLOR` is respected. Output to a pipe is never wrapped or cut, whatever its width.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from neurologic.cli.messages import counted, for_terminal, harmless
from neurologic.generation.result import Result
from neurologic.integrations.glossary import Use
from neurologic.logic import ClauseReport, WishReport

_UNLIMITED = 100_000  # columns: wide enough that nothing is folded


def print_result(result: Result) -> None:
    """Print the text, its clauses, its score, and further texts if there are some."""
    _print_text(result)
    for number, other in enumerate(result.others, start=2):
        print_line(f"\n{number}.", style="bold")
        _print_text(other)


def _print_text(result: Result) -> None:
    print(for_terminal(result.text))
    print()
    if result.clauses:
        print_reports(result.clauses)
    print_wishes(result.wishes)
    print_line(_summary(result), style="dim")
    if result.marks:
        print_line(result.marks_line, style="dim")


def _summary(result: Result) -> str:
    parts = [f"score {result.score:.3f}"]
    if result.clauses:
        satisfied = sum(clause.satisfied for clause in result.clauses)
        parts.append(f"{satisfied} of {counted(len(result.clauses), 'clause')} satisfied")
    if result.forced:
        parts.append(f"{counted(result.forced, 'token')} forced")
    if result.reduced:
        parts.append(f"searched with {result.reduced}")
    if result.ending in ("length", "time"):
        parts.append(f"ended by its {result.ending} limit")
    return ", ".join(parts)


def print_reports(reports: Iterable[ClauseReport]) -> None:
    """Print a row per clause: whether it holds, its state, and the phrases that decide it."""
    yes, no = _marks()
    print_table(
        ("", "state", "clause", "by"),
        [
            (
                Text(yes, "green") if report.satisfied else Text(no, "bold red"),
                report.state.name,
                report.text,
                report.reason,
            )
            for report in reports
        ],
    )


def print_wishes(wishes: Iterable[WishReport]) -> None:
    """Print a line per wish."""
    for wish in wishes:
        print(wish)


def print_terms(uses: Sequence[Use], text: str) -> None:
    """Print a row per term of a glossary: its lines there, its forms in the prompt, and those in the text."""
    if not uses:
        return
    yes, no = _marks()
    print()
    print_table(
        ("", "line", "term", "found", "used"),
        [
            (
                Text(yes, "green") if use.kept(text) else Text(no, "bold red"),
                ", ".join(map(str, use.term.lines)),
                use.term.source,
                ", ".join(use.found),
                ", ".join(use.used(text)),
            )
            for use in uses
        ],
    )


def print_heading(number: int, prompt: str) -> None:
    if number > 1:
        print()
    print_line(f"[{number}] {prompt}", style="bold")


def print_table(headings: Sequence[str | Text], rows: Iterable[Sequence[str | Text]]) -> None:
    """Print a table as wide as the terminal allows; elsewhere two spaces separate the columns."""
    terminal = Console(file=sys.stdout).is_terminal
    table = Table(
        box=box.SIMPLE_HEAD if terminal else None, pad_edge=terminal, padding=(0, 1 if terminal else 2, 0, 0)
    )
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else Text(harmless(cell)) for cell in row))
    if terminal:
        Console(file=sys.stdout).print(table)
        return
    console = Console(file=sys.stdout, width=_UNLIMITED)
    with console.capture() as captured:
        console.print(table)
    # Not through the console: it would send a table of this width through its own padding.
    for line in captured.get().splitlines():
        print(line.rstrip())


def print_wide_table(headings: Sequence[Text], rows: Sequence[Sequence[Text]]) -> None:
    """Print a wide table; columns that do not fit continue below, with the first column repeated."""
    console = Console(file=sys.stdout)
    if not console.is_terminal:
        print_table(headings, rows)
        return
    # Two spaces between columns and one at each end, as `print_table` has them.
    widths = [max(cell.cell_len for cell in column) + 2 for column in zip(headings, *rows, strict=True)]
    part, room = [0], console.width - widths[0]
    for place in range(1, len(headings) + 1):
        if place == len(headings) or (widths[place] > room and len(part) > 1):
            print_table(
                [headings[column] for column in part], [[row[column] for column in part] for row in rows]
            )
            part, room = [0], console.width - widths[0]
        if place < len(headings):
            part.append(place)
            room -= widths[place]


def print_line(text: str, style: str = "") -> None:
    """Print a line of any length, in a style where the terminal has styles."""
    Console(file=sys.stdout, highlight=False).print(Text(harmless(text), style), soft_wrap=True)


def _marks() -> tuple[str, str]:
    try:
        "✓✗".encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return "yes", "no"
    return "✓", "✗"
