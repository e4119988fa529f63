"""Which inputs are chosen."""

from hypothesis import given
from hypothesis import strategies as st

from neurologic.experiments.runs import Subset


@given(st.integers(0, 60), st.integers(1, 70), st.integers(1, 70))
def test_samples_are_fixed_nested_and_in_order(count, first, second):
    items = list(range(count))
    small, large = (Subset(sample=size).of(items) for size in sorted((first, second)))
    assert small == Subset(sample=min(first, second)).of(items)
    assert set(small) <= set(large)
    assert large == sorted(set(large))
    assert len(large) == min(count, max(first, second))


def test_the_first_or_all():
    assert Subset(limit=2).of([5, 6, 7]) == [5, 6]
    assert Subset(limit=9).of([5, 6, 7]) == Subset().of([5, 6, 7]) == [5, 6, 7]


def test_a_sample_is_not_the_beginning():
    assert Subset(sample=10).of(range(100)) != list(range(10))


def test_it_says_what_it_is():
    assert [str(Subset()), str(Subset(limit=3)), str(Subset(sample=3))] == [
        "all",
        "first:3",
        "sample:3|sample_seed:0",
    ]
