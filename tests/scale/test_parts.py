"""A folder of parts on a file system of fsspec; here one in memory."""

from __future__ import annotations

import json
import uuid

import pytest

fsspec = pytest.importorskip("fsspec", reason="the extra ray is not installed")

from neurologic.errors import DataError  # noqa: E402
from neurologic.scale.parts import ROW, PartCounts, PartFolder, line_bytes  # noqa: E402
from neurologic.scale.poison import Attempts  # noqa: E402

MANIFEST = {"model": "toy"}
ROWS = [{"text": "a", "satisfied": True, "forced": 2, ROW: "m1"}, {"error": "no", ROW: "m2"}]


@pytest.fixture(params=["memory", "local"])
def folder(request, tmp_path):
    place = f"memory://{uuid.uuid4().hex}/out" if request.param == "memory" else str(tmp_path / "out")
    return PartFolder(place, ".jsonl")


def test_a_part_has_the_name_of_its_rows_and_replaces_an_equal_one(folder):
    name = folder.part_name(["m1", "m2"])
    assert name == folder.part_name(["m2", "m1"]) != folder.part_name(["m1"])
    with folder.claimed(MANIFEST, fresh=False):
        folder.begin(MANIFEST, fresh=False)
        for _ in range(2):
            folder.write_part(name, line_bytes(ROWS))
        assert folder.parts() == [name]
        assert [row[ROW] for row in folder.read_part(name)] == ["m1", "m2"]
        assert PartCounts.of(name, folder.read_part(name)) == PartCounts(name, 2, 1, 1, 1)


def test_failed_rows_can_be_taken_out_of_a_part(folder):
    with folder.claimed(MANIFEST, fresh=False):
        folder.begin(MANIFEST, fresh=False)
        folder.write_part("part-a.jsonl", line_bytes(ROWS))
        folder.write_part("part-b.jsonl", line_bytes(ROWS[1:]))
        for name in folder.parts():
            folder.without_errors(name)
        assert folder.parts() == ["part-a.jsonl"]
        assert [row[ROW] for row in folder.read_part("part-a.jsonl")] == ["m1"]


def test_another_run_is_refused_and_gives_way_to_a_fresh_one(folder):
    with folder.claimed(MANIFEST, fresh=False):
        folder.begin(MANIFEST, fresh=False)
        folder.write_part("part-a.jsonl", line_bytes(ROWS))
    with (
        pytest.raises(DataError, match=r'model was "toy" and is now "other".*--fresh'),
        folder.claimed({"model": "other"}, fresh=False),
    ):
        pass
    assert folder.parts()
    with folder.claimed({"model": "other"}, fresh=True):
        assert folder.parts(), "they stay until there is something to write"
        folder.begin({"model": "other"}, fresh=True)
        assert folder.parts() == []
    with folder.claimed({"model": "other"}, fresh=False):
        pass


def test_parts_of_another_format_are_another_run(folder):
    with folder.claimed({**MANIFEST, "parts": ".jsonl"}, fresh=False):
        folder.begin({**MANIFEST, "parts": ".jsonl"}, fresh=False)
        folder.write_part("part-a.jsonl", line_bytes(ROWS))
    other = PartFolder(folder.path, ".parquet")
    with (
        pytest.raises(DataError, match=r'parts was ".jsonl" and is now ".parquet"'),
        other.claimed({**MANIFEST, "parts": ".parquet"}, fresh=False),
    ):
        pass
    assert folder.parts() == ["part-a.jsonl"]


def test_a_folder_of_somebody_else_is_refused(folder):
    folder._system.makedirs(folder._root)
    folder._system.pipe_file(f"{folder._root}/thesis.tex", b"mine")
    for fresh in (False, True):
        with pytest.raises(DataError, match="is not empty"), folder.claimed(MANIFEST, fresh=fresh):
            pass


def test_the_end_lists_the_parts_and_removes_what_killed_workers_left(folder):
    with folder.claimed(MANIFEST, fresh=False):
        folder.begin(MANIFEST, fresh=False)
        folder.write_part("part-a.jsonl", line_bytes(ROWS))
        folder.write_part("part-late.jsonl", line_bytes(ROWS))
        folder._system.pipe_file(f"{folder._root}/.part-0123", b"half of")
        folder.finish(MANIFEST, [PartCounts.of("part-a.jsonl", ROWS)])
    names = sorted(name for name in folder._names() if name != ".lock")
    assert names == ["manifest.json", "part-a.jsonl", "run.json"]
    listed = json.loads(folder._system.cat_file(f"{folder._root}/manifest.json"))
    assert (listed["rows"], [part["name"] for part in listed["parts"]]) == (2, ["part-a.jsonl"])


class Died(Exception):
    """The end of a worker."""


def test_a_row_that_ends_its_worker_twice_is_given_up_and_no_other(folder):
    rows = ["a", "poison", "c"]

    def write(row):
        if row == "poison":
            raise Died
        return row.upper()

    def attempt():
        attempts = Attempts(folder, "part")
        if not attempts.start():
            raise Died
        return attempts.one_by_one(rows, rows, write, lambda row, error: str(error))

    for _ in range(3):
        with pytest.raises(Died):
            attempt()
    assert attempt() == ["A", "the worker died 2 times while it wrote this row", "C"]
    Attempts(folder, "part").clear()
    assert folder.files_in("attempts/part") == []


def test_a_damaged_part_is_named(folder):
    with folder.claimed(MANIFEST, fresh=False):
        folder.begin(MANIFEST, fresh=False)
        for content in (b'{"text": "a"}\n', b"{"):
            folder.write_part("part-a.jsonl", content)
            with pytest.raises(DataError, match=r"part-a.jsonl is damaged .*remove it"):
                folder.read_part("part-a.jsonl")


def test_while_parts_are_missing_there_is_no_list_of_them(folder):
    with folder.claimed(MANIFEST, fresh=False):
        folder.begin(MANIFEST, fresh=False)
        folder.finish(MANIFEST, [])
        assert folder.exists("manifest.json")
        folder.begin(MANIFEST, fresh=False)
        assert not folder.exists("manifest.json")
