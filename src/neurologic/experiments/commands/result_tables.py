"""Print result tables on standard output: what `eval`, `compare`, `reproduce` and `bench` have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from neurologic.cli.tables import print_wide_table

if TYPE_CHECKING:
    from neurologic.experiments.tables import Cell, ResultTable, Row

_STYLES = {1: "green", -1: "bold red", 0: ""}


def print_result_table(table: ResultTable, *, show_marks: bool = False) -> None:
    """Print a table; a terminal colours significant cells, `show_marks` adds ▲ or ▼ to them."""

    def aligned(text: str, heading: str, style: str = "") -> Text:
        return Text(text, style, justify="left" if heading in table.text_columns else "right")

    def cells(row: Row) -> list[Text]:
        name = row.name + (f" ({'; '.join(row.notes)})" if row.notes else "")
        texts = [shown(cell) for cell in row.cells] or [("missing", "")]
        texts += [("", "")] * (len(table.headings) - len(texts))
        pairs = zip(texts, table.headings, strict=True)
        return [Text(name), *(aligned(text, heading, style) for (text, style), heading in pairs)]

    def shown(cell: Cell) -> tuple[str, str]:
        return cell.marked_text if show_marks else cell.text, _STYLES[cell.mark]

    rows = []
    for block in table.blocks:
        if block.title:
            rows.append([Text(block.title, "dim"), *(Text("") for _ in table.headings)])
        rows += [cells(row) for row in block.rows]
    print_wide_table([Text(table.corner), *(aligned(heading, heading) for heading in table.headings)], rows)
