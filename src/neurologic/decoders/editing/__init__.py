"""Editing decoders: they improve a whole sentence edit by edit instead of writing from left to right.

`editing_engine` runs an editor on every input; `cgmh` and `gradient` are the editors. An editor works on a
`Sentence`, asks a `SentenceScorer` how likely others like it are, and a `Keywords` which of them are allowed.
"""
