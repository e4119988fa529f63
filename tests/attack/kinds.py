"""The kinds of random cases that `make fuzz` makes, and what must be true of each.

A case is a small JSON value, so that a failing one is a file. The first function of a kind draws it, the
second tries it and raises if something is not as promised. Only errors that are meant for people
(`NeurologicError`) are allowed.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import NamedTuple

from attack import formula_kinds, input_kinds, search_kinds, text_kinds
from attack.draws import Case
from neurologic.errors import NeurologicError, VerificationError


class Kind(NamedTuple):
    """A kind of cases: how often it is tried beside the others, and its two functions."""

    weight: int
    make_case: Callable[[random.Random], Case]
    run_case: Callable[[Case], None]


KINDS: dict[str, Kind] = {
    "formula": Kind(20, formula_kinds.make_formula, formula_kinds.run_formula),
    "broken formula": Kind(20, formula_kinds.make_broken, formula_kinds.run_broken),
    "json": Kind(10, formula_kinds.make_json, formula_kinds.run_json),
    "expression": Kind(10, formula_kinds.make_expression, formula_kinds.run_expression),
    "segmentation": Kind(20, text_kinds.make_segmentation, text_kinds.run_segmentation),
    "verdict": Kind(20, text_kinds.make_verdict, text_kinds.run_verdict),
    "real tokens": Kind(10, text_kinds.make_real, text_kinds.run_real),
    "line": Kind(20, input_kinds.make_line, input_kinds.run_line),
    "server body": Kind(10, input_kinds.make_body, input_kinds.run_body),
    "glossary": Kind(5, input_kinds.make_glossary, input_kinds.run_glossary),
    "trace": Kind(3, input_kinds.make_trace, input_kinds.run_trace),
    "guarantee": Kind(10, search_kinds.make_search, search_kinds.run_search),
    "options": Kind(5, search_kinds.make_options, search_kinds.run_options),
    "batch and threads": Kind(2, search_kinds.make_batch, search_kinds.run_batch),
}


def run_case(kind: str, case: Case) -> None:
    """Try a case; raise if it breaks a promise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            KINDS[kind].run_case(case)
        except VerificationError:
            raise
        except NeurologicError:
            pass
