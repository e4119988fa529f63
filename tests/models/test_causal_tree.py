"""Rows as branches of one tree per input: shared columns, common beginnings, and inputs that join later."""

from __future__ import annotations

from typing import Any

import pytest

from models.harness import FIRST, VOCABULARY, random_prompts, tracked
from neurologic.models.causal import CausalModel
from tiny.families import ALL_CAUSAL, CANNOT_READ_TREES, CANNOT_REWIND, make, make_vivid

BEGINNING = tuple(range(FIRST, FIRST + 20))


@pytest.fixture(scope="module", params=[name for name in ALL_CAUSAL if name not in CANNOT_READ_TREES])
def tree_reader(request: pytest.FixtureRequest) -> Any:
    return make_vivid(ALL_CAUSAL[request.param])


@pytest.mark.parametrize("name", ALL_CAUSAL)
def test_causal_models_read_trees_but_for_those_known_not_to(name: str) -> None:
    assert CausalModel(make(ALL_CAUSAL[name]), VOCABULARY).reads_trees == (name not in CANNOT_READ_TREES)


def test_inputs_join_a_batch_under_way(tree_reader: Any) -> None:
    rows = tracked(tree_reader, random_prompts([20, 3, 5]))
    for parents in ([0, 0, 1, 2, 2, 2], [1, 0, 3, 4, 5]):
        rows.advance(parents)
    rows.admit(random_prompts([4, 2, 25], seed=8))
    rows.check()
    rows.advance([0, 1, 1, 5, 5, 6, 7, 7])
    rows.check()
    for _ in range(9):  # so long that columns which no row needs are cleared away
        rows.advance([0, 0, 0, 3, 3, 5, 6, 6])
        rows.check()
    rows.admit(random_prompts([6, 1], seed=9))
    rows.advance([5, 8, 9, 9])  # whole inputs leave
    rows.check()
    branch = rows.branch([2, 0])
    branch.advance([1, 0, 0])
    branch.check()


def test_inputs_that_join_take_over_what_they_begin_with(tree_reader: Any) -> None:
    read: list[tuple[int, ...]] = []
    rows = tracked(tree_reader, random_prompts([4, 22]))
    beginning = rows.rows[1][0].ids[:19]
    for _ in range(2):
        rows.advance([0, 1, 1])
    for _ in range(8):  # so long that columns are cleared away
        rows.advance([0, 1, 1])
    handle = tree_reader.register_forward_pre_hook(
        lambda _, __, given: read.append(tuple(given["input_ids"].shape)), with_kwargs=True
    )
    rows.admit(random_prompts([3], beginning=beginning, seed=8))
    rows.admit(random_prompts([2, 5], beginning=beginning, seed=9))
    handle.remove()
    assert read == [(1, 3), (2, 5)]
    rows.check()
    rows.advance([0, 1, 2, 3, 3, 4, 5])
    rows.check()


def test_the_tokens_of_inputs_that_are_gone_are_forgotten(tree_reader: Any) -> None:
    rows = tracked(tree_reader, random_prompts([5]))
    for _ in range(6):
        for _ in range(4):
            rows.advance([0])
        rows.admit(random_prompts([5], seed=8))
        rows.advance([1])
    assert rows.decoding.input_ids().shape[1] <= 5 + 5 + 4 + 1
    rows.check()


@pytest.mark.parametrize("name", [name for name in ALL_CAUSAL if name not in CANNOT_REWIND])
def test_prompts_may_begin_alike(name: str) -> None:
    rows = tracked(make_vivid(ALL_CAUSAL[name]), random_prompts([1, 9, 4], beginning=BEGINNING))
    rows.check()
    rows.advance([0, 1, 1, 2])
    rows.check()


def test_a_common_beginning_is_read_once(tree_reader: Any) -> None:
    read = []
    handle = tree_reader.register_forward_pre_hook(
        lambda _, __, given: read.append(tuple(given["input_ids"].shape)), with_kwargs=True
    )
    rows = tracked(tree_reader, random_prompts([1, 4, 1, 6], beginning=BEGINNING))
    handle.remove()
    assert read[:2] == [(1, 20), (4, 6)]  # then it tries whether the model reads trees
    rows.check()
    rows.advance([0, 1, 1, 2, 3])
    rows.check()


def test_the_rows_of_a_tree_share_what_they_agree_on(tree_reader: Any) -> None:
    rows = tracked(tree_reader, random_prompts([20]))
    rows.advance([0] * 8)
    for _ in range(30):
        rows.advance([0] * 8)  # all rows have the same parent, so that only the last tokens differ
    layer = rows.decoding._cache.layers[0]
    assert layer.keys.shape[0] == 1
    assert layer.keys.shape[2] < 2 * (20 + 30 + 8)  # not 8 * (20 + 31)


def test_a_tree_may_have_more_columns_than_the_model_has_positions(tree_reader: Any) -> None:
    rows = tracked(tree_reader, random_prompts([40]))
    rows.advance([0] * 8)
    for _ in range(10):
        rows.advance(range(8))  # nothing is shared but the prompt
    assert rows.decoding._cache.layers[0].keys.shape[2] == 40 + 11 * 8
    rows.check()
