"""The paper's tasks: what the model is asked, and what its text must contain. One file per task.

Tasks stand on the public API: they read data and make prompts and formulas, and know nothing of search.
"""
