"""A table as data: blocks of rows, cells with a value or two, and the verdict of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Cell:
    """One figure, or two of which the second is compared with the first.

    values   None for n/a
    mark     1 where it is significantly better than what it is compared with, -1 where worse
    p_value  of that comparison
    digits   shown after the point
    sign     whether a plus is shown
    """

    values: tuple[float | None, ...]
    mark: int = 0
    p_value: float | None = None
    digits: int = 1
    sign: bool = False

    @property
    def text(self) -> str:
        """As tables show it, without the mark."""
        return " → ".join(
            "n/a" if one is None else f"{one:{'+' if self.sign else ''}.{self.digits}f}"
            for one in self.values
        )

    def to_json(self) -> dict[str, Any]:
        values = [None if one is None else round(one, 4) for one in self.values]
        line: dict[str, Any] = {"values": values}
        if self.p_value is not None:
            line |= {"p_value": self.p_value, "significant": self.mark}
        return line


@dataclass(frozen=True)
class Row:
    """A line of a table.

    cells  as many as there are headings; none for a run that is missing
    notes  what a reader must know of it: "50 of 200 inputs"
    """

    name: str
    cells: tuple[Cell, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def missing(self) -> bool:
        return not self.cells


@dataclass(frozen=True)
class Block:
    """Rows of one origin."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Table:
    """A table of the report.

    key   as its file is called
    note  what its marks mean, and whatever else belongs below it
    """

    key: str
    title: str
    headings: tuple[str, ...]
    blocks: tuple[Block, ...]
    note: str

    def to_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "note": self.note,
            "columns": list(self.headings),
            "blocks": [
                {
                    "title": block.title,
                    "rows": [
                        {
                            "name": row.name,
                            "missing": row.missing,
                            **({"notes": list(row.notes)} if row.notes else {}),
                            "cells": [cell.to_json() for cell in row.cells],
                        }
                        for row in block.rows
                    ],
                }
                for block in self.blocks
            ],
        }
