"""The report as Markdown: the same tables and pictures as the page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from neurologic.experiments.reproduction.contents import Contents, marked
from neurologic.experiments.reproduction.curves import Drawn
from neurologic.experiments.reproduction.table import Row, Table


def document(contents: Contents) -> str:
    """The report as one Markdown text; pictures are links to files beside it."""
    parts = [f"# {contents.title}", *contents.intro]
    parts += [_table(table) for table in contents.tables]
    if contents.verdicts:
        parts.append("\n".join(f"- {verdict}" for verdict in contents.verdicts))
    parts += [_curve(curve, contents.pictures.get(curve.key, ())) for curve in contents.curves]
    parts += contents.notes
    return "\n\n".join(parts) + "\n"


def _table(table: Table) -> str:
    lines = [
        f"| | {' | '.join(table.headings)} |",
        f"| --- | {' | '.join('--:' for _ in table.headings)} |",
    ]
    for block in table.blocks:
        lines.append(f"| *{_escaped(block.title)}* | {' | '.join('' for _ in table.headings)} |")
        lines += [_row(row, len(table.headings)) for row in block.rows]
    return f"## {table.title}\n\n" + "\n".join(lines) + f"\n\n{table.note}"


def _row(row: Row, width: int) -> str:
    name = _escaped(row.name) + (f" ({_escaped('; '.join(row.notes))})" if row.notes else "")
    cells = ["missing"] if row.missing else [marked(cell) for cell in row.cells]
    cells += [""] * (width - len(cells))
    return f"| {name} | {' | '.join(cells)} |"


def _curve(curve: Drawn, pictures: Sequence[Path]) -> str:
    lines = [f"## {curve.curve.title}", ""]
    lines += [f"![{curve.curve.title}]({path.name})" for path in pictures if path.suffix == ".svg"]
    if curve.missing:
        lines += ["", "Missing: " + ", ".join(" ".join(run) for run in curve.missing) + "."]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")
