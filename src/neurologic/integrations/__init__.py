"""Constraints as other projects write them: Hugging Face's `force_words_ids`, Sockeye's JSON, fairseq's tabs.

Each module turns one foreign form into a formula or into the fields of an input line of ours. Only
`huggingface` imports torch and transformers; where another module needs a tokenizer, the caller passes it.
"""
