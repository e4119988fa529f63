"""A worker without Ray: a block in, its part on the disk and an answer out."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("fsspec", reason="the extra ray is not installed")
pytest.importorskip("pyarrow", reason="the extra ray is not installed")

import numpy as np

from neurologic.scale.part_writer import MARK, Answer, Block, PartWriter
from neurologic.scale.parts import PartFolder
from neurologic.scale.row_files import pieces_of, scan
from scale.sabotage import make


@pytest.fixture
def block(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text('{"id": "a", "prompt": "one"}\n{"id": "b", "prompt": "two"}\n')
    (piece,) = pieces_of(str(path))
    found = [reference for reference, _ in scan(piece)]
    offsets = np.array([reference.offset for reference in found])
    return Block(piece, offsets, np.array([reference.mark for reference in found], dtype=MARK))


def answer(folder, block, **options):
    """Hand a block to a new worker, as Ray does: columns of one row."""
    writer = PartWriter(folder, "fingerprint", {}, options)
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
