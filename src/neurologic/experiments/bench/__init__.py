"""Speed compared with Hugging Face's beam search: the benchmark that `neurologic bench` runs.

`scenarios` makes workloads from the words and texts in `inputs`. A workload has several *sides*: neurologic
with one formula or another, and Hugging Face. `sides` runs a side once, `fresh` with formulas that are new in
every run, `served` through a server. `measure` alternates between the sides, and `memory` measures their peak
memory in child processes. `results` keeps every run, the scenarios make `figures` of them, `summary` compares
these with targets, `tables` and `plot` show them. Only modules that run something import torch, so that
results can be shown without it.
"""
