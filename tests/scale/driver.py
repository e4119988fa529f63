"""A driver to be killed: `python driver.py ADDRESS IN OUT`."""

from __future__ import annotations

import sys

import ray

from neurologic.scale.ray_run import RayOptions, RayRun
from scale.sabotage import make

if __name__ == "__main__":
    address, given, output = sys.argv[1:]
    ray.init(address=address, log_to_driver=False)
    options = {"model": make, "decoder": "greedy"}
    RayRun(
        [given], output, {"model": "sabotaged"}, options, RayOptions(workers=2, threads=1, block_rows=8)
    ).run(lambda part, total, was_there: print(part.name, flush=True))
