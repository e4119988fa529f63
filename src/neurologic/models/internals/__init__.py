"""Everything that leans on private or moving parts of transformers; written against 5.22.

When a new version of transformers breaks something, it breaks here: the laws in
tests/models/test_model_laws.py say what has to hold.
"""
