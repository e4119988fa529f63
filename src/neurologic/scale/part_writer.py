"""The actor of a run: it loads the model once, and writes the part of every block that it gets."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from neurologic.batches.inputs import PromptInput
from neurologic.batches.lines import InputLine
from neurologic.batches.parquet_files import ColumnTypes, input_types, result_types, table_of
from neurologic.batches.result_rows import output_fields
from neurologic.batches.sources import PARQUET
from neurologic.generation.result import Result
from neurologic.scale.generator import Generator
from neurologic.scale.parts import ROW, RUN, PartCounts, PartFolder, line_bytes, parquet_bytes
from neurologic.scale.poison import Attempts
from neurologic.scale.row_files import Piece, read_rows, read_table


@dataclass(frozen=True)
class Block:
    """Rows of one piece that make one part."""

    piece: Piece
    offsets: tuple[int, ...]
    marks: tuple[str, ...]

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Block:
        found = json.loads(text)
        return cls(Piece(**found["piece"]), tuple(found["offsets"]), tuple(found["marks"]))


class PartWriter:
    """Writes blocks; calls may overlap, and share one scheduler."""

    def __init__(
        self, folder: PartFolder, fingerprint: str, types: ColumnTypes, options: Mapping[str, Any]
    ) -> None:
        """Load the model.

        types    the columns of the input, for parts in Parquet
        options  those of `Generator`
        """
        self._folder = folder
        self._fingerprint = fingerprint
        self._types = types
        self._generator = Generator(**options)

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, list[Any]]:
        """Write the parts of blocks; return what they hold."""
        parts = [asdict(self._write(Block.from_json(str(text)))) for text in batch["block"]]
        return {name: [part[name] for part in parts] for name in parts[0]}

    def _write(self, block: Block) -> PartCounts:
        name = self._folder.part_name(block.marks)
        attempts = Attempts(self._folder, name)
        lines = list(read_rows(block.piece, block.offsets))
        if attempts.start():
            rows = attempts.one_by_one(lines, block.marks, self._row, self._given_up)
        else:
            rows = self._generator.rows(iter(lines))
        for row, mark in zip(rows, block.marks, strict=True):
            row |= {ROW: mark, RUN: self._fingerprint}
        self._folder.write_part(name, self._content(block, rows))
        attempts.clear()
        return PartCounts.of(name, rows)

    def _row(self, line: InputLine) -> dict[str, Any]:
        return self._generator.rows(iter([line]))[0]

    def _given_up(self, line: InputLine, error: Exception) -> dict[str, Any]:
        given = PromptInput(line.place, line.name, line.fields)
        return output_fields(given, Result("", 0.0, error=error))

    def _content(self, block: Block, rows: Sequence[Mapping[str, Any]]) -> bytes:
        if self._folder.suffix != PARQUET:
            return line_bytes(rows)
        if not block.piece.is_parquet:
            return parquet_bytes(table_of(rows, self._types))
        # The columns of the input come from its file, with the types that they have there.
        table = read_table(block.piece, block.offsets)
        own = [name for name in table.column_names if name not in (*result_types(), ROW, RUN)]
        added = table_of(rows, input_types([{ROW: "", RUN: ""}]))
        table = table.select(own)
        for name, column in zip(added.column_names, added.columns, strict=True):
            table = table.append_column(name, column)
        return parquet_bytes(table)
