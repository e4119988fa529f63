"""Speed, side by side with Hugging Face's beam search: what `neurologic bench` measures.

`material` has the words and texts, `scenarios` makes workloads of them, `ours` and `reference` run one each,
`measure` alternates and times them, `memory` asks child processes for their peak, `session` puts these
together. `record` is what comes of it, `figures` the arithmetic and the targets, `report` and `plot` show it.
torch is imported by `ours`, `reference` and what uses them, and by nothing that only shows a record.
"""
