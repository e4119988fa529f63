"""Outputs of other programs, in one of several layouts."""

from __future__ import annotations

import pytest

from neurologic.errors import DataError
from neurologic.experiments.tasks.base import Item
from neurologic.experiments.tasks.external_outputs import OutputLayout, by_id, read_outputs

ITEMS = [Item(name, name, "") for name in ("a", "b", "c")]
LAYOUTS = [
    by_id("one per input", ["a", "b", "c"]),
    OutputLayout("one per line", list("aabbc"), lambda item: item.id),
]


def outputs(folder, text, items=ITEMS):
    (folder / "outputs.txt").write_text(text)
    return read_outputs(folder / "outputs.txt", items, LAYOUTS)


@pytest.mark.parametrize(
    "text", ["1\n2\n3\n", "1\n2\n3", "1\r\n2\r\n3\r\n", "\ufeff1\n2\n3\n\n", "1\nx\n2\ny\n3\n"]
)
def test_the_number_of_lines_tells_the_layout_and_the_first_line_of_a_key_counts(tmp_path, text):
    assert outputs(tmp_path, text) == ["1", "2", "3"]


def test_outputs_for_all_inputs_or_for_the_chosen_ones(tmp_path):
    chosen = [ITEMS[2], ITEMS[0]]
    assert outputs(tmp_path, "1\n2\n3\n", chosen) == ["3", "1"]
    assert outputs(tmp_path, "3\n1\n", chosen) == ["3", "1"]


def test_outputs_may_be_blank(tmp_path):
    assert outputs(tmp_path, "1\n\n3\n") == ["1", "", "3"]
    assert outputs(tmp_path, "1\n2\n\n") == ["1", "2", ""]
    assert outputs(tmp_path, "\n\n\n") == ["", "", ""]
    assert outputs(tmp_path, "1\n\n2\n\n\n") == ["1", "2", ""]


@pytest.mark.parametrize(("text", "found"), [("", "0 lines"), ("1\n", "1 line"), ("1\n" * 6, "6 lines")])
def test_another_number_of_lines_is_named_with_those_that_would_do(tmp_path, text, found):
    with pytest.raises(DataError) as error:
        outputs(tmp_path, text, ITEMS[:2])
    expected = "3 (one per input), or 5 (one per line), or 2 (one for each of the chosen inputs)"
    assert str(error.value).endswith(f"outputs.txt has {found}; expected {expected}")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"there is no .*none\.txt"):
        read_outputs(tmp_path / "none.txt", ITEMS, LAYOUTS)
