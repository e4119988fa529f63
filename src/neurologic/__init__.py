"""neurologic: text generation that obeys logical formulas over words.

>>> import neurologic as nl
>>> must = nl.inflect("dog") & ("frisbee" | nl.phrase("flying disc")) & ~nl.phrase("cat")
>>> [clause.text for clause in nl.to_clauses(must)]
['inflect(dog)', 'frisbee | "flying disc"', '!cat']

`nl.load()` gives a model; `lm.generate(prompt, must)` writes a text and judges it clause by clause. Formulas
need no model: nothing here imports torch until a model is loaded.
"""

from __future__ import annotations

import importlib
import logging
import os
from typing import TYPE_CHECKING, Any

from neurologic.errors import NeurologicError
from neurologic.generation.request import Request
from neurologic.generation.result import Result
from neurologic.integrations.force_words import DisjunctiveConstraint, PhrasalConstraint, from_force_words
from neurologic.integrations.glossary import Glossary, Term
from neurologic.logic import (
    ClauseReport,
    Formula,
    Phrase,
    all_of,
    any_of,
    at_least,
    at_most,
    characters,
    check,
    count,
    ends,
    every,
    exactly,
    first,
    fully,
    holds,
    iff,
    implies,
    inflect,
    last,
    lines,
    near,
    no,
    none_of,
    nth,
    occurs,
    order,
    paragraphs,
    parse,
    phrase,
    prefer,
    regex,
    sentences,
    some,
    starts,
    to_clauses,
    words,
)
from neurologic.models.base import LanguageModel

if TYPE_CHECKING:
    from neurologic.generation.constrained_model import ConstrainedModel
    from neurologic.models.own.scorer import Scorer
    from neurologic.models.own.vocabulary import vocabulary

__version__ = "0.1.0"

logging.getLogger(__name__).addHandler(logging.NullHandler())  # silent unless the caller asks for the log

__all__ = [
    "ClauseReport",
    "DisjunctiveConstraint",
    "Formula",
    "Glossary",
    "LanguageModel",
    "NeurologicError",
    "PhrasalConstraint",
    "Phrase",
    "Request",
    "Result",
    "Scorer",
    "Term",
    "all_of",
    "any_of",
    "at_least",
    "at_most",
    "characters",
    "check",
    "count",
    "decoder",
    "ends",
    "every",
    "exactly",
    "first",
    "from_force_words",
    "fully",
    "holds",
    "iff",
    "implies",
    "inflect",
    "last",
    "lines",
    "load",
    "near",
    "no",
    "none_of",
    "nth",
    "occurs",
    "order",
    "paragraphs",
    "parse",
    "phrase",
    "prefer",
    "regex",
    "sentences",
    "some",
    "starts",
    "to_clauses",
    "vocabulary",
    "words",
    "wrap",
]


# Names that come with torch: fetched when they are first asked for.
_LAZY = {
    "Scorer": "neurologic.models.own.scorer",
    "vocabulary": "neurologic.models.own.vocabulary",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})


def load(
    name: str | os.PathLike[str] = "smollm2", *, engine: str | None = None, **options: Any
) -> ConstrainedModel:
    """Load a model: "smollm2" (the default, which needs no model hub), a hub id, a folder, or a GGUF file.

    engine   "transformers" (the default), or "llama.cpp" to run a GGUF file as it is
    options  where and how to run it: `device`, `dtype`, `device_map`, `threads` (docs/guides/placement.md),
             and anything that `from_pretrained` takes; for llama.cpp see
             `neurologic.models.llama_cpp.model.load`
    """
    from neurologic.generation.constrained_model import ConstrainedModel
    from neurologic.models.backends import load as load_model

    return ConstrainedModel(load_model(name, engine=engine, **options))


def wrap(model: Any, tokenizer: Any = None) -> ConstrainedModel:
    """Make a model obey formulas.

    model      a Hugging Face model; or one of your own: a `Scorer`, or anything else with a `vocabulary` and
               `start` (docs/guides/own_models.md)
    tokenizer  the Hugging Face model's; a model of your own needs none, but may have one
    """
    from neurologic.generation.constrained_model import ConstrainedModel
    from neurologic.models.backends import wrap as wrap_model

    return ConstrainedModel(wrap_model(model, tokenizer))


def decoder(tokenizer: Any, constraint: Any = None, **options: Any) -> Any:
    """A formula for `model.generate(**inputs, custom_generate=neurologic.decoder(tokenizer, formula), …)`.

    constraint  a formula, formula text or JSON constraint for all inputs; a list has one (or None) per input
    options     `decoder` (any of the left-to-right ones), `on_unsatisfied` ("best" or "raise"), `reduce`, and
                settings that `generate` has no name for (`alpha`, `beta`, `lambda_`, …)

    `num_beams`, `max_new_tokens`, `length_penalty` and similar settings still go to `generate`. With
    `return_dict_in_generate=True` the output has a `neurologic.Result` per input under `results`.
    """
    from neurologic.integrations.huggingface.custom_generate import ConstrainedGenerate

    return ConstrainedGenerate(tokenizer, constraint, **options)
