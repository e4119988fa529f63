"""Connections to other projects and formats.

`huggingface` runs the search inside `model.generate`, and `glossary` makes formulas from the terms of a
glossary. The other modules read constraints as other projects write them: Hugging Face's `force_words_ids`,
Sockeye's JSON, fairseq's tabs. They turn each into a formula or into the fields of an input line of ours.
Only `huggingface` imports torch and transformers; where another module needs a tokenizer, the caller passes
it.
"""
