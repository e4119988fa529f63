"""Which pairs are trained on."""

from __future__ import annotations

import itertools
import random

import pytest

from neurologic.experiments.training.pairs import Pair, sample

# Three targets for each of a hundred sources.
PAIRS = [
    Pair(f"source {number} =", f"target {number} {again}") for number in range(100) for again in range(3)
]


def sources(pairs):
    return {pair.source for pair in pairs}


def test_a_fraction_has_so_many_sources_with_all_of_their_targets():
    chosen = sample(PAIRS, 0.3)
    assert len(sources(chosen.training)) == 30
    assert len(chosen.training) == 90


def test_smaller_fractions_are_contained_in_larger_ones():
    fractions = [0.01, 0.05, 0.1, 0.25, 0.5, 1.0]
    parts = [set(sample(PAIRS, fraction, 10).training) for fraction in fractions]
    assert all(one < other for one, other in itertools.pairwise(parts))


def test_the_sample_depends_neither_on_chance_nor_on_the_order_of_the_file():
    shuffled = PAIRS[:]
    random.Random(5).shuffle(shuffled)
    for fraction in (0.1, 0.4):
        assert set(sample(PAIRS, fraction, 10).training) == set(sample(shuffled, fraction, 10).training)


def test_the_sample_is_the_one_it_has_always_been():
    """Figures of different days can only be compared if this never changes."""
    assert sorted(sources(sample(PAIRS, 0.03).training)) == ["source 36 =", "source 43 =", "source 73 ="]


def test_what_is_held_out_is_in_no_fraction():
    for fraction in (0.1, 1.0):
        chosen = sample(PAIRS, fraction, 7)
        assert len(sources(chosen.held_out)) == 7
        assert not sources(chosen.held_out) & sources(chosen.training)
    assert sample(PAIRS, 0.1, 7).held_out == sample(PAIRS, 1.0, 7).held_out


def test_at_most_a_tenth_is_held_out():
    assert len(sources(sample(PAIRS, 1.0, 1000).held_out)) == 10
    assert sample(PAIRS[:9], 1.0, 1000).held_out == ()


def test_the_smallest_fraction_is_one_source():
    assert len(sources(sample(PAIRS, 1e-9).training)) == 1


def test_pairs_without_a_source_are_told_apart_by_their_targets():
    pairs = [Pair("", f"text {number}") for number in range(20)]
    assert len(sample(pairs, 0.5).training) == 10


def test_empty_targets_are_left_out():
    assert sample([Pair("a =", " \n"), Pair("b =", "text")]).training == (Pair("b =", "text"),)


@pytest.mark.parametrize(
    "other",
    [
        PAIRS[:-1],
        [*PAIRS[:-1], Pair(PAIRS[-1].source, "another target")],
        [*PAIRS[:-1], Pair("another source =", PAIRS[-1].target)],
        [*PAIRS[:-1], Pair(PAIRS[-1].source + PAIRS[-1].target[0], PAIRS[-1].target[1:])],
    ],
)
def test_other_pairs_have_another_fingerprint(other):
    assert sample(PAIRS).to_json() == sample(list(PAIRS)).to_json()
    assert sample(PAIRS).to_json()["fingerprint"] != sample(other).to_json()["fingerprint"]
