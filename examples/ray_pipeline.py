"""A pipeline of your own on Ray Data: `python examples/ray_pipeline.py in.parquet out/` (extra ray).

Rows have a prompt and a formula; `out/` gets their columns and those of the results.
"""

import sys

import ray

from neurologic.scale import Generator

given, output = sys.argv[1:]
(
    ray.data.read_parquet(given)
    .filter(lambda row: row["formula"] is not None)
    .map_batches(
        Generator,
        fn_constructor_kwargs={"model": "smollm2", "loading": {"threads": 1}, "num_beams": 4},
        compute=ray.data.ActorPoolStrategy(
            size=2, max_concurrent_calls_per_actor=2, enable_true_multi_threading=True
        ),
        batch_size=64,
        batch_format="pyarrow",
    )
    .write_parquet(output)
)
