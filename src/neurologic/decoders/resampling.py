"""Systematic drawing, and resampling of weighted particles."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from neurologic.search.drawn_texts import Particle
from neurologic.search.hypothesis import Candidate


class Weighted(NamedTuple):
    """A candidate that particles have drawn; `doubt` is the cost of a partly written forbidden word."""

    candidate: Candidate
    particle: Particle
    doubt: float

    @property
    def standing(self) -> float:
        """The logarithm of the weight by which each of its particles is resampled."""
        return self.particle.weight + self.particle.deferred - self.doubt


def log_sum(logarithms: Sequence[float]) -> float:
    """Return the logarithm of the sum of numbers given by their logarithms.

    >>> round(math.exp(log_sum([math.log(2), math.log(3)])), 9)
    5.0
    """
    most = max(logarithms, default=-math.inf)
    if most == -math.inf:
        return most
    return most + math.log(sum(math.exp(value - most) for value in logarithms))


def systematic(logarithms: Sequence[float], count: int, chance: random.Random) -> list[int]:
    """Draw `count` times in proportion to weights; return how often each was drawn.

    A comb with `count` teeth at equal distances falls on the weights laid end to end. So each is drawn in
    proportion to its weight on average, and as often as it must be, give or take one.

    >>> systematic([math.log(0.5), math.log(0.25), math.log(0.25)], 4, random.Random(0))
    [2, 1, 1]
    """
    most = max(logarithms)
    weights = [math.exp(value - most) for value in logarithms]
    distance = sum(weights) / count
    tooth = chance.random() * distance
    counts = [0] * len(weights)
    reached, left = 0.0, count
    for place, weight in enumerate(weights):
        reached += weight
        while tooth < reached and left:
            counts[place] += 1
            tooth += distance
            left -= 1
    counts[weights.index(max(weights))] += left  # rounding may leave the last tooth over
    return counts


def effective(masses: Iterable[tuple[int, float]]) -> float:
    """Return the effective sample size, (Σ w)² / Σ w², of particles given as number and log-weight.

    >>> effective([(3, 0.0), (1, 0.0)]), round(effective([(1, 0.0), (1, -50.0)]), 9)
    (4.0, 1.0)
    """
    given = list(masses)
    most = max(weight for _, weight in given)
    weights = [(count, math.exp(weight - most)) for count, weight in given]
    return sum(count * weight for count, weight in weights) ** 2 / sum(
        count * weight**2 for count, weight in weights
    )


def resampled(
    running: Sequence[Weighted], finished: Sequence[Particle], chance: random.Random
) -> Iterator[Weighted]:
    """Yield the particles that go on, resampled if few of them have most of the weight.

    Finished particles keep their weights, and take part in the comparison only: the more of the weight they
    have, the fewer others go on.
    """
    count = sum(weighted.particle.count for weighted in running)
    everyone = [(weighted.particle.count, weighted.standing) for weighted in running]
    everyone += [(particle.count, particle.weight) for particle in finished]
    number = sum(own for own, _ in everyone)
    masses = [weighted.standing + math.log(weighted.particle.count) for weighted in running]
    total = log_sum(masses)
    share = math.exp(total - log_sum([total, *(particle.mass for particle in finished)]))
    survivors = max(1, min(count, math.ceil(number * share)))
    if 2 * effective(everyone) >= number + 1 and 2 * survivors > count:
        yield from running
        return
    weight = total - math.log(survivors)
    for weighted, copies in zip(running, systematic(masses, survivors, chance), strict=True):
        if copies:
            own = weight - weighted.particle.deferred + weighted.doubt
            yield weighted._replace(particle=replace(weighted.particle, count=copies, weight=own))
        else:
            weighted.candidate.fate = "resampled"
