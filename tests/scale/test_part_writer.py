"""A worker without Ray: a block in, its part on the disk and an answer out."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("fsspec", reason="the extra ray is not installed")
pytest.importorskip("pyarrow", reason="the extra ray is not installed")

import numpy as np

from neurologic.scale.missing_rows import blocks_of, input_columns, scan_pieces
from neurologic.scale.part_writer import MARK, Answer, Block, PartWriter
from neurologic.scale.parts import PartFolder
from neurologic.scale.row_files import found_files, pieces_of, scan
from scale.sabotage import make
from scale.tasks_here import TasksHere


@pytest.fixture
def block(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text('{"id": "a", "prompt": "one"}\n{"id": "b", "prompt": "two"}\n')
    (piece,) = pieces_of(str(path))
    found = [reference for reference, _ in scan(piece)]
    offsets = np.array([reference.offset for reference in found])
    return Block(piece, offsets, np.array([reference.mark for reference in found], dtype=MARK))


def answer(folder, block, types=None, **options):
    """Hand a block to a new worker, as Ray does: columns of one row."""
    writer = PartWriter(folder, "fingerprint", types or {}, options)
    (text,) = writer({name: [value] for name, value in block.to_row().items()})["answer"]
    return Answer.from_row({"answer": text})


def test_a_block_becomes_a_part(tmp_path, block):
    folder = PartFolder(str(tmp_path / "out"), ".jsonl")
    answered = answer(folder, block, model=make, decoder="greedy")
    assert answered.part is not None
    assert (answered.part.rows, answered.part.satisfied, answered.warnings) == (2, 2, ())
    (part,) = (tmp_path / "out").glob("part-*")
    rows = [json.loads(line) for line in part.read_text().splitlines()]
    assert [row["text"] for row in rows] == ["The text of one.", "The text of two."]
    assert [row["neurologic_run"] for row in rows] == ["fingerprint"] * 2


def test_rows_that_run_out_of_time_are_written_and_told(tmp_path, block):
    folder = PartFolder(str(tmp_path / "out"), ".jsonl")
    answered = answer(folder, block, model=make, decoder="greedy", max_time=1e-9)
    assert answered.part is not None
    assert answered.part.rows == 2
    assert [message.split(": ")[0] for message in answered.warnings] == [
        "in.jsonl, byte 0 (id a)",
        "in.jsonl, byte 29 (id b)",
    ]


def test_a_model_that_nobody_has_is_an_answer(tmp_path, block):
    folder = PartFolder(str(tmp_path / "out"), ".jsonl")
    answered = answer(folder, block, model=str(tmp_path / "no-model"))
    assert answered.part is None
    assert "no folder" in answered.problem
    assert not (tmp_path / "out").exists()


def test_parquet_files_that_differ_make_parts_that_fit_together(tmp_path):
    """One file has a column of nulls, one lacks it; one has whole numbers, one fractions; parts agree."""
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow as pa

    tables = {
        "a": {"id": [0, 1], "prompt": ["a", "bb"], "note": pa.nulls(2), "n": [2**60, 1]},
        "b": {"id": [2], "prompt": ["c"], "n": [0.5], "formula": ["prefer(text, 2) & words(..4)"]},
        "c": {"id": [3], "prompt": [None], "note": ["kept"], "n": [2], "includes": [["x"]]},
    }
    for name, columns in tables.items():
        parquet.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    files = found_files([f"file://{tmp_path}/*.parquet"])
    scanned = scan_pieces(TasksHere(), [piece for name in files for piece in pieces_of(name)], typed=False)
    assert [list(found.doubts.values()) for found in scanned] == [[], [], [1]]
    types = input_columns(scanned, files)
    folder = PartFolder(f"file://{tmp_path}/out", ".parquet")
    for block in blocks_of(scanned, 8):
        assert answer(folder, block, types, model=make, num_beams=2).part is not None
    parts = list((tmp_path / "out").glob("part-*"))
    assert len({parquet.read_schema(part).to_string(show_schema_metadata=False) for part in parts}) == 1
    rows = sorted(parquet.read_table(tmp_path / "out").to_pylist(), key=lambda row: row["id"])
    assert [row["note"] for row in rows] == [None, None, None, "kept"]
    assert [row["n"] for row in rows] == [2.0**60, 1.0, 0.5, 2.0]
    assert rows[2]["wishes"] == [{"wish": "text", "met": True, "weight": 2.0}]
    assert rows[3]["error"] == 'give "prompt" or "messages"'
    assert [row["text"] for row in rows[:2]] == ["The text of a.", "The text of bb."]
