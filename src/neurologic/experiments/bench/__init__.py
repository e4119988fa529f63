"""Speed compared with Hugging Face's beam search: the benchmark that `neurologic bench` runs.

`scenarios` makes workloads from the words and texts in `inputs`. A workload has several *sides*: neurologic
with one formula or another, and Hugging Face. `sides` runs a side once, `measure` alternates between the
sides, and `memory` measures their peak memory in child processes. `results` keeps every run, `summary`
computes ratios and compares them with targets, `tables` and `plot` show them. Only `sides`, `measure` and
`machine` import torch, so that results can be shown without it.
"""
