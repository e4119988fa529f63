"""How many random cases a property gets: few in `make test`, which repeats them, more in `make fuzz`."""

from __future__ import annotations

from hypothesis import settings

_MORE = 3  # times as many where every run has new cases


def cases(count: int) -> settings:
    """Return hypothesis' settings for `count` cases, without a time limit for any of them."""
    repeats = settings().derandomize  # the profile of `make test`; see conftest.py
    return settings(max_examples=count if repeats else _MORE * count, deadline=None)
