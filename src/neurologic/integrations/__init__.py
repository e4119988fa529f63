"""Constraints as others write them: Hugging Face's `force_words_ids`, Sockeye's JSON, fairseq's tabs.

Each module turns one foreign form into a formula or into the fields of one of our own input lines, and knows
nothing of models and searches. Nothing here imports torch or transformers; a tokenizer, where one is asked
for, is the caller's.
"""
