"""Scores stay on their device: the transfers of a step grow neither with inputs, nor beams, nor clauses."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from torch.overrides import TorchFunctionMode

import neurologic
from neurologic.decoders.registry import DECODERS
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.logic import Expressivity, parse
from neurologic.models.base import EncodedPrompt
from neurologic.search.engine import search
from neurologic.search.input_output import SearchInput
from toys import random_model, toy_vocabulary

WORDS = [f"w{number}" for number in range(60)]
VOCABULARY = toy_vocabulary(*(f" {word}" for word in WORDS))
STEPS = 12
# Where a tensor's values reach Python.
TO_HOST = {
    "tolist",
    "item",
    "cpu",
    "numpy",
    "__bool__",
    "__int__",
    "__float__",
    "__index__",
    "__iter__",
    "nonzero",
}
SOURCE = str(Path(neurologic.__file__).parent)


class Transfers(TorchFunctionMode):
    """Counts the transfers that code of the search asks for; models may look at what they own."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_function__(
        self, function: Callable[..., Any], types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        caller = sys._getframe(1).f_code.co_filename
        name = getattr(function, "__name__", "")
        of_model = "/models/" in caller or "/testing/" in caller
        if caller.startswith(SOURCE) and not of_model and name in TO_HOST:
            self.count += 1
        return function(*args, **(kwargs or {}))


def transfers_per_step(decoder: str, inputs: int, clauses: int, **settings: Any) -> float:
    entry = DECODERS[decoder]
    if entry.expresses is Expressivity.NOTHING:
        clauses = 0
    formula = parse(" & ".join(WORDS[:clauses])) if clauses else None
    one = SearchInput(EncodedPrompt((1,)), compile_formula(formula, VOCABULARY))
    knobs = replace(entry.settings({}), max_new_tokens=STEPS, min_new_tokens=STEPS, **settings)
    with Transfers() as transfers:
        search(random_model(VOCABULARY, seed=3), [one] * inputs, entry.load(), knobs)
    return transfers.count / STEPS


@pytest.mark.parametrize("decoder", [name for name, entry in DECODERS.items() if not entry.edits])
def test_the_number_of_transfers_per_step_is_constant(decoder: str) -> None:
    few = transfers_per_step(decoder, inputs=1, clauses=1, num_beams=2)
    many = transfers_per_step(decoder, inputs=7, clauses=4, num_beams=6)
    # The look-ahead reads what its roll-outs have not shared yet: the more of them, the more readings.
    spread = 2 if decoder == "astar" else 0
    assert 0 < few <= 6 + 3 * (DECODERS["astar"].settings({}).look_ahead if decoder == "astar" else 0)
    assert abs(many - few) <= spread


@pytest.mark.parametrize("kind", ["beam", "sample"])
def test_roll_outs_of_other_kinds_are_no_exception(kind: str) -> None:
    many = transfers_per_step("astar", 7, 4, num_beams=6, look_ahead=3, look_ahead_kind=kind)
    assert 0 < many <= 6 + 4 * 3


def test_drawing_is_no_exception() -> None:
    assert 0 < transfers_per_step("neurologic", 7, 4, num_beams=6, do_sample=True, seed=1) <= 6
