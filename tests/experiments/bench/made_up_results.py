"""Results with made-up times, so that every statistic can be calculated by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from neurologic.experiments.bench.results import Machine, Measured, Results, Run, Series
from neurologic.experiments.bench.scenarios import SCENARIOS
from neurologic.experiments.bench.scenarios.clause_sweep import ALL_NEGATIVE, name_of_count
from neurologic.experiments.bench.workload import (
    AGAIN,
    FROM_FILE,
    HINTED,
    NEW,
    OURS,
    OURS_INT8,
    REFERENCE,
    SERVED,
)

MACHINE = Machine(
    cpu="An abacus",
    cores=2,
    threads=1,
    system="Linux x86_64",
    model="tiny",
    device="cpu",
    dtype="float32",
    versions={"neurologic": "1", "torch": "2", "transformers": "3", "python": "4"},
)


def ours(seconds: Sequence[float], *, bookkeeping: float = 0.5, **rest: Any) -> Series:
    """Runs of one text of 10 steps; `bookkeeping` is what each run spends outside of the model."""
    runs = [
        Run(each, texts=1, tokens=10, satisfied=1, steps=10, parts={"model": each - bookkeeping})
        for each in seconds
    ]
    first = Run(99.0, texts=1, tokens=10, satisfied=1, steps=10, parts={"model": 98.0})
    return Series(first, tuple(runs), compiling=0.25, **rest)


def theirs(seconds: Sequence[float], **rest: Any) -> Series:
    return Series(Run(98.0, texts=1, tokens=20), tuple(Run(each, 1, 20) for each in seconds), **rest)


def against(letter: str, mine: Sequence[float], reference: Sequence[float], **rest: Any) -> Measured:
    return Measured(
        letter, f"title of {letter}", 8, 32, {OURS: ours(mine, **rest), REFERENCE: theirs(reference)}
    )


def sweep(**seconds: Sequence[float]) -> Measured:
    """`one`, `thousand` and `negatives`, beside a reference of 4 seconds."""
    names = {"one": name_of_count(1), "thousand": name_of_count(1_000), "negatives": ALL_NEGATIVE}
    sides = {names[name]: ours(each) for name, each in seconds.items()}
    rounds = len(next(iter(seconds.values())))
    return Measured("d", "title of d", 8, 32, {**sides, REFERENCE: theirs([4.0] * rounds)})


def results_of(
    *measured: Measured, letters: Sequence[str] = tuple(SCENARIOS), quick: bool = False, rounds: int = 5
) -> Results:
    return Results(MACHINE, tuple(letters), rounds, quick, list(measured))


def served(seconds: Sequence[float], file: Sequence[float], waits: Sequence[float] = (0.2, 0.4)) -> Measured:
    """A server whose clients waited so long, beside a file."""

    def series(times: Sequence[float], waits: Sequence[float] | None) -> Series:
        runs = tuple(Run(each, texts=2, tokens=20, satisfied=2, waits=waits) for each in times)
        return Series(runs[0], runs)

    return Measured("s", "title of s", 8, 32, {SERVED: series(seconds, waits), FROM_FILE: series(file, None)})


def fresh(letter: str, *, new: float = 0.5, again: float = 0.25, texts: int = 1) -> Measured:
    """Texts of 10 steps, compiled in 4 ms each; `new` and `again` are the seconds of bookkeeping."""

    def series(bookkeeping: float, compiling: float | None) -> Series:
        run = Run(
            2.0,
            texts=texts,
            tokens=10 * texts,
            satisfied=texts,
            steps=10 * texts,
            parts={"model": 2.0 - bookkeeping},
            compiling=compiling,
        )
        return Series(run, (run,))

    sides = {NEW: series(new, 0.004 * texts), AGAIN: series(again, None)}
    return Measured(letter, f"title of {letter}", 8, 32, sides)


def all_results(*, quick: bool = False) -> Results:
    """Every scenario, one round."""
    plain = against("a", [3.0], [4.0])
    hinted = replace(plain, sides={**plain.sides, HINTED: ours([4.5])})
    natural = Measured(
        "e",
        "title of e",
        8,
        64,
        {
            OURS: ours([3.0], peak_memory=50 * 2**20),
            REFERENCE: theirs([6.0], peak_memory=100 * 2**20),
        },
    )
    plain = against("i", [3.0], [4.0])
    translated = replace(plain, sides={**plain.sides, OURS_INT8: ours([1.0])})
    return results_of(
        hinted,
        against("b", [1.0], [4.0]),
        against("c", [2.0], [4.0]),
        sweep(one=[2.0], thousand=[2.1], negatives=[3.0]),
        natural,
        fresh("g1"),
        fresh("g8", texts=8),
        fresh("g64", texts=64),
        fresh("h40"),
        translated,
        against("j", [1.0], [1.0]),
        served([3.0], [2.9]),
        quick=quick,
        rounds=1,
    )
