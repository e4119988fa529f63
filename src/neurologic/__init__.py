"""neurologic: text generation that obeys logical formulas over words.

>>> import neurologic as nl
>>> must = nl.inflect("dog") & ("frisbee" | nl.phrase("flying disc")) & ~nl.phrase("cat")
>>> [clause.text for clause in nl.to_clauses(must)]
['inflect(dog)', 'frisbee | "flying disc"', '!cat']

`nl.load()` gives a model; `lm.generate(prompt, must)` writes a text and judges it clause by clause. Formulas
need no model: nothing here imports torch until a model is loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from neurologic.errors import NeurologicError
from neurologic.logic import (
    ClauseReport,
    Formula,
    Phrase,
    all_of,
    any_of,
    at_least,
    at_most,
    check,
    exactly,
    iff,
    implies,
    inflect,
    none_of,
    occurs,
    parse,
    phrase,
    to_clauses,
)
from neurologic.results import Result

if TYPE_CHECKING:
    from neurologic.generation import ConstrainedModel

__version__ = "0.1.0"

__all__ = [
    "ClauseReport",
    "Formula",
    "NeurologicError",
    "Phrase",
    "Result",
    "all_of",
    "any_of",
    "at_least",
    "at_most",
    "check",
    "exactly",
    "iff",
    "implies",
    "inflect",
    "load",
    "none_of",
    "occurs",
    "parse",
    "phrase",
    "to_clauses",
    "wrap",
]


def load(name: str = "smollm2", **options: Any) -> ConstrainedModel:
    """Load a model: "smollm2" (the default, which needs no model hub), a hub id, or a folder.

    options: `device`, `dtype`, `threads`, and anything that `from_pretrained` takes.
    """
    from neurologic.generation import ConstrainedModel
    from neurologic.models.loading import load as load_model

    return ConstrainedModel(load_model(name, **options))


def wrap(model: Any, tokenizer: Any) -> ConstrainedModel:
    """Make a Hugging Face model and its tokenizer obey formulas."""
    from neurologic.generation import ConstrainedModel
    from neurologic.models.loading import wrap as wrap_model

    return ConstrainedModel(wrap_model(model, tokenizer))
