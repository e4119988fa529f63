"""What forbidden phrases cost: set-up time and seconds per step, with 10 and with 3,000 of them.

    python examples/forbidden.py

The phrases are drawn anew for every run, half of them words and half pairs of words, from the words that are
single tokens of the default model. Runs with few and with many alternate, so that a busy moment of the
machine hits both; printed are the medians. A step extends every beam of every text by one token.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import time

import neurologic as nl
from neurologic.generation import ConstrainedModel

PROMPTS = (
    "The best way to cook rice is",
    "The children went to the park and",
    "My grandmother always told me that",
    "The secret of a happy life is",
)


def frequent_words(lm: ConstrainedModel) -> list[str]:
    """Words of four letters and more that the tokenizer has a token for, the most frequent first."""
    tokens = sorted(lm.tokenizer.get_vocab().items(), key=lambda item: item[1])
    return [token[1:] for token, _ in tokens if re.fullmatch("Ġ[a-z]{4,}", token)]


def draw(words: list[str], count: int, random_: random.Random) -> list[str]:
    """`count` different phrases: words and pairs of words."""
    drawn = set(random_.sample(words, count // 2))
    while len(drawn) < count:
        drawn.add(" ".join(random_.sample(words, 2)))
    return sorted(drawn)


def measure(lm: ConstrainedModel, phrases: list[str], beams: int, steps: int) -> tuple[float, float]:
    """Seconds for the set-up (formula to automaton), and per step of a batch."""
    started = time.perf_counter()
    constraint = lm.compile(nl.none_of(*phrases))
    ready = time.perf_counter()
    results = lm.generate(
        list(PROMPTS), constraint, raw=True, num_beams=beams, max_new_tokens=steps, min_new_tokens=steps
    )
    seconds = time.perf_counter() - ready
    assert all(result.satisfied for result in results)
    return ready - started, seconds / steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--few", type=int, default=10)
    parser.add_argument("--many", type=int, default=3000)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--num-beams", type=int, default=8)
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--threads", type=int, help="threads that torch may use")
    arguments = parser.parse_args()

    lm = nl.load(threads=arguments.threads)
    words = frequent_words(lm)
    counts = (arguments.few, arguments.many)
    times: dict[int, list[tuple[float, float]]] = {count: [] for count in counts}
    for run in range(-1, arguments.runs):  # the first run warms up and does not count
        for count in counts:
            phrases = draw(words, count, random.Random(f"{run} {count}"))
            measured = measure(lm, phrases, arguments.num_beams, arguments.steps)
            if run >= 0:
                times[count].append(measured)
    print(
        f"{len(PROMPTS)} texts, {arguments.num_beams} beams, {arguments.steps} steps; "
        f"median of {arguments.runs} runs, fastest and slowest in brackets"
    )
    for count in counts:
        setup, step = zip(*times[count], strict=True)
        print(
            f"{count:5d} forbidden phrases: set-up {statistics.median(setup) * 1000:.0f} ms "
            f"[{min(setup) * 1000:.0f}-{max(setup) * 1000:.0f}], "
            f"{statistics.median(step) * 1000:.0f} ms per step "
            f"[{min(step) * 1000:.0f}-{max(step) * 1000:.0f}]"
        )


if __name__ == "__main__":
    main()
