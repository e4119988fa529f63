"""Editing methods: sentences that are improved edit by edit instead of written from left to right.

`loop` runs an editor on every input; `cgmh` and `gradient` are the editors. An editor works on a `Sentence`,
asks a `CausalSentenceScorer` what the model thinks of others like it, and a `Keywords` which of them are allowed.
"""
