"""Measure the memory of a long-lived process: `python tests/memory_growth.py -o memory.svg`.

Two runs in one process, with a toy model so that the tables are all that could grow: many different formulas,
each for one prompt; then one formula with 300 counted phrases for many prompts. Print the resident memory on
the way, and draw it.
"""

from __future__ import annotations

import argparse
import gc
import random
import string
import sys
import time
import warnings
from collections.abc import Iterator
from itertools import product
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


def counted_formula(size: int = 300) -> Formula:
    """Return a formula of many phrases that count their places: each combination of counts is a state."""
    twice = min(size, len(WORDS))
    counted = [phrase(word, times=2) for word in WORDS[:twice]]
    counted += [phrase(word, times=3) for word in WORDS[: size - twice]]
    return at_least(3, *counted) & none_of(*(phrase(word, times=5) for word in WORDS[:5]))


def megabytes() -> float:
    """Return the resident memory of this process."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


Points = list[tuple[int, float]]  # how many texts so far, and megabytes


def measured(name: str, lm: ConstrainedModel, requests: Iterator[tuple[str, Formula]], count: int) -> Points:
    points: Points = []
    start = time.monotonic()
    for number, (prompt, formula) in enumerate(requests, start=1):
        lm.generate(prompt, formula, num_beams=2, max_new_tokens=16, alpha=20)
        if number == 1 or number % max(1, count // 10) == 0:
            points.append((number, megabytes()))
            seconds = time.monotonic() - start
            print(f"{name} {number:6d}: {points[-1][1]:7.1f} MB  ({seconds:.0f} s)", flush=True)
        if number == count:
            break
    return points


def draw(runs: dict[str, Points], path: str) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.2), layout="constrained")
    axes = figure.subplots()
    for name, points in runs.items():
        axes.plot([number / points[-1][0] for number, _ in points], [size for _, size in points], label=name)
    axes.set(xlabel="share of the run", ylabel="resident memory, MB", ylim=(0, None))
    axes.legend()
    figure.savefig(path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--formulas", type=int, default=10_000)
    parser.add_argument("--prompts", type=int, default=2_000)
    parser.add_argument("-o", "--output", help="draw the memory here")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    lm = ConstrainedModel(Toy(random_model(VOCABULARY, seed=1)))  # type: ignore[arg-type]
    chance = random.Random(1)
    many = ((f"prompt {number}", new_formula(chance)) for number in range(arguments.formulas))
    one = counted_formula()
    runs = {
        "different formulas": measured("formulas", lm, many, arguments.formulas),
        "one formula": measured(
            "prompts", lm, ((f"prompt {n}", one) for n in range(arguments.prompts)), arguments.prompts
        ),
    }
    for name, points in runs.items():
        half = len(points) // 2
        growth = points[-1][1] - points[half][1]
        print(f"{name}: {growth:+.1f} MB over the second half of {points[-1][0]}")
    if arguments.output:
        draw(runs, arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
