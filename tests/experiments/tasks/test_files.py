"""Lines of text and JSON from files."""

from __future__ import annotations

import gzip

import pytest

from neurologic.errors import DataError
from neurologic.experiments.tasks.files import json_lines, no_such_split, text_lines


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"a\nb", ["a", "b"]),
        (b"\xef\xbb\xbfa\r\nb\r\n", ["a", "b"]),
        ("a\u2028b\n\n".encode(), ["a\u2028b", ""]),
    ],
)
def test_only_line_feeds_end_a_line(tmp_path, content, lines):
    (tmp_path / "plain.txt").write_bytes(content)
    (tmp_path / "packed.txt.gz").write_bytes(gzip.compress(content, mtime=0))
    assert text_lines(tmp_path / "plain.txt") == text_lines(tmp_path / "packed.txt.gz") == lines


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.txt", None, "there is no .*missing"),
        ("latin.txt", b"\xe4", "latin.txt is not UTF-8: .* at byte 1"),
        ("packed.gz", b"plain", "cannot read .*packed"),
        ("short.gz", gzip.compress(b"text", mtime=0)[:-9], "cannot unpack .*short"),
    ],
)
def test_files_that_cannot_be_read_are_named(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        text_lines(tmp_path / name)


def test_json_lines_have_their_numbers(tmp_path):
    path = tmp_path / "some.jsonl"
    path.write_text('{"a": 1}\n\n{"a": 2}\n')
    assert list(json_lines(path)) == [(1, {"a": 1}), (3, {"a": 2})]


@pytest.mark.parametrize(
    ("line", "message"),
    [("{", "line 2: not JSON"), ("[" * 100_000, "line 2: not JSON"), ("[]", "JSON object")],
)
def test_lines_of_another_kind_are_named(tmp_path, line, message):
    path = tmp_path / "some.jsonl"
    path.write_text(f"{{}}\n{line}\n")
    with pytest.raises(DataError, match=message):
        list(json_lines(path))


def test_a_missing_split_is_named_with_those_that_are_there(tmp_path):
    path = tmp_path / "dve.json"
    assert (
        str(no_such_split(path, {"train", "dev"})) == f"there is no {path}; the splits there are dev, train"
    )
    assert str(no_such_split(path, set())) == f"there is no {path}"
