"""A table as data, for a page, Markdown, a terminal and JSON alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MARKS = {1: " ▲", -1: " ▼", 0: ""}


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    text     the cell without its mark
    mark     1 if significantly better than the system it is compared with, -1 if worse, else 0
    p_value  p-value of that comparison
    values   the numbers in the text, None for n/a
    """

    text: str
    mark: int = 0
    p_value: float | None = None
    values: tuple[float | None, ...] = ()

    @property
    def marked_text(self) -> str:
        return self.text + MARKS[self.mark]

    def to_json(self) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "values": [None if value is None else round(value, 4) for value in self.values]
        }
        if self.p_value is not None:
            fields |= {"p_value": self.p_value, "significant": self.mark}
        return fields


def number_cell(
    *values: float | None, digits: int = 1, sign: bool = False, mark: int = 0, p_value: float | None = None
) -> Cell:
    """Return the cell of a number, or of two of which the second is compared with the first.

    >>> number_cell(40.3, None).text, number_cell(2.0, sign=True).text
    ('40.3 → n/a', '+2.0')
    """
    form = f"{'+' if sign else ''}.{digits}f"
    text = " → ".join("n/a" if value is None else f"{value:{form}}" for value in values)
    return Cell(text, mark, p_value, values)


@dataclass(frozen=True)
class Row:
    """A row of a table.

    cells  one per heading; none if the run is missing
    notes  remarks that a reader needs: "50 of 200 inputs"
    """

    name: str
    cells: tuple[Cell, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def missing(self) -> bool:
        return not self.cells


@dataclass(frozen=True)
class Block:
    """Rows with a common title, "" for none."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class ResultTable:
    """A table of figures.

    headings   headings of the columns after the first one, which holds the names of the rows
    note       explains the marks and whatever else a reader needs
    key        the name of its file
    corner     the heading of the first column
    text_columns  headings of columns that hold text instead of numbers
    """

    title: str
    headings: tuple[str, ...]
    blocks: tuple[Block, ...]
    note: str = ""
    key: str = ""
    corner: str = ""
    text_columns: frozenset[str] = frozenset()

    def to_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "note": self.note,
            "columns": list(self.headings),
            "blocks": [
                {"title": block.title, "rows": [_row_to_json(row) for row in block.rows]}
                for block in self.blocks
            ],
        }


def _row_to_json(row: Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "missing": row.missing,
        **({"notes": list(row.notes)} if row.notes else {}),
        "cells": [cell.to_json() for cell in row.cells],
    }
