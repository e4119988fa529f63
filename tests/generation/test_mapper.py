"""`dataset.map(lm.mapper(…), batched=True)`."""

from __future__ import annotations

import pytest

from echo_model import EchoModel
from neurologic.generation.constrained_model import ConstrainedModel

ROWS = {
    "prompt": ["one", "two", "three", "x" * 500],
    "formula": ["", "text", "!text", ""],
    "note": [1, 2, 3, 4],
}


@pytest.fixture
def lm():
    return ConstrainedModel(EchoModel())


def test_columns_in_columns_out(lm):
    written = lm.mapper("prompt", formula_column="formula", decoder="beam", reduce=True)(ROWS)
    assert written["text"] == ["The text of one.", "The text of two.", "The text of three.", ""]
    assert written["satisfied"] == [True, True, False, False]
    assert written["unmet"] == ["", "", "!text", ""]
    assert written["error"] == ["", "", "", "the prompt has 500 tokens"]


def test_wishes_and_prompts_that_do_not_name_the_phrases(lm):
    rows = {"prompt": ["one", "two"], "formula": ["prefer(text)", ""], "plain": ["a", None]}
    function = lm.mapper("prompt", "formula", "plain", decoder="beam", reduce=True)
    assert function(rows)["wishes"] == ["text", ""]


def test_wrong_options_are_told_before_the_first_row(lm):
    with pytest.raises(ValueError, match="num_beams"):
        lm.mapper("prompt", num_beams=0)


def test_a_dataset_of_hugging_face(lm, tmp_path):
    """The error comes in the last batch: its column must be text in the first one already."""
    datasets = pytest.importorskip("datasets", reason="the package datasets is not installed")
    given = datasets.Dataset.from_dict(ROWS)
    function = lm.mapper("prompt", formula_column="formula", decoder="beam", reduce=True)
    written = given.map(function, batched=True, batch_size=1, new_fingerprint="test")
    assert written["note"] == ROWS["note"]
    assert written["text"][:2] == ["The text of one.", "The text of two."]
    assert [error != "" for error in written["error"]] == [False, False, False, True]
    assert written.features["error"].dtype == "string"
