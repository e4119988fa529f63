"""Rows of files in pieces: each row in one piece, and found again where it is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("fsspec", reason="the extra ray is not installed")

from neurologic.errors import DataError
from neurologic.scale.row_files import Piece, found_files, pieces_of, read_rows, scan

LINES = st.lists(
    st.sampled_from(["", " ", "{", '{"id": 1}', '{"prompt": "é"}', '{"prompt": "a longer one"}'])
)


@settings(max_examples=60, deadline=None)
@given(LINES, st.integers(1, 40), st.booleans())
def test_wherever_a_file_is_cut_every_line_is_in_one_piece(tmp_path_factory, lines, size, ends):
    path = tmp_path_factory.mktemp("rows") / "in.jsonl"
    content = "\n".join(lines) + ("\n" if ends else "")
    path.write_text(content)
    length = path.stat().st_size
    pieces = [Piece(str(path), start, min(start + size, length)) for start in range(0, length, size)]
    found = [(piece, *row) for piece in pieces for row in scan(piece)]
    whole = list(scan(Piece(str(path), 0, length))) if length else []
    assert [(reference, line.fields) for _, reference, line in found] == [
        (each, line.fields) for each, line in whole
    ]
    assert len(found) == sum(bool(line.strip()) for line in lines)
    for piece, reference, line in found:
        assert list(read_rows(piece, [reference.offset])) == [line] or line.error is not None


def test_the_mark_of_a_row_follows_its_id_and_its_content(tmp_path):
    def marks(*rows):
        path = tmp_path / "in.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return [reference.mark for piece in pieces_of(str(path)) for reference, _ in scan(piece)]

    first = marks({"id": 1, "prompt": "a"}, {"prompt": "b"})
    moved = marks({"prompt": "b"}, {"id": 1, "prompt": "a"})
    changed = marks({"id": 1, "prompt": "c"}, {"prompt": "b"})
    assert first[0] == moved[1], "a row with an id is known anywhere"
    assert first[1] != moved[0], "a row without one is known by its place"
    assert (changed[0][:16], changed[0] != first[0]) == (first[0][:16], True)


def test_row_groups_of_parquet_are_pieces(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow as pa

    path = tmp_path / "in.parquet"
    parquet.write_table(pa.table({"id": range(5), "note": [None, *"abcd"]}), path, row_group_size=2)
    pieces = pieces_of(str(path))
    assert len(pieces) == 3
    assert [line.fields["id"] for piece in pieces for _, line in scan(piece)] == list(range(5))
    assert [line.fields for line in read_rows(pieces[1], [1])] == [{"id": 3, "note": "c"}]


def test_files_of_globs_on_any_file_system(tmp_path):
    for name in ("b.jsonl", "a.jsonl", "c.txt"):
        (tmp_path / name).touch()
    found = found_files([f"file://{tmp_path}/*.jsonl", str(tmp_path / "c.txt")])
    assert [name.rpartition("/")[2] for name in found] == ["a.jsonl", "b.jsonl", "c.txt"]
    for wrong in ("-", str(tmp_path / "none*")):
        with pytest.raises(DataError, match=r"standard input|no file has a name like"):
            found_files([wrong])


def test_rows_without_ids_of_files_with_the_same_name_are_different_rows(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "in.jsonl").write_text('{"prompt": "same"}\n')
    found = [scan(piece) for name in found_files([f"{tmp_path}/*/in.jsonl"]) for piece in pieces_of(name)]
    first, second = (reference.mark for rows in found for reference, _ in rows)
    assert first[:16] != second[:16]


def test_a_name_with_the_signs_of_a_glob_is_a_name_if_there_is_such_a_file(tmp_path):
    path = tmp_path / "in[1].jsonl"
    path.touch()
    assert [name.rpartition("/")[2] for name in found_files([str(path)])] == [path.name]


def test_marks_of_encodings(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"prompt": "a"}\n')
    (piece,) = pieces_of(str(path))
    assert [line.fields for _, line in scan(piece)] == [{"prompt": "a"}]
    assert [line.fields for line in read_rows(piece, [0])] == [{"prompt": "a"}]
    path.write_bytes('{"prompt": "a"}\n'.encode("utf-16"))
    with pytest.raises(DataError, match="is UTF-16"):
        list(scan(pieces_of(str(path))[0]))


def test_messages_name_a_row_by_its_file_and_place(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text('{"id": 7, "includes": []}\n{"prompt": "a"}\n')
    lines = [line for _, line in scan(pieces_of(str(path))[0])]
    assert [line.name for line in lines] == ["in.jsonl, byte 0 (id 7)", "in.jsonl, byte 26"]
    assert [len(line.doubts) for line in lines] == [1, 0]
