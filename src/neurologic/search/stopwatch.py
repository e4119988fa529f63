"""Where the time of a search goes: seconds per part, for benchmarks.

Parts do not overlap; whatever is in none of them is the search's own bookkeeping, and for decoders that look
ahead also their roll-outs. A part ends when its call
returns, so that on a device which works on by itself the seconds say little.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

Part = Literal["model", "log-softmax", "top-k"]


class Stopwatch:
    """Adds up seconds.

    seconds  per part: "model" is forward passes with their cache, "log-softmax" the whole way from scores to
             log-likelihoods, "top-k" the choice of the likeliest candidates
    steps    how often an input has gone one token further
    """

    def __init__(self) -> None:
        self.seconds: dict[Part, float] = {"model": 0.0, "log-softmax": 0.0, "top-k": 0.0}
        self.steps = 0

    @contextmanager
    def part(self, name: Part) -> Iterator[None]:
        """Count the time inside as that of a part."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] += time.perf_counter() - started
