"""When a search may stop: the safe rule loses nothing, the default is quicker."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from formulas import small_formulas
from neurologic.decoders.neurologic import NeuroLogicDecoder
from neurologic.errors import ContradictionError, UnspellableError
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.logic import Formula, parse
from neurologic.models.base import EncodedPrompt
from neurologic.search.engine import Engine, search
from neurologic.search.finished_texts import FinishedTexts
from neurologic.search.hypothesis import Finished
from neurologic.search.input_output import SearchInput, SearchOutput
from neurologic.search.settings import SearchSettings
from random_cases import cases
from toys import random_model, toy_vocabulary

VOCABULARY = toy_vocabulary("a", "b", " ", ".", " a", " b", "s")
PROMPT = EncodedPrompt((1,))


@cases(60)
@given(
    small_formulas(),
    st.integers(0, 1000),
    st.integers(1, 4),
    st.sampled_from([-1.0, -0.3, 0.0, 0.5, 1.0, 2.0]),
    st.data(),
)
def test_the_safe_rule_gives_what_a_search_to_the_limit_gives(
    formula: Formula, seed: int, k: int, length_penalty: float, data: st.DataObject
) -> None:
    try:
        constraint = compile_formula(formula, VOCABULARY)
    except (ContradictionError, UnspellableError):
        assume(False)
    knobs = SearchSettings(
        num_beams=k,
        num_return_sequences=data.draw(st.integers(1, k)),
        max_new_tokens=12,
        length_penalty=length_penalty,
        early_stopping="never",
    )
    model = random_model(VOCABULARY, seed)
    inputs = [SearchInput(PROMPT, constraint)]
    (safe,) = search(model, inputs, NeuroLogicDecoder(), knobs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FinishedTexts, "enough", lambda *_: False)
        (whole,) = search(model, inputs, NeuroLogicDecoder(), knobs)
    # Texts beyond the satisfied ones are no part of the promise.
    satisfied = [text for text in whole.texts if text.satisfied == len(constraint.clauses)]
    assert safe.texts[: len(satisfied)] == satisfied


def test_the_default_stops_earlier_than_the_safe_rule() -> None:
    constraint = compile_formula(None, VOCABULARY)
    calls = {}
    for rule in (False, "never"):
        model = random_model(VOCABULARY, seed=3)
        knobs = SearchSettings(num_beams=2, max_new_tokens=30, early_stopping=rule)  # type: ignore[arg-type]
        search(model, [SearchInput(PROMPT, constraint)], NeuroLogicDecoder(), knobs)
        calls[rule] = model.calls
    assert calls[False] < calls["never"]


def finished(text: str, score: float) -> Finished:
    return Finished(
        (1,), text.encode(), score, score, score, score, satisfied=1, present=0, forced=0, ending="end"
    )


@pytest.mark.parametrize(
    ("texts", "asked_for", "rule", "enough"),
    [
        (["x", "y", "z"], 1, False, True),
        (["x", "y"], 1, False, False),
        (["x", "x ", " x"], 1, False, True),  # they read the same, and count one by one
        (["x", "x ", " x"], 2, False, False),  # but two different ones are to come back
        (["x", "x ", "y"], 2, False, True),
        (["x", "x ", " x"], 1, True, True),
        (["x", "x ", " x"], 1, "never", False),  # another text may still take a place
        (["x", "y", "z"], 1, "never", True),
    ],
)
def test_texts_that_read_the_same_count_as_in_hugging_face(
    texts: list[str], asked_for: int, rule: bool | str, enough: bool
) -> None:
    knobs = SearchSettings(num_beams=3, num_return_sequences=asked_for, early_stopping=rule)  # type: ignore[arg-type]
    kept = FinishedTexts(knobs)
    for text in texts:
        kept.add(finished(text, score=-1.0))
    assert kept.enough(best_running=-100.0, length=10, limit=20, all_satisfied=1) == enough
    assert len(kept.best()) == min(asked_for, len({text.strip() for text in texts}))


def search_until(seconds: float, formula: str, **settings: float) -> tuple[bytes, str, bool]:
    """Search with a clock that goes one second a step."""
    constraint = compile_formula(parse(formula), VOCABULARY)
    ticks = iter(range(10_000))
    engine = Engine(random_model(VOCABULARY, 3), NeuroLogicDecoder(), now=lambda: float(next(ticks)))
    knobs = SearchSettings(num_beams=2, max_time=seconds, **{"max_new_tokens": 60, **settings})  # type: ignore[arg-type]
    engine.admit([(0, SearchInput(PROMPT, constraint, settings=knobs))])
    outputs: list[SearchOutput] = []
    while engine.active:
        outputs += [output for _, output in engine.step()]
    text = outputs[0].texts[0]
    return text.text, text.ending, text.satisfied == len(constraint.clauses)


def test_when_the_time_is_up_a_text_pays_what_it_owes() -> None:
    text, ending, satisfied = search_until(1.0, '"a b a b" & "s s"')
    assert satisfied
    assert ending == "time"
    assert b"a b a b" in text


def test_when_paying_would_take_long_the_text_breaks_off() -> None:
    _, ending, satisfied = search_until(1.0, "a[times=40]", max_new_tokens=200)
    assert not satisfied
    assert ending == "time"
