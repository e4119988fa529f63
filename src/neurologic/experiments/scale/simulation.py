"""Simulate a run on many workers: blocks of rows, stragglers, lost workers and retries.

    python -m neurologic.experiments.scale.simulation -o docs/assets/scale.svg

It answers two questions. How many blocks should a worker get, if rows take unequal times, some workers are
slow, and a worker that is lost takes its unfinished blocks with it? And how large a window of rows should be
sorted by length before it is cut into batches? It is a model of the queue, not of Ray: blocks wait in one
line, a free worker takes the next one, a lost worker comes back after a while and its block goes to the end.
"""

from __future__ import annotations

import argparse
import heapq
import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_BLOCKS_PER_WORKER = (1, 2, 4, 8, 16, 32, 64, 128)
_WINDOWS = (8, 16, 32, 64, 128, 256, 1024)
_RUNS = 20


@dataclass(frozen=True)
class Cluster:
    """Workers and what happens to them; times in units of the mean time of a row.

    slow          the share of workers that need `slowness` times as long
    losses        how often each worker is lost during an undisturbed run, in the mean
    restart       the time until a lost worker is back, with the model loaded
    block_cost    the time that a block costs beside its rows: reading, writing, scheduling
    """

    workers: int = 64
    rows: int = 64 * 1024
    slow: float = 0.05
    slowness: float = 2.0
    losses: float = 0.1
    restart: float = 60.0
    block_cost: float = 0.5


def time_of_run(cluster: Cluster, blocks_per_worker: int, chance: random.Random) -> float:
    """Return the time until the last block is written, in units of a run without loss or waiting."""
    blocks = cluster.workers * blocks_per_worker
    rows = cluster.rows // blocks
    ideal = cluster.rows / cluster.workers
    waiting = [sum(chance.expovariate(1.0) for _ in range(rows)) + cluster.block_cost for _ in range(blocks)]
    speeds = [cluster.slowness if chance.random() < cluster.slow else 1.0 for _ in range(cluster.workers)]
    free = [(0.0, worker) for worker in range(cluster.workers)]
    heapq.heapify(free)
    end = 0.0
    while waiting:
        now, worker = heapq.heappop(free)
        seconds = waiting.pop() * speeds[worker]
        lost = chance.expovariate(cluster.losses / ideal) if cluster.losses else float("inf")
        if lost < seconds:  # its rows so far are lost; another worker starts the block anew
            waiting.insert(0, seconds / speeds[worker])
            heapq.heappush(free, (now + lost + cluster.restart, worker))
            continue
        end = max(end, now + seconds)
        heapq.heappush(free, (now + seconds, worker))
    return end / ideal


def padding(window: int, batch: int, chance: random.Random, rows: int = 8192) -> float:
    """Return the share of places that hold padding, if each window of rows is sorted by length.

    Lengths are log-normal, as those of prompts are: most are short, and a few are many times as long.
    """
    lengths = [max(1, round(chance.lognormvariate(4.0, 0.7))) for _ in range(rows)]
    used = taken = 0
    for start in range(0, rows, window):
        ordered = sorted(lengths[start : start + window], reverse=True)
        for first in range(0, len(ordered), batch):
            part = ordered[first : first + batch]
            used, taken = used + sum(part), taken + max(part) * len(part)
    return 1 - used / taken


def mean_times(cluster: Cluster, seed: int = 0) -> list[float]:
    """Return the mean time of runs for each number of blocks per worker."""
    return [
        statistics.mean(time_of_run(cluster, blocks, random.Random(seed + run)) for run in range(_RUNS))
        for blocks in _BLOCKS_PER_WORKER
    ]


SCENARIOS = {
    "nothing goes wrong": Cluster(slow=0.0, losses=0.0),
    "5% of workers half as fast": Cluster(losses=0.0),
    "and one worker in ten lost": Cluster(),
    "and every worker lost once": Cluster(losses=1.0),
}


def draw(path: Path, times: dict[str, list[float]], paddings: Sequence[float]) -> None:
    """Draw both figures side by side."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    for name, values in times.items():
        left.plot(_BLOCKS_PER_WORKER, values, marker="o", label=name)
    left.set(xscale="log", xlabel="blocks per worker", ylabel="time of the run / ideal time")
    left.set_xticks(_BLOCKS_PER_WORKER, [str(each) for each in _BLOCKS_PER_WORKER])
    left.legend(frameon=False, fontsize=8)
    right.plot(_WINDOWS, [100 * each for each in paddings], marker="o")
    right.set(xscale="log", xlabel="rows sorted by length at a time", ylabel="padding, % of places")
    right.set_xticks(_WINDOWS, [str(each) for each in _WINDOWS])
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Print the figures, and draw them if asked to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-o", "--output", type=Path, help="draw a picture here")
    output = parser.parse_args().output
    times = {name: mean_times(cluster) for name, cluster in SCENARIOS.items()}
    print(f"{'blocks per worker':28}", *(f"{each:>6}" for each in _BLOCKS_PER_WORKER))
    for name, values in times.items():
        print(f"{name:28}", *(f"{each:6.2f}" for each in values))
    paddings = [padding(window, 8, random.Random(0)) for window in _WINDOWS]
    print(f"\n{'rows sorted at a time':28}", *(f"{each:>6}" for each in _WINDOWS))
    print(f"{'padding in batches of 8, %':28}", *(f"{100 * each:6.1f}" for each in paddings))
    if output is not None:
        draw(output, times, paddings)


if __name__ == "__main__":
    main()
