"""The simulation of a cluster agrees with what can be counted by hand."""

from __future__ import annotations

import random

import pytest

from neurologic.experiments.scale.simulation import Cluster, padding, time_of_run

QUIET = Cluster(slow=0.0, losses=0.0, block_cost=0.0)


def test_many_small_blocks_come_close_to_the_ideal():
    assert time_of_run(QUIET, 64, random.Random(0)) == pytest.approx(1, abs=0.05)


def test_with_one_block_each_the_slowest_worker_decides():
    slow = Cluster(slow=0.5, slowness=3.0, losses=0.0, block_cost=0.0)
    assert time_of_run(slow, 1, random.Random(0)) == pytest.approx(3, abs=0.3)
    assert time_of_run(slow, 64, random.Random(0)) < 2


def test_every_block_costs_something():
    costly = Cluster(slow=0.0, losses=0.0, block_cost=100.0)
    assert time_of_run(costly, 64, random.Random(0)) > time_of_run(costly, 8, random.Random(0))


def test_losses_cost_time_but_end():
    lossy = Cluster(slow=0.0, losses=1.0, block_cost=0.0)
    assert time_of_run(lossy, 16, random.Random(0)) > time_of_run(QUIET, 16, random.Random(0))


def test_sorting_saves_padding_and_one_window_of_a_batch_saves_nothing():
    unsorted, some, all_rows = (padding(window, 8, random.Random(0)) for window in (8, 64, 8192))
    assert unsorted > some > all_rows
    assert padding(1, 1, random.Random(0)) == 0
