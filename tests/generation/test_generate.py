"""`lm.generate`: one prompt or many, warnings and errors, and the verdict on real text."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch

import neurologic as nl
from neurologic.errors import (
    BudgetError,
    ContradictionError,
    FormulaError,
    PromptError,
    UnsatisfiedError,
    UnsatisfiedWarning,
    VerificationError,
)
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.generation.request import Request
from neurologic.models.loading import LoadedModel
from toys import ToyLoadedModel, ToyModel, random_model, toy_vocabulary

VOCABULARY = toy_vocabulary(" a", " b", " c", ".", " d", "s")


@pytest.fixture
def toy() -> ToyLoadedModel:
    return ToyLoadedModel(random_model(VOCABULARY, seed=11))


@pytest.fixture
def lm(toy: ToyLoadedModel) -> ConstrainedModel:
    return ConstrainedModel(toy)  # type: ignore[arg-type]


def test_one_prompt_gives_one_result_and_a_list_a_list(lm: ConstrainedModel) -> None:
    one = lm.generate("x", "a", max_new_tokens=6)
    assert isinstance(one, nl.Result)
    assert one.satisfied
    both = lm.generate(["x", "yy"], ["a", None], max_new_tokens=6)
    assert [result.satisfied for result in both] == [True, True]
    assert both[0] == one
    assert lm.generate([], [], max_new_tokens=6) == []


def test_a_constraint_may_be_a_formula_a_text_or_json(lm: ConstrainedModel) -> None:
    forms: list[Any] = [nl.phrase("a") & ~nl.phrase("b"), "a & !b", {"include": ["a"], "exclude": ["b"]}]
    texts = {lm.generate("x", form, max_new_tokens=6).text for form in forms}
    assert len(texts) == 1


def test_prompts_and_constraints_must_match_in_number(lm: ConstrainedModel) -> None:
    with pytest.raises(ValueError, match="2 prompts but 1 constraints"):
        lm.generate(["x", "y"], ["a"])


def test_reports_say_what_was_found_and_what_stayed_away(lm: ConstrainedModel) -> None:
    result = lm.generate("x", "(a | zebra) & !b", max_new_tokens=6)
    assert [(clause.text, clause.state.name, clause.reason) for clause in result.clauses] == [
        ("a | zebra", "S4", "a"),
        ("!b", "S3", "no b"),
    ]
    assert result.to_dict()["clauses"][0]["satisfied"] is True


def test_several_results_are_different_texts(lm: ConstrainedModel) -> None:
    result = lm.generate("x", "a", num_beams=4, num_return_sequences=4, max_new_tokens=6)
    texts = [result.text, *(other.text for other in result.others)]
    assert len(set(texts)) == 4
    assert all(other.satisfied for other in result.others)


@pytest.mark.parametrize(
    ("constraint", "error"),
    [
        ("a & !a", ContradictionError),
        ("a &", FormulaError),
        ("a & b & c & d", BudgetError),
        ({"includes": ["a"], "include": 7}, FormulaError),
    ],
)
def test_bad_constraints_raise_before_the_model_runs(
    lm: ConstrainedModel, toy: ToyLoadedModel, constraint: Any, error: type[Exception]
) -> None:
    with pytest.raises(error):
        lm.generate("x", constraint, max_new_tokens=3)
    assert toy._model.calls == 0


def test_a_budget_below_the_plan_warns_and_can_raise(lm: ConstrainedModel) -> None:
    formula = '"a b" & "a c"'  # needs four tokens, but the proven lower bound is only two
    with pytest.warns(UnsatisfiedWarning, match="up to 4 tokens are needed") as warned:
        result = lm.generate("x", formula, max_new_tokens=3)
    assert warned[0].filename == __file__  # where the caller stands, not somewhere in here
    assert not result.satisfied
    with pytest.warns(UnsatisfiedWarning), pytest.raises(UnsatisfiedError, match="unmet") as caught:
        lm.generate("x", formula, max_new_tokens=3, on_unsatisfied="raise")
    assert caught.value.result == result


def test_phrases_that_overlap_are_planned_together(lm: ConstrainedModel) -> None:
    assert lm.compile('"a b" & "b c" & "c d"').upper_bound() == 4


def test_a_processor_that_breaks_the_promise_is_named(lm: ConstrainedModel) -> None:
    class NoLetterA:
        def __call__(self, ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
            return scores.index_fill(-1, torch.tensor([VOCABULARY.token_of[b" a"]]), float("-inf"))

    with pytest.warns(UnsatisfiedWarning, match="NoLetterA"):
        result = lm.generate("x", "a", max_new_tokens=4, logits_processor=[NoLetterA()])
    assert result.unmet == ("a",)


def test_what_a_processor_gives_stays_its_own(lm: ConstrainedModel) -> None:
    given: list[tuple[torch.Tensor, torch.Tensor]] = []

    class Guidance:
        @torch.inference_mode()
        def __call__(self, ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
            given.append((scores + 0.0, scores + 0.0))
            return given[-1][0]

    with_it = lm.generate("x", "a & !b", max_new_tokens=4, logits_processor=[Guidance()])
    assert with_it.text == lm.generate("x", "a & !b", max_new_tokens=4).text
    assert all(torch.equal(one, copy) for one, copy in given)


def test_a_text_that_is_not_what_was_tracked_is_a_loud_bug(lm: ConstrainedModel, toy: ToyLoadedModel) -> None:
    toy.lies = True
    with pytest.raises(VerificationError, match="bug"):
        lm.generate("x", "a", max_new_tokens=4)


def test_with_a_raw_prompt_a_word_must_not_start_inside_the_prompts_last_word() -> None:
    vocabulary = toy_vocabulary("dog", " dog", ".")
    hotdog = ToyModel(
        vocabulary, lambda tokens: torch.tensor([0.0, 9.0 if len(tokens) == 1 else 0.0, 0.0, 0.0])
    )
    lm = ConstrainedModel(ToyLoadedModel(hotdog))  # type: ignore[arg-type]
    assert lm.generate("hot", "dog", max_new_tokens=1).text == "dog"
    assert lm.generate("hot", "dog", max_new_tokens=1, raw=True).text == " dog"


def test_constraints_compile_once(lm: ConstrainedModel) -> None:
    assert lm.compile("a & b") is lm.compile(nl.parse("a & b"))
    other = ConstrainedModel(ToyLoadedModel(random_model(toy_vocabulary(" a"), 1)))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="another tokenizer"):
        other.generate("x", lm.compile("a"))


def test_threads_may_share_a_model(lm: ConstrainedModel) -> None:
    formulas = ["a & b", "b & !a", "at_least(2, a, b, c)", "a -> c", "c", "!d & b"] * 4
    alone = [lm.generate("x", formula, max_new_tokens=6).text for formula in formulas]
    fresh = ConstrainedModel(ToyLoadedModel(random_model(VOCABULARY, seed=11)))  # type: ignore[arg-type]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda f: fresh.generate("x", f, max_new_tokens=6).text, formulas))
    assert together == alone


def test_unknown_settings_and_decoders_are_refused(lm: ConstrainedModel) -> None:
    with pytest.raises(ValueError, match="unknown decoder 'beem'"):
        lm.generate("x", "a", decoder="beem")
    with pytest.raises(ValueError, match="max_length has no effect here"):
        lm.generate("x", "a", max_length=9)
    with pytest.raises(ValueError, match="on_unsatisfied"):
        lm.generate("x", "a", on_unsatisfied="explode")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="batch_size"):
        lm.stream([Request("x")], batch_size=0)


@pytest.mark.real_model
def test_the_default_model_obeys_and_nothing_leaks(smollm2: LoadedModel) -> None:
    lm = ConstrainedModel(smollm2)
    formula = 'inflect(dog) & inflect(catch) & (frisbee | "flying disc") & !cat & (!rain | umbrella)'
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnsatisfiedWarning)
        result = lm.generate("Write one sentence about a dog.", formula, num_beams=4, max_new_tokens=24)
    assert result.satisfied
    assert all(report.satisfied for report in nl.check(formula, result.text))
    assert not any(mark in result.text for mark in ("<|", "|>", "assistant", "\ufffd"))


@pytest.mark.real_model
def test_settings_of_hugging_face_reach_the_search(smollm2: LoadedModel) -> None:
    lm = ConstrainedModel(smollm2)
    words = lm.generate("Name a colour.", None, num_beams=2, max_new_tokens=6).text.split()
    banned = [[token] for token in smollm2.tokenizer(" " + words[0] + " " + words[-1])["input_ids"]]
    banned += [[token] for token in smollm2.tokenizer(words[0])["input_ids"]]
    other = lm.generate("Name a colour.", None, num_beams=2, max_new_tokens=6, bad_words_ids=banned)
    assert words[0] not in other.text.split()
    with pytest.raises(TypeError):
        lm.generate("Name a colour.", None, no_such_setting=1)


@pytest.mark.real_model
def test_a_prompt_longer_than_the_context_is_refused(smollm2: LoadedModel) -> None:
    with pytest.raises(PromptError, match="context holds"):
        ConstrainedModel(smollm2).generate("word " * 10_000, "dog")


@pytest.mark.real_model
def test_a_translation_model_obeys_terminology(marian: LoadedModel) -> None:
    lm = ConstrainedModel(marian)
    source = "The doctor asked the nurse to help her."
    free = lm.generate(source, None, num_beams=4, max_new_tokens=40)
    assert nl.occurs("infirmière", free.text)
    result = lm.generate(source, "infirmier & !infirmière", num_beams=4, max_new_tokens=40)
    assert result.satisfied
    assert nl.occurs("infirmier", result.text)
    assert not nl.occurs("infirmière", result.text)


@pytest.mark.real_model
def test_a_phrase_may_be_written_in_any_normal_form(smollm2: LoadedModel) -> None:
    result = ConstrainedModel(smollm2).generate(
        "Where shall we meet?", nl.phrase("cafe\u0301"), num_beams=2, max_new_tokens=12
    )
    assert "café" in result.text.lower()


def test_wishes_are_reported_apart_from_clauses(lm: ConstrainedModel) -> None:
    result = lm.generate("x", "a & prefer(!a, 0.5) & prefer(a)", max_new_tokens=6)
    assert [clause.text for clause in result.clauses] == ["a"]
    assert [(wish.text, wish.met, wish.weight) for wish in result.wishes] == [
        ("!a", False, 0.5),
        ("a", True, 1.0),
    ]
    assert result.satisfied
    assert result.to_dict()["wishes"][0] == {"wish": "!a", "met": False, "weight": 0.5}
    assert "\nwish not met: !a\nwish met: a" in str(result)
    assert "wish not met: !a" in result._repr_html_()
    assert "wishes" not in lm.generate("x", "a", max_new_tokens=6).to_dict()
