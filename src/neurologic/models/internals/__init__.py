"""What leans on private or moving parts of transformers; written against 5.22.

When a new version of transformers breaks something, it breaks here, in `masked.calls`, which hooks into
attention, or in `neurologic.integrations.huggingface`: the laws in tests/models say what has to hold.
"""
