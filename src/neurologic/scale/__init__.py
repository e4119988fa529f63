"""Many machines: texts for millions of rows with Ray Data (the extra `ray`).

    generator   `Generator`, the callable class for `Dataset.map_batches` in a user's own pipeline
    row_files   files of rows in pieces: where each row begins, and how to read it again
    parts       the folder of an output: whole parts, their rows, and one manifest
    poison      rows that end the process which writes them
    part_writer the actor of a run: read a block of rows, write its part
    missing_rows  which rows of the input no part has
    ray_run     the driver: find the missing rows, have actors write them

A run hands out references to rows, not rows: an actor reads its rows itself, so nothing fills the object
store. It loads the model once and writes two blocks at a time into one scheduler, so that the places of a
batch stay filled when a block ends.
"""

from neurologic.scale.generator import Generator

__all__ = ["Generator"]
