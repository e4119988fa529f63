"""Experiments on top of the library: tasks, metrics, training, runs, reproduction and benchmarks.

`training`, `bench` and the time trial of `reproduction` train and measure models, so they reach into `models`
and `search`. Everything else needs only formulas, the lists of decoders and settings, and loaded models.
Nothing below imports this package.
"""
