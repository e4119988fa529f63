"""CommonGen in the hub's layout."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import pytest

from neurologic.errors import DataError
from neurologic.experiments.tasks.commongen.concept_sets import ConceptSet, read_sets

ROWS = [
    {"concept_set_idx": 0, "concepts": ["ski", "hill"], "target": "One."},
    {"concept_set_idx": 0, "concepts": ["ski", "hill"], "target": "Two."},
    {"concept_set_idx": 1, "concepts": ["dog", "park"], "target": ""},
]


SETS = [
    ConceptSet(("ski", "hill"), (None, None), ("One.", "Two.")),
    ConceptSet(("dog", "park"), (None, None)),
]


@pytest.mark.parametrize("name", ["validation.jsonl", "dev.jsonl", "common_gen/validation.jsonl"])
def test_rows_as_json_lines(tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    assert read_sets(tmp_path, "dev") == read_sets(tmp_path, "validation") == SETS


def test_rows_as_one_json_list_and_as_lines_under_the_same_name(tmp_path):
    (tmp_path / "train.json").write_text(json.dumps(ROWS, indent=1))
    assert read_sets(tmp_path, "train") == SETS
    (tmp_path / "train.json").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    assert read_sets(tmp_path, "train") == SETS


def test_rows_in_several_files(tmp_path):
    for number, row in enumerate(ROWS):
        (tmp_path / f"train-0000{number}-of-00003.jsonl").write_text(json.dumps(row))
    assert read_sets(tmp_path, "train") == SETS


def test_rows_as_parquet(tmp_path, monkeypatch):
    """With a stand-in for pyarrow, so that the test runs without it."""
    path = tmp_path / "validation-00000-of-00001.parquet"
    path.write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", SimpleNamespace())
    table = SimpleNamespace(to_pylist=lambda: ROWS)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", SimpleNamespace(read_table=lambda given: table))
    assert read_sets(tmp_path, "dev") == SETS


def test_real_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "validation-00000-of-00001.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(ROWS), path)
    assert read_sets(tmp_path, "dev") == SETS
    path.write_bytes(b"PAR1")
    with pytest.raises(DataError, match="cannot read"):
        read_sets(tmp_path, "dev")


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "validation-00000-of-00001.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(DataError, match="install pyarrow"):
        read_sets(tmp_path, "dev")


def test_a_name_that_is_no_folder_goes_to_datasets(tmp_path, monkeypatch):
    asked = []

    def load_dataset(name, split):
        asked.append((name, split))
        if split == "dve":
            raise ValueError("Unknown split")
        return ROWS

    datasets = SimpleNamespace(load_dataset=load_dataset, __spec__=SimpleNamespace())
    monkeypatch.setitem(sys.modules, "datasets", datasets)
    monkeypatch.chdir(tmp_path)
    assert read_sets("common_gen", "dev") == SETS
    assert asked == [("common_gen", "validation")]
    with pytest.raises(DataError, match="no folder common_gen, and datasets cannot load it: Unknown split"):
        read_sets("common_gen", "dve")


@pytest.mark.parametrize(
    "row",
    [{"concepts": "ski hill", "target": "One."}, {"target": "One."}, {"concepts": ["ski"], "target": 1}],
)
def test_rows_of_another_kind_are_reported(tmp_path, row):
    (tmp_path / "train.jsonl").write_text(json.dumps(row))
    with pytest.raises(DataError, match=r'row 1: expected "concepts" \(a list of words\) and "target"'):
        read_sets(tmp_path, "train")
