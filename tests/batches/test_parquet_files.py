"""Lines of JSON as Parquet: whatever they hold, there is a row for each line, and nothing is lost."""

from __future__ import annotations

import io
import json
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

parquet = pytest.importorskip("pyarrow.parquet", reason="the extra parquet is not installed")

from neurologic.batches import parquet_files  # noqa: E402

NAMES = st.sampled_from("ab")
VALUES = st.recursive(
    st.none() | st.booleans() | st.sampled_from([0, 1, 2**53 + 1, 2**70, 0.5, 1e300, "", "é", "1"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=4,
)


def same(found, given):
    """Whether a value is the given one: as it was, as a float, with null fields, or as JSON text."""
    if found == given:
        return True
    if isinstance(given, (int, float)) and isinstance(found, float):
        return found == float(given)
    if isinstance(given, list) and isinstance(found, list):
        return len(found) == len(given) and all(map(same, found, given))
    if isinstance(given, dict) and isinstance(found, dict):
        return all(same(found.get(name), given.get(name)) for name in {**found, **given})
    return isinstance(found, str) and json.loads(found) == given


@settings(max_examples=100, deadline=None)
@given(st.lists(st.dictionaries(NAMES, VALUES, max_size=2), max_size=5), st.integers(1, 3))
def test_every_value_is_there(tmp_path_factory, rows, at_a_time):
    path: Path = tmp_path_factory.getbasetemp() / "lines.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    target = io.BytesIO()
    with patch.object(parquet_files, "_ROWS_AT_A_TIME", at_a_time):
        parquet_files.write_lines_as_parquet(str(path), target)
    found = parquet.read_table(target).to_pylist()
    assert len(found) == len(rows)
    for there, row in zip(found, rows, strict=True):
        assert all(same(there[name], value) for name, value in row.items()), (there, row)
