"""Random problems for the SAT layer, and a second opinion on them.

`python tests/random_problems.py --number 10000` compares `refutation.decide` with another solver on new
random problems of up to 200 phrases, and prints how often they agree, how long the answers take (processor
time), and how many cores are minimal. The tests run some hundred of the same.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter

from pysat.solvers import Cadical153

from neurologic.logic import Literal, Node, Phrase, Threshold
from neurologic.logic.refutation import Verdict, decide
from neurologic.logic.sat_encoding import Encoding

Contained = dict[Phrase, frozenset[Phrase]]


def problem(chance: random.Random, most: int = 200) -> tuple[list[Node], Contained]:
    """Return clauses over up to `most` phrases, dense enough to contradict each other half of the time."""
    kind = chance.choice(["3-sat", "mixed", "mixed", "counts"])
    # Random 3-SAT of 200 words is what solvers are measured with; half of that is hard enough for a formula.
    most = min(most, 100) if kind == "3-sat" else most
    phrases = [Phrase(f"w{number}") for number in range(chance.randint(2, most))]
    roots: list[Node] = []
    for _ in range(round(len(phrases) * chance.uniform(0.3, 5.0 if kind == "3-sat" else 2.5)) + 1):
        if kind == "3-sat":
            roots.append(_any(chance, phrases, 3))
        elif chance.random() < 0.25:
            roots.append(_literal(chance, phrases))
        elif chance.random() < (0.4 if kind == "counts" else 0.1):
            roots.append(_count(chance, phrases))
        else:
            roots.append(_any(chance, phrases, chance.randint(2, 5)))
    contained: Contained = {}
    for place in range(0, len(phrases) - 1, chance.randint(3, 30)):
        contained[phrases[place]] = frozenset({phrases[place + 1]})
    return roots, contained


def _literal(chance: random.Random, phrases: list[Phrase]) -> Literal:
    return Literal(chance.choice(phrases), chance.random() < 0.5)


def _any(chance: random.Random, phrases: list[Phrase], size: int) -> Node:
    return Threshold(1, tuple(_literal(chance, phrases) for _ in range(size)))


def _count(chance: random.Random, phrases: list[Phrase]) -> Node:
    chosen = chance.sample(phrases, min(len(phrases), chance.randint(3, 12)))
    positive = chance.random() < 0.5
    parts: list[Node] = [Literal(phrase, positive) for phrase in chosen]
    if chance.random() < 0.3:
        parts.append(_any(chance, phrases, 2))
    return Threshold(chance.randint(1, len(parts)), tuple(parts))


def second_opinion(roots: list[Node], contained: Contained) -> bool:
    """Return whether another solver, on an encoding without sums, finds a satisfying assignment."""
    encoding = Encoding()
    encoding.add_implications(contained)
    for root in roots:
        encoding.clauses.append([encoding.add_root(root)])
    with Cadical153(bootstrap_with=encoding.clauses) as solver:
        return bool(solver.solve())


def is_core(verdict: Verdict, roots: list[Node], contained: Contained) -> bool:
    """Return whether the named clauses contradict each other."""
    return not second_opinion([roots[index] for index in verdict.core], contained)


def is_minimal(verdict: Verdict, roots: list[Node], contained: Contained) -> bool:
    """Return whether no clause of the core can be left out."""
    return all(
        second_opinion([roots[index] for index in verdict.core if index != left_out], contained)
        for left_out in verdict.core
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    counts: Counter[str] = Counter()
    seconds: list[float] = []
    whole: list[float] = []
    for _ in range(arguments.number):
        roots, contained = problem(chance)
        start = time.process_time()
        answer = decide(roots, contained, with_core=False)
        seconds.append(time.process_time() - start)
        start = time.process_time()
        verdict = decide(roots, contained)
        whole.append(time.process_time() - start)
        counts["open"] += verdict.satisfiable is None
        counts["agree"] += verdict.satisfiable == second_opinion(roots, contained) == answer.satisfiable
        if verdict.satisfiable is False:
            counts["contradictions"] += 1
            counts["cores"] += is_core(verdict, roots, contained)
            counts["minimal"] += verdict.is_minimal
    seconds.sort()
    whole.sort()
    print(f"seed {arguments.seed}: {arguments.number} problems, {counts['contradictions']} contradictions")
    print(f"same answer as the second solver: {counts['agree']}; open: {counts['open']}")
    print(f"cores that clash: {counts['cores']}; minimal: {counts['minimal']}")
    for name, times in (("answer", seconds), ("answer and core", whole)):
        at = {share: times[min(len(times) - 1, int(share * len(times)))] for share in (0.5, 0.99, 0.999)}
        shown = ", ".join(f"{share:.1%} within {1000 * value:.1f} ms" for share, value in at.items())
        print(f"{name}: {shown}, slowest {1000 * times[-1]:.0f} ms")
    return int(
        counts["agree"] + counts["open"] < arguments.number or counts["cores"] < counts["contradictions"]
    )


if __name__ == "__main__":
    sys.exit(main())
