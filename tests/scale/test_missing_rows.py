"""Which rows are missing: marks of the input against marks of the parts."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("fsspec", reason="the extra ray is not installed")
pytest.importorskip("pyarrow", reason="the extra ray is not installed")

from neurologic.errors import DataError
from neurologic.scale.missing_rows import (
    ScannedPiece,
    blocks_of,
    finished_parts,
    missing_rows,
    require_unique,
)
from neurologic.scale.part_writer import MARK, Block
from neurologic.scale.parts import ROW, PartFolder, line_bytes
from neurologic.scale.row_files import Piece
from scale.tasks_here import TasksHere


def mark(number: int) -> str:
    return f"{number:016}{'content':>16}"


def piece(*numbers: int) -> ScannedPiece:
    marks = np.array([mark(number) for number in numbers], dtype=MARK)
    return ScannedPiece(Piece("in.jsonl", 0, 9), np.array(numbers, dtype=np.int64), marks)


def sorted_marks(*numbers: int) -> np.ndarray:
    return np.sort(np.array([mark(number) for number in numbers], dtype=MARK))


def test_rows_that_no_part_has_are_missing():
    missing = missing_rows([piece(1, 5, 2), piece(7)], sorted_marks(7, 5), "out")
    assert [found.offsets.tolist() for found in missing] == [[1, 2], []]
    everything = missing_rows([piece(1), piece()], sorted_marks(), "out")
    assert [len(found.marks) for found in everything] == [1, 0]


@pytest.mark.parametrize("gone", [0, 3, 9])
def test_a_row_of_a_part_that_is_no_longer_in_the_input_is_refused(gone):
    with pytest.raises(DataError, match="1 rows of out are no longer in the input"):
        missing_rows([piece(1, 2, 5)], sorted_marks(1, gone), "out")


def test_an_id_that_occurs_twice_is_refused_with_its_place():
    require_unique([piece(1), piece(2), piece()])
    with pytest.raises(DataError, match=r"1 id occurs more than once, the first of them at in.jsonl, byte 4"):
        require_unique([piece(1, 4), piece(4)])


def test_a_block_is_the_same_after_its_way_through_a_dataset():
    (first, second) = blocks_of([piece(1, 2, 3)], 2)
    again = Block.from_row(first.to_row())
    assert (again.piece, again.offsets.tolist(), again.marks.tolist()) == (
        first.piece,
        [1, 2],
        first.marks.tolist(),
    )
    assert second.offsets.tolist() == [3]


def test_a_part_that_repeats_rows_of_another_is_removed(tmp_path):
    """A worker that outlives its driver may write a part whose rows the next driver has cut otherwise."""
    folder = PartFolder(str(tmp_path), ".jsonl")
    for name, numbers in {"a": (1, 2), "b": (2, 3), "c": (3, 4), "d": (5,)}.items():
        rows = [{ROW: mark(number), "satisfied": True} for number in numbers]
        folder.write_part(f"part-{name}.jsonl", line_bytes(rows))
    parts, marks = finished_parts(TasksHere(), folder, folder.parts(), retry_errors=False)
    assert [part.name for part in parts] == ["part-a.jsonl", "part-c.jsonl", "part-d.jsonl"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [part.name for part in parts]
    assert marks.tolist() == sorted_marks(1, 2, 3, 4, 5).tolist()
