"""Language models: the only part of neurologic that touches Hugging Face's internals.

`loading.load` and `loading.wrap` give a `LoadedModel`; the search sees nothing but the protocol
of `base`. Importing this package imports neither torch nor transformers.
"""
