"""Rows as branches of one tree per input: shared columns, common beginnings, and inputs that join later."""

from __future__ import annotations

from typing import Any

import pytest

from models.harness import VOCABULARY, Harness
from models.tiny_models import ALL_CAUSAL, CANNOT_READ_TREES, CANNOT_REWIND, SIZE, make, make_vivid
from neurologic.models.base import EncodedPrompt
from neurologic.models.causal import CausalModel


@pytest.fixture(scope="module", params=[name for name in ALL_CAUSAL if name not in CANNOT_READ_TREES])
def tree_reader(request: pytest.FixtureRequest) -> Any:
    return make_vivid(ALL_CAUSAL[request.param])


@pytest.mark.parametrize("name", ALL_CAUSAL)
def test_causal_models_read_trees_but_for_those_known_not_to(name: str) -> None:
    assert CausalModel(make(ALL_CAUSAL[name]), VOCABULARY).reads_trees == (name not in CANNOT_READ_TREES)


def test_inputs_join_a_batch_under_way(tree_reader: Any) -> None:
    harness = Harness(tree_reader, [20, 3, 5])
    for parents in ([0, 0, 1, 2, 2, 2], [1, 0, 3, 4, 5]):
        harness.advance(parents)
    harness.admit([4, 2, 25])
    harness.check()
    harness.advance([0, 1, 1, 5, 5, 6, 7, 7])
    harness.check()
    for _ in range(9):  # so long that columns which no row needs are cleared away
        harness.advance([0, 0, 0, 3, 3, 5, 6, 6])
        harness.check()
    harness.admit([6, 1])
    harness.advance([5, 8, 9, 9])  # whole inputs leave
    harness.check()
    branch = harness.branch([2, 0])
    branch.advance([1, 0, 0])
    branch.check()


def test_inputs_that_join_take_over_what_they_begin_with(tree_reader: Any) -> None:
    read: list[tuple[int, ...]] = []
    harness = Harness(tree_reader, [4, 22])  # the one that is begun alike is not the longest, nor the first
    beginning = harness.prompts[1][:19]
    for _ in range(2):
        harness.advance([0, 1, 1])
    for _ in range(8):  # so long that columns are cleared away
        harness.advance([0, 1, 1])
    handle = tree_reader.register_forward_pre_hook(
        lambda _, __, given: read.append(tuple(given["input_ids"].shape)), with_kwargs=True
    )
    harness.admit([3], beginning)
    harness.admit([2, 5], beginning)
    handle.remove()
    assert read == [(1, 3), (2, 5)]
    harness.check()
    harness.advance([0, 1, 2, 3, 3, 4, 5])
    harness.check()


def test_the_tokens_of_inputs_that_are_gone_are_forgotten(tree_reader: Any) -> None:
    harness = Harness(tree_reader, [5])
    for _ in range(6):
        for _ in range(4):
            harness.advance([0])
        harness.admit([5])
        harness.advance([1])
    assert harness.decoding.input_ids().shape[1] <= 5 + 5 + 4 + 1
    harness.check()


@pytest.mark.parametrize("name", [name for name in ALL_CAUSAL if name not in CANNOT_REWIND])
def test_prompts_may_begin_alike(name: str) -> None:
    harness = Harness(make_vivid(ALL_CAUSAL[name]), [3])
    beginning = tuple(harness.random.randrange(3, SIZE) for _ in range(20))
    harness.prompts = [beginning + tuple(range(5, 5 + more)) for more in (1, 9, 4)]
    harness.decoding = harness.adapter.start([EncodedPrompt(ids) for ids in harness.prompts])
    harness.rows = [(number, ()) for number in range(3)]
    harness.check()
    harness.advance([0, 1, 1, 2])
    harness.check()


def test_a_common_beginning_is_read_once(tree_reader: Any) -> None:
    harness = Harness(tree_reader, [3])
    beginning = tuple(harness.random.randrange(3, SIZE) for _ in range(20))
    harness.prompts = [beginning + (5,) * more for more in (1, 4, 1, 6)]
    read = []
    handle = tree_reader.register_forward_pre_hook(
        lambda _, __, given: read.append(tuple(given["input_ids"].shape)), with_kwargs=True
    )
    harness.decoding = harness.adapter.start([EncodedPrompt(ids) for ids in harness.prompts])
    handle.remove()
    harness.rows = [(number, ()) for number in range(4)]
    assert read == [(1, 20), (4, 6)]
    harness.check()
    harness.advance([0, 1, 1, 2, 3])
    harness.check()


def test_the_rows_of_a_tree_share_what_they_agree_on(tree_reader: Any) -> None:
    harness = Harness(tree_reader, [20])
    harness.advance([0] * 8)
    for _ in range(30):
        harness.advance([0] * 8)  # all rows have the same parent, so that only the last tokens differ
    layer = harness.decoding._cache.layers[0]
    assert layer.keys.shape[0] == 1
    assert layer.keys.shape[2] < 2 * (20 + 30 + 8)  # not 8 * (20 + 31)


def test_a_tree_may_have_more_columns_than_the_model_has_positions(tree_reader: Any) -> None:
    harness = Harness(tree_reader, [40])
    harness.advance([0] * 8)
    for _ in range(10):
        harness.advance(range(8))  # nothing is shared but the prompt
    assert harness.decoding._cache.layers[0].keys.shape[2] == 40 + 11 * 8
    harness.check()
