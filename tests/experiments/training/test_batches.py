"""Plans of batches, and their tensors."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from neurologic.experiments.training.batches import collate, plan_batches
from neurologic.experiments.training.examples import IGNORED, Example

SIZES = random.Random(1).choices(range(10, 60), k=1000)


def test_a_pass_has_every_example_once():
    plan = plan_batches(SIZES, 32, epochs=1)
    assert sorted(place for batch in plan for place in batch) == list(range(1000))
    assert sorted(map(len, plan)) == [1000 % 32, *[32] * (1000 // 32)]


def test_two_passes_have_every_example_twice_in_another_order():
    plan = plan_batches(SIZES, 32, epochs=2)
    half = len(plan) // 2
    assert set(Counter(place for batch in plan for place in batch).values()) == {2}
    assert plan[:half] != plan[half:]


def test_half_a_pass():
    plan = plan_batches(SIZES, 10, epochs=0.5)
    assert len(plan) == 50
    assert set(Counter(place for batch in plan for place in batch).values()) == {1}


@pytest.mark.parametrize("steps", [1, 7, 200])
def test_so_many_steps_whatever_the_number_of_examples(steps):
    assert len(plan_batches(SIZES, 32, steps=steps)) == steps
    assert len(plan_batches(SIZES[:3], 32, steps=steps)) == steps


def test_the_same_seed_gives_the_same_plan():
    assert plan_batches(SIZES, 32, epochs=1, seed=3) == plan_batches(SIZES, 32, epochs=1, seed=3)
    assert plan_batches(SIZES, 32, epochs=1, seed=3) != plan_batches(SIZES, 32, epochs=1, seed=4)


def test_more_steps_begin_as_fewer_steps_do():
    assert plan_batches(SIZES, 32, steps=90)[:40] == plan_batches(SIZES, 32, steps=40)


def test_batches_of_similar_sizes_have_little_padding():
    def padded(plan):
        return sum(len(batch) * max(SIZES[place] for place in batch) for batch in plan)

    places = list(range(1000))
    random.Random(2).shuffle(places)
    by_chance = [places[start : start + 32] for start in range(0, 1000, 32)]
    plan = plan_batches(SIZES, 32, epochs=1)
    assert padded(plan) < 1.1 * sum(SIZES) < padded(by_chance)


def test_short_and_long_batches_come_in_no_order():
    lengths = [max(SIZES[place] for place in batch) for batch in plan_batches(SIZES, 32, epochs=1)]
    assert lengths != sorted(lengths)


def test_padding_is_neither_read_nor_learned():
    batch = collate([Example((1, 2, 3), (IGNORED, 2, 3)), Example((4,), (4,))], pad_id=9)
    assert batch["input_ids"].tolist() == [[1, 2, 3], [4, 9, 9]]
    assert batch["attention_mask"].tolist() == [[1, 1, 1], [1, 0, 0]]
    assert batch["labels"].tolist() == [[IGNORED, 2, 3], [4, IGNORED, IGNORED]]


def test_source_and_target_have_lengths_of_their_own():
    batch = collate([Example((1, 2, 3), (5,)), Example((4,), (6, 7))], pad_id=0)
    assert batch["input_ids"].shape == (2, 3)
    assert batch["labels"].tolist() == [[5, IGNORED], [6, 7]]
