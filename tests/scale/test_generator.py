"""`Generator` without Ray: batches in, batches with results out."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from echo_model import EchoModel
from neurologic.generation.constrained_model import ConstrainedModel

pa = pytest.importorskip("pyarrow", reason="the extra ray is not installed")

from neurologic.scale import Generator  # noqa: E402


@pytest.fixture
def generator():
    return Generator(lambda: ConstrainedModel(EchoModel()), decoder="beam", reduce=True, batch_size=2)


def test_columns_stay_and_those_of_results_have_the_same_types_in_every_batch(generator):
    good = generator(pa.table({"prompt": ["one", "three three"], "formula": ["text", None], "note": [1, 2]}))
    assert good["text"].to_pylist() == ["The text of one.", "The text of three three."]
    assert good["note"].to_pylist() == [1, 2]
    bad = generator(pa.table({"prompt": ["x" * 500, "a"], "formula": ["&", None], "note": [3, 4]}))
    assert [error is None for error in bad["error"].to_pylist()] == [False, True]
    added = [name for name in good.column_names if name not in ("prompt", "formula", "note")]
    assert good.select(added).schema == bad.select(added).schema


def test_every_format_of_ray_will_do(generator):
    import numpy as np

    assert generator({"prompt": np.array(["one"])})["text"].to_pylist() == ["The text of one."]
    pandas = pytest.importorskip("pandas")
    assert generator(pandas.DataFrame({"prompt": ["one"]}))["text"].to_pylist() == ["The text of one."]


def test_other_names_of_columns(generator):
    named = Generator(lambda: ConstrainedModel(EchoModel()), prompt_column="question", decoder="greedy")
    written = named(pa.table({"question": ["one"]}))
    assert (written.column_names[0], written["text"].to_pylist()) == ("question", ["The text of one."])


def test_overlapping_calls_do_not_mix_their_rows(generator):
    batches = [pa.table({"prompt": [f"b{batch}r{row}" for row in range(5)]}) for batch in range(3)]
    with ThreadPoolExecutor(3) as pool:
        for batch, written in zip(batches, pool.map(generator, batches), strict=True):
            assert written["text"].to_pylist() == [
                f"The text of {prompt}." for prompt in batch["prompt"].to_pylist()
            ]


def test_wishes_hints_and_predicates_have_columns_too(generator):
    rows = {
        "prompt": ["one", "two"],
        "formula": ["prefer(text, 2) & words(..4)", None],
        "plain_prompt": ["", "a"],
    }
    written = generator(pa.table(rows))
    assert written["wishes"].to_pylist() == [[{"wish": "text", "met": True, "weight": 2.0}], None]
    assert written["clauses"].to_pylist()[0][0]["clause"] == "words(..4)"
    again = generator(written.drop_columns(["formula"]).append_column("formula", pa.array([None, "!text"])))
    assert again["wishes"].to_pylist() == [None, None], "nothing of an earlier run stays"


def test_a_misspelt_column_is_told_or_refused():
    table = pa.table({"prompt": ["one"], "includes": [["text"]]})
    for strict in (False, True):
        made = Generator(lambda: ConstrainedModel(EchoModel()), decoder="greedy", strict=strict)
        if strict:
            assert 'did you mean "include"' in made(table)["error"].to_pylist()[0]
        else:
            with pytest.warns(RuntimeWarning, match='did you mean "include"'):
                assert made(table)["error"].to_pylist() == [None]
