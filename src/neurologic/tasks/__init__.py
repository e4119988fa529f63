"""The paper's tasks: what the model is asked, and what its text must contain. One file per task.

Tasks stand on the public API: they read data and make prompts and formulas, and know nothing of search.
"""

from __future__ import annotations

from neurologic.errors import NeurologicError

__all__ = ["DataError"]


class DataError(NeurologicError):
    """A task's data that is missing or not in the form that the task expects."""
