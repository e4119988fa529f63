"""If the payment plan fits into the budget, the text satisfies the formula: always, on any model."""

from __future__ import annotations

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from formulas import NUMBER_VOCABULARY, NUMBERS, satisfiable, small_formulas
from neurologic.decoders.neurologic import NeuroLogicDecoder
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.logic import Formula, check, parse
from neurologic.models.base import EncodedPrompt
from neurologic.search.engine import search
from neurologic.search.hooks import Hooks
from neurologic.search.input_output import SearchInput, SearchOutput
from neurologic.search.settings import SearchSettings
from random_cases import cases
from toys import ToyModel, random_model, toy_vocabulary

VOCABULARY = toy_vocabulary("a", "b", "c", " ", " a", " b", "ab", ".", "s")


def run(
    model: ToyModel, formula: Formula | None, hooks: Hooks | None = None, **knobs: object
) -> SearchOutput:
    one = SearchInput(EncodedPrompt((1,)), compile_formula(formula, model.vocabulary))
    return search(model, [one], NeuroLogicDecoder(), SearchSettings(**knobs), hooks)[0]  # type: ignore[arg-type]


@cases(400)
@given(
    formula=small_formulas(),
    seed=st.integers(0, 10_000),
    sharpness=st.sampled_from([0.5, 3.0, 10.0]),
    max_new_tokens=st.integers(1, 8),
    num_beams=st.integers(1, 3),
    alpha=st.sampled_from([1, 3, 20]),
    min_new_tokens=st.integers(0, 2),
    no_repeat_ngram_size=st.integers(0, 2),
)
def test_the_text_satisfies_the_formula_whenever_the_plan_fits(
    formula: Formula, seed: int, sharpness: float, max_new_tokens: int, min_new_tokens: int, **knobs: int
) -> None:
    constraint = satisfiable(formula, VOCABULARY)
    bound = constraint.upper_bound()
    assume(bound is not None and bound <= max_new_tokens)
    one = SearchInput(EncodedPrompt((1,)), constraint)
    search_settings = SearchSettings(
        max_new_tokens=max_new_tokens, min_new_tokens=min(min_new_tokens, max_new_tokens), **knobs
    )
    model = random_model(VOCABULARY, seed, sharpness)
    (output,) = search(model, [one], NeuroLogicDecoder(), search_settings)
    assert output.promised
    text = output.texts[0].text.decode()
    assert len(output.texts[0].tokens) <= max_new_tokens
    assert all(report.satisfied for report in check(constraint.clauses, text)), text
    assert output.texts[0].satisfied == len(constraint.clauses)


@cases(100)
@given(small_formulas(NUMBERS), st.integers(0, 10_000), st.integers(1, 8))
def test_numbers_are_guaranteed_too(formula: Formula, seed: int, max_new_tokens: int) -> None:
    constraint = satisfiable(formula, NUMBER_VOCABULARY)
    bound = constraint.upper_bound()
    assume(bound is not None and bound <= max_new_tokens)
    one = SearchInput(EncodedPrompt((1,)), constraint)
    model = random_model(NUMBER_VOCABULARY, seed, 3.0)
    (output,) = search(model, [one], NeuroLogicDecoder(), SearchSettings(max_new_tokens=max_new_tokens))
    text = output.texts[0].text.decode()
    assert all(report.satisfied for report in check(constraint.clauses, text)), text


@pytest.mark.parametrize(
    ("formula", "max_new_tokens", "text"),
    [
        ("Uppsala", 2, " the Uppsala"),
        ("Uppsala", 3, " the. Uppsala"),
        ("dog", 2, " the dog"),
        ("dog", 3, " the. Dog"),
    ],
)
@pytest.mark.parametrize("small", [1.0, 2.2])
def test_forced_words_keep_their_case_and_get_a_capital_where_a_sentence_opens(
    formula: str, max_new_tokens: int, text: str, small: float
) -> None:
    likings = {"x": -9.0, " the": 4.0, ".": 3.0, " DOG": 2.5, " uppsala": 2.0, " Dog": 2.0, " dog": small}
    likings[" Uppsala"] = 0.0
    vocabulary = toy_vocabulary(*likings)

    def alternating(tokens: tuple[int, ...]) -> torch.Tensor:
        logits = torch.tensor([-9.0, *likings.values()]) * 5
        logits[tokens[-1]] = -50.0  # never the same again
        return logits

    output = run(
        ToyModel(vocabulary, alternating),
        parse(formula),
        max_new_tokens=max_new_tokens,
        num_beams=1,
        reserve=0.0,
    )
    assert output.texts[0].text.decode() == text
    assert output.texts[0].forced == 1


def test_what_is_owed_is_paid_at_the_last_moment_and_counted() -> None:
    """A model that never wants the word: it is forced, just in time, and the result says so."""

    def stubborn(tokens: tuple[int, ...]) -> torch.Tensor:
        logits = torch.zeros(len(VOCABULARY))
        logits[VOCABULARY.token_of[b" a"]] = 30.0
        return logits

    output = run(ToyModel(VOCABULARY, stubborn), parse("c & ab"), max_new_tokens=6, num_beams=2, alpha=3)
    best = output.texts[0]
    assert best.satisfied == 2
    assert best.forced > 0
    assert len(best.tokens) == 6


def test_nothing_is_forced_where_the_model_goes_along() -> None:
    def willing(tokens: tuple[int, ...]) -> torch.Tensor:
        logits = torch.zeros(len(VOCABULARY))
        wish = b" a" if len(tokens) == 1 else b" b"
        logits[VOCABULARY.token_of[wish] if len(tokens) < 3 else 0] = 5.0
        return logits

    output = run(ToyModel(VOCABULARY, willing), parse("a & b"), max_new_tokens=8, num_beams=2)
    assert output.texts[0].forced == 0
    assert output.texts[0].text == b" a b"


def test_what_the_formula_leaves_no_choice_about_is_not_forced() -> None:
    """After " a" only " b" can follow, for a second "a" is forbidden; there is time enough."""

    def stubborn(tokens: tuple[int, ...]) -> torch.Tensor:
        logits = torch.zeros(len(VOCABULARY))
        logits[VOCABULARY.token_of[b" a" if len(tokens) == 1 else b"."]] = 5.0
        return logits

    output = run(
        ToyModel(VOCABULARY, stubborn),
        parse('"a b" & !a[times=2]'),
        max_new_tokens=20,
        num_beams=1,
        reserve=0.0,
    )
    assert output.texts[0].text.startswith(b" a b")
    assert output.texts[0].forced == 0


def test_a_processor_that_bans_the_word_breaks_the_promise_loudly() -> None:
    """What can still be kept is kept: the text goes on to its end, and nothing forbidden is written."""

    def ban_c(ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        return scores.index_fill(-1, torch.tensor([VOCABULARY.token_of[b"c"]]), float("-inf"))

    for seed in range(20):
        model = random_model(VOCABULARY, seed)
        output = run(model, parse("c & !a & !ab"), Hooks(processors=[ban_c]), max_new_tokens=12)
        best = output.texts[0]
        assert output.promised
        assert not output.kept
        assert best.satisfied == 2
        assert len(best.tokens) == 12


def test_a_budget_below_the_plan_is_best_effort() -> None:
    formula = parse('"a b" & ab & c & !as')
    for seed in range(20):
        output = run(random_model(VOCABULARY, seed), formula, max_new_tokens=3)
        assert not output.promised
        satisfied = check(formula, output.texts[0].text.decode())
        assert satisfied[-1].satisfied  # nothing forbidden
        assert sum(report.satisfied for report in satisfied) >= 2  # and something of what is required
