"""A compiled formula is freed as soon as nobody needs it, without waiting for the garbage collector.

Thousands of formulas pass through a server; what refers to itself would pile up between collections.
"""

from __future__ import annotations

import gc
from weakref import ref

import pytest

from neurologic.decoders.neurologic import NeuroLogicDecoder
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.logic import parse
from neurologic.models.base import EncodedPrompt
from neurologic.search.engine import search
from neurologic.search.input_output import SearchInput
from neurologic.search.settings import SearchSettings
from toys import random_model, toy_vocabulary

VOCABULARY = toy_vocabulary(" a", " b", "a", "b", " ", ".")


@pytest.mark.parametrize(
    "formula", ["a & !b", "a[times=2] | b", "a & !b & words(..5)", "order(a, b) & starts(a)"]
)
def test_nothing_refers_to_itself(formula: str) -> None:
    gc.collect()
    gc.disable()
    try:
        constraint = compile_formula(parse(formula), VOCABULARY)
        inputs = [SearchInput(EncodedPrompt((1,)), constraint)]
        search(random_model(VOCABULARY, 1), inputs, NeuroLogicDecoder(), SearchSettings(max_new_tokens=6))
        parts = [ref(part) for part in (constraint, constraint.matcher, constraint.planner)]
        del constraint, inputs
        assert [part() for part in parts] == [None] * 3
    finally:
        gc.enable()
