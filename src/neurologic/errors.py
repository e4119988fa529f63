"""The errors of neurologic, and the "did you mean" that their messages end with.

All errors derive from `NeurologicError`, so that the command line can show the message
without a traceback and a caller can catch everything with one clause.
"""

from __future__ import annotations

import difflib
import sys
import warnings
from collections.abc import Iterable
from types import FrameType


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return the end of a message that proposes the known name closest to `name`; "" if none is close.

    >>> suggestion("mach", ["match", "case", "times"])
    '; did you mean "match"?'
    >>> suggestion("colour", ["match", "case", "times"])
    ''
    """
    close = difflib.get_close_matches(name, list(known), n=1)
    return f'; did you mean "{close[0]}"?' if close else ""


class NeurologicError(Exception):
    """Base of all errors that are meant for the person who reads them."""


class FormulaError(NeurologicError, ValueError):
    """A formula, phrase or JSON constraint that is not well formed."""


class LimitError(NeurologicError, ValueError):
    """Something is larger, or takes longer, than a limit allows; `name` is the limit's."""

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return type(self), (str(self), self.name)


class ContradictionError(NeurologicError, ValueError):
    """No text whatsoever can satisfy the formula; `clauses` names the parts that clash."""

    def __init__(self, message: str, clauses: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.clauses = clauses


class UnspellableError(NeurologicError, ValueError):
    """A phrase that no sequence of the model's tokens can produce."""


class BudgetError(NeurologicError, ValueError):
    """`max_new_tokens` is smaller than the fewest tokens that could satisfy the formula."""


class ExpressivityError(NeurologicError, ValueError):
    """A formula that the chosen decoder cannot express."""


class PromptError(NeurologicError, ValueError):
    """A prompt that cannot be used: too long for the context, or not of a known form."""


class DataError(NeurologicError, ValueError):
    """A task's data that is missing or not in the form that the task expects."""


class UnsatisfiedError(NeurologicError, RuntimeError):
    """Raised for `on_unsatisfied="raise"`; `result` is the best text found, with its report."""

    def __init__(self, message: str, result: object = None) -> None:
        super().__init__(message)
        self.result = result


class ModelError(NeurologicError, RuntimeError):
    """A model or tokenizer that cannot be found, loaded or supported."""


class VerificationError(NeurologicError, RuntimeError):
    """The text does not say what the search tracked: a bug in neurologic, never the user's fault."""


class UnsatisfiedWarning(UserWarning):
    """A text that does not satisfy its formula, or a guarantee that does not hold for this call."""


def system_reason(error: OSError) -> str:
    """Return why the system refused, in its words and without the number."""
    return error.strerror or str(error)


# Code between a caller and this package: `model.generate` calls back, and decorators come in between.
_LIBRARIES = ("neurologic", "transformers", "torch", "contextlib")


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the user's code that led here: the first one outside of these libraries."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and _package(frame) in _LIBRARIES:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level + 1)


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


# The name on package indexes; the import name and the command are `neurologic`.
DISTRIBUTION = "neurologic-decoding"


def install_line(*extras: str) -> str:
    """Return the command that installs neurologic with some of its extras.

    >>> install_line("metrics", "plots")
    "pip install 'neurologic-decoding[metrics,plots]'"
    """
    return f"pip install '{DISTRIBUTION}[{','.join(extras)}]'"


def missing_extra(package: str, extra: str, purpose: str = "") -> str:
    """Return the message for a missing package of an extra, with the line to type.

    >>> missing_extra("torchao", "int8", "dtype int8")
    "dtype int8 needs the package torchao: pip install 'neurologic-decoding[int8]'"
    >>> missing_extra("torchao", "int8")
    "the package torchao is not installed: pip install 'neurologic-decoding[int8]'"
    """
    need = f"{purpose} needs the package {package}" if purpose else f"the package {package} is not installed"
    return f"{need}: {install_line(extra)}"
