"""Several drawn texts: which come first, and how long it may take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from neurologic.decoders.neurologic import NeuroLogicDecoder
from neurologic.feasibility.constraint import compile_formula
from neurologic.models.base import EncodedPrompt
from neurologic.search import several
from neurologic.search.hypothesis import Finished
from neurologic.search.input_output import SearchInput, SearchOutput
from neurologic.search.settings import SearchSettings
from toys import random_model, toy_vocabulary

VOCABULARY = toy_vocabulary(" a", " b", " c")


def drawn(text: str, satisfied: int = 1, score: float = -1.0) -> SearchOutput:
    return SearchOutput([Finished((1,), text.encode(), score, score, satisfied, 0, 0, "end")], calls=1)


def texts(
    monkeypatch: pytest.MonkeyPatch, outputs: Sequence[SearchOutput], wanted: int, **knobs: Any
) -> list[str]:
    """What comes of searches that give these outputs one after the other."""
    rest = iter(outputs)
    monkeypatch.setattr(several, "search", lambda *_: [next(rest)])
    one = SearchInput(EncodedPrompt((1,)), compile_formula(None, VOCABULARY))
    settings = SearchSettings(do_sample=True, num_return_sequences=wanted, **knobs)
    model = random_model(VOCABULARY, 1)
    (output,) = several.search_several(model, [one], NeuroLogicDecoder(), settings)
    return [text.text.decode() for text in output.texts]


def test_equally_good_texts_come_as_they_were_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert texts(monkeypatch, [drawn("A"), drawn("B"), drawn("A"), drawn("C")], wanted=3) == ["A", "B", "C"]


def test_the_likeliest_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    assert texts(monkeypatch, [drawn("A", score=-2.0), drawn("B")], wanted=2) == ["B", "A"]


def test_a_text_that_obeys_comes_before_one_that_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert texts(monkeypatch, [drawn("A", satisfied=0), drawn("B")], wanted=2) == ["B", "A"]


def test_the_time_limit_is_for_all_texts_together(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.0, 6.0, 11.0])
    monkeypatch.setattr(several.time, "monotonic", lambda: next(clock))
    assert texts(monkeypatch, [drawn("A"), drawn("B"), drawn("C")], wanted=3, max_time=10) == ["A", "B"]
