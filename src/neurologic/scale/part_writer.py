"""The actor of a run: it loads the model once, and writes the part of every block that it gets."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from neurologic.batches.inputs import PromptInput
from neurologic.batches.lines import InputLine
from neurologic.batches.parquet_files import ColumnTypes, input_types, table_of, with_columns, with_types
from neurologic.batches.result_rows import output_fields
from neurologic.batches.sources import PARQUET
from neurologic.errors import NeurologicError
from neurologic.generation.result import Result
from neurologic.scale.generator import Generator
from neurologic.scale.parts import ROW, RUN, PartCounts, PartFolder, line_bytes, parquet_bytes
from neurologic.scale.poison import Attempts
from neurologic.scale.row_files import Piece, read_rows, read_table

ANSWER = "answer"  # the column of answers, as JSON
MARK = "S32"  # the type of marks in arrays


@dataclass(frozen=True)
class Block:
    """Rows of one piece that make one part: where each begins, and its mark."""

    piece: Piece
    offsets: np.ndarray
    marks: np.ndarray

    def to_row(self) -> dict[str, Any]:
        """Return the block as a row of a dataset, forty bytes for each of its own rows."""
        piece = json.dumps(asdict(self.piece))
        return {"piece": piece, "offsets": self.offsets.tobytes(), "marks": self.marks.tobytes()}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Block:
        offsets, marks = np.frombuffer(row["offsets"], np.int64), np.frombuffer(row["marks"], MARK)
        return cls(Piece(**json.loads(row["piece"])), offsets, marks)


@dataclass(frozen=True)
class Answer:
    """What a worker says about a block: its part and the warnings of its rows, or why it cannot write any."""

    part: PartCounts | None = None
    warnings: tuple[str, ...] = ()
    problem: str = ""

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Answer:
        found = json.loads(row[ANSWER])
        part = None if found["part"] is None else PartCounts(**found["part"])
        return cls(part, tuple(found["warnings"]), found["problem"])


class PartWriter:
    """Writes blocks; calls may overlap, and share one scheduler."""

    def __init__(
        self, folder: PartFolder, fingerprint: str, types: ColumnTypes, options: Mapping[str, Any]
    ) -> None:
        """Load the model.

        types    the columns of the input, for parts in Parquet
        options  those of `Generator`

        If there is no such model, the answer to the first block says so. An error here would be told by Ray,
        in some hundred lines.
        """
        self._folder = folder
        self._fingerprint = fingerprint
        self._types = types
        self._problem = ""
        try:
            self._generator = Generator(**options)
        except NeurologicError as error:
            self._problem = str(error)

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, list[str]]:
        """Write the parts of blocks; return an answer for each."""
        blocks = [dict(zip(batch, values, strict=True)) for values in zip(*batch.values(), strict=True)]
        return {ANSWER: [json.dumps(asdict(self._answer(block))) for block in blocks]}

    def _answer(self, block: Mapping[str, Any]) -> Answer:
        return Answer(problem=self._problem) if self._problem else self._write(Block.from_row(block))

    def _write(self, block: Block) -> Answer:
        marks = [mark.decode() for mark in block.marks.tolist()]
        name = self._folder.part_name(marks)
        attempts, warnings = Attempts(self._folder, name), list[str]()
        lines = list(read_rows(block.piece, block.offsets.tolist()))
        if attempts.start():
            row = self._row(warnings.append)
            rows = attempts.one_by_one(lines, marks, row, self._given_up)
        else:
            rows = self._generator.rows(lines, warnings.append)
        for fields, mark in zip(rows, marks, strict=True):
            fields |= {ROW: mark, RUN: self._fingerprint}
        self._folder.write_part(name, self._content(block, rows))
        attempts.clear()
        return Answer(PartCounts.of(name, rows), tuple(warnings))

    def _row(self, warn: Callable[[str], object]) -> Callable[[InputLine], dict[str, Any]]:
        return lambda line: self._generator.rows([line], warn)[0]

    def _given_up(self, line: InputLine, error: Exception) -> dict[str, Any]:
        given = PromptInput(line.place, line.name, line.fields)
        return output_fields(given, Result("", 0.0, error=error))

    def _content(self, block: Block, rows: Sequence[Mapping[str, Any]]) -> bytes:
        if self._folder.suffix != PARQUET:
            return line_bytes(rows)
        added = input_types([{ROW: "", RUN: ""}])
        if not block.piece.is_parquet:
            return parquet_bytes(table_of(rows, {**self._types, **added}))
        # The columns of the input come from its file, with the types that all files agree on.
        own = with_types(read_table(block.piece, block.offsets.tolist()), self._types)
        return parquet_bytes(with_columns(own, table_of(rows, added)))
