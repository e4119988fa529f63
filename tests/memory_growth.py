"""Measure the memory of a long-lived process: `python tests/memory_growth.py -o memory.svg`.

Three runs, with a toy model so that the tables are all that could grow: many different formulas, each for one
prompt; one formula with 300 counted phrases for many prompts; and large formulas, none of them twice. Print
the resident memory on the way, and draw it. Every run has a process of its own.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import random
import string
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import count, islice, product
from pathlib import Path
from typing import Any

from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.logic import Formula, all_of, any_of, at_least, none_of, phrase
from neurologic.models.base import EncodedPrompt
from toys import ToyLoadedModel, random_model, toy_vocabulary

WORDS = [first + second for first, second in product(string.ascii_lowercase, "aeiouylnrst")]
VOCABULARY = toy_vocabulary(*string.ascii_lowercase, " ", ".", ",", *(f" {word}" for word in WORDS))


class Toy(ToyLoadedModel):
    """A toy that answers every prompt otherwise."""

    def encode(self, prompt: Any, raw: bool = False, **_: Any) -> EncodedPrompt:
        chance = random.Random(prompt)
        return EncodedPrompt(tuple(chance.randrange(1, len(VOCABULARY)) for _ in range(3)))


def new_formula(chance: random.Random) -> Formula:
    """Return a formula of some required, alternative, counted and forbidden words."""
    words = chance.sample(WORDS, 12)
    return all_of(
        *words[:2],
        any_of(*words[2:5]),
        phrase(words[5], times=2),
        none_of(*words[6:10]),
        at_least(1, *words[10:]),
    )


def counted_formula(size: int = 300, least: int = 3) -> Formula:
    """Return a formula of many phrases that count their places: each combination of counts is a state."""
    twice = min(size, len(WORDS))
    counted = [phrase(word, times=2) for word in WORDS[:twice]]
    counted += [phrase(word, times=3) for word in WORDS[: size - twice]]
    return at_least(least, *counted) & none_of(*(phrase(word, times=5) for word in WORDS[:5]))


def large_formula(chance: random.Random, size: int = 2_000) -> Formula:
    """Return a formula of so many forbidden words."""
    words = ("".join(chance.choices(string.ascii_lowercase, k=chance.randint(4, 9))) for _ in range(size))
    return all_of("ba", none_of(*dict.fromkeys(words)))


def megabytes() -> float:
    """Return the resident memory of this process."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


Points = list[tuple[int, float]]  # how many texts so far, and megabytes


def different_formulas() -> Iterator[tuple[str, Formula]]:
    chance = random.Random(1)
    return ((f"prompt {number}", new_formula(chance)) for number in count())


def one_formula() -> Iterator[tuple[str, Formula]]:
    formula = counted_formula(least=1)  # three of them take five times as long to plan
    return ((f"prompt {number}", formula) for number in count())


def large_formulas() -> Iterator[tuple[str, Formula]]:
    chance = random.Random(2)
    return ((f"prompt {number}", large_formula(chance)) for number in count())


RUNS: dict[str, Callable[[], Iterator[tuple[str, Formula]]]] = {
    "different formulas": different_formulas,
    "one formula": one_formula,
    "large formulas": large_formulas,
}


def measured(name: str, texts: int) -> Points:
    """Write so many texts; return the memory on the way."""
    warnings.simplefilter("ignore")
    lm = ConstrainedModel(Toy(random_model(VOCABULARY, seed=1)))  # type: ignore[arg-type]
    points: Points = []
    start = time.monotonic()
    for number, (prompt, formula) in enumerate(islice(RUNS[name](), texts), start=1):
        lm.generate(prompt, formula, num_beams=2, max_new_tokens=10, alpha=8)
        if number == 1 or number % max(1, texts // 20) == 0:
            points.append((number, megabytes()))
            seconds = time.monotonic() - start
            print(f"{name} {number:6d}: {points[-1][1]:7.1f} MB  ({seconds:.0f} s)", flush=True)
    return points


def draw(runs: dict[str, Points], path: str) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.2), layout="constrained")
    axes = figure.subplots()
    for name, points in runs.items():
        label = f"{name} ({points[-1][0]:,} texts)"
        axes.plot([number / points[-1][0] for number, _ in points], [size for _, size in points], label=label)
    axes.set(xlabel="share of the run", ylabel="resident memory, MB", ylim=(0, None))
    axes.legend()
    figure.savefig(path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--formulas", type=int, default=10_000)
    parser.add_argument("--prompts", type=int, default=2_000)
    parser.add_argument("--large", type=int, default=600)
    parser.add_argument("-o", "--output", help="draw the memory here")
    arguments = parser.parse_args()
    numbers = (arguments.formulas, arguments.prompts, arguments.large)
    wanted = {name: number for name, number in zip(RUNS, numbers, strict=True) if number}
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        runs = {name: pool.apply(measured, (name, number)) for name, number in wanted.items()}
    for name, points in runs.items():
        half = len(points) // 2
        growth = points[-1][1] - points[half][1]
        print(f"{name}: {growth:+.1f} MB over the second half of {points[-1][0]}")
    if arguments.output:
        draw(runs, arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
