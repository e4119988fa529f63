"""Experiments on top of the public API: tasks, metrics, training, runs, reproduction and benchmarks."""
