"""Code that depends on private or changing parts of transformers; written against 5.22.

A new version of transformers can break this package, `masked.forward`, which hooks into attention, and
`neurologic.integrations.huggingface`. The laws in `neurologic.testing` and tests/models find out.
"""
