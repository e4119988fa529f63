"""What every decoder that writes from left to right obeys, on random toy models and random formulas.

A formula is reduced to what the decoder can express, so that all of them get the same formulas.
"""

from __future__ import annotations

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from decoders.cases import ANYTHING, CASES, CONSTRAINED, Case, expressed
from formulas import PHRASES, SINGLE_PHRASES, small_formulas
from neurologic.errors import ExpressivityError
from neurologic.feasibility.compiled_constraint import CompiledConstraint
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.logic import Formula, Phrase, all_of, check, occurs
from neurologic.logic.expressivity import Expressivity
from neurologic.models.loading import LoadedModel
from neurologic.search.hypothesis import Finished
from random_cases import cases
from toys import END, ToyLoadedModel, ToyModel, random_model, toy_vocabulary

VOCABULARY = toy_vocabulary("a", "b", "c", " ", " a", " b", "ab", ".", "s", " c", ",")
SEEDS = st.integers(0, 10_000)
BUDGETS = st.integers(1, 9)


every_case = pytest.mark.parametrize("case", CASES, ids=str)
constrained_cases = pytest.mark.parametrize("case", CONSTRAINED, ids=str)
cases_that_express_anything = pytest.mark.parametrize("case", ANYTHING, ids=str)


def possible(case: Case, formula: Formula) -> CompiledConstraint:
    constraint = expressed(formula, VOCABULARY, case.decoder.expresses)
    assume(constraint is not None)
    assert constraint is not None
    return constraint


def read(text: Finished) -> str:
    return VOCABULARY.decode(text.tokens[:-1] if text.ending == "end" else text.tokens).decode()


@every_case
@cases(4)
@given(formula=small_formulas(), seed=SEEDS, limit=BUDGETS)
def test_the_same_input_and_seed_give_the_same_texts(
    case: Case, formula: Formula, seed: int, limit: int
) -> None:
    constraint = possible(case, formula)
    model = random_model(VOCABULARY, seed)
    knobs = {"num_beams": 3, "num_return_sequences": 3, "max_new_tokens": limit, "seed": seed}
    assert case.run(model, [constraint], **knobs) == case.run(model, [constraint], **knobs)


@every_case
def test_other_seeds_give_other_texts_where_texts_are_drawn(case: Case) -> None:
    model = random_model(VOCABULARY, seed=1, sharpness=0.5)
    formula = "a" if case in CONSTRAINED else None
    texts = [case.write(model, formula, max_new_tokens=8, seed=seed).texts[0].text for seed in range(6)]
    if case.draws:
        assert len(set(texts)) > 1
    elif case.knobs.get("look_ahead_kind") != "sample":
        assert len(set(texts)) == 1


@every_case
@cases(4)
@given(
    formulas=st.lists(small_formulas(), min_size=2, max_size=5),
    prompts=st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=5, max_size=5),
    seed=SEEDS,
    limit=BUDGETS,
)
def test_a_text_alone_is_the_text_in_a_batch(
    case: Case, formulas: list[Formula], prompts: list[tuple[int, int]], seed: int, limit: int
) -> None:
    """Not only the texts: what they cost is the same as well, and is what the model was asked for."""
    constraints = [possible(case, formula) for formula in formulas]
    starts = prompts[: len(formulas)]
    model = random_model(VOCABULARY, seed)
    knobs = {"num_beams": 3, "num_return_sequences": 3, "max_new_tokens": limit, "seed": seed}
    together = case.run(model, constraints, prompts=starts, **knobs)
    assert sum(output.calls for output in together) == model.rows_read
    alone = [
        case.run(model, [constraint], prompts=[start], **knobs)[0]
        for constraint, start in zip(constraints, starts, strict=True)
    ]
    assert together == alone


@every_case
@cases(10)
@given(formula=small_formulas(), seed=SEEDS, limit=BUDGETS, sharpness=st.sampled_from([0.5, 3.0]))
def test_what_was_tracked_is_what_the_text_says(
    case: Case, formula: Formula, seed: int, limit: int, sharpness: float
) -> None:
    constraint = possible(case, formula)
    knobs = {"num_beams": 3, "num_return_sequences": 2, "max_new_tokens": limit}
    (output,) = case.run(random_model(VOCABULARY, seed, sharpness), [constraint], **knobs)
    for text in output.texts:
        assert text.text.decode() == read(text)
        present = {phrase: bool(text.present >> n & 1) for n, phrase in enumerate(constraint.phrases)}
        assert present == {phrase: occurs(phrase, read(text)) for phrase in constraint.phrases}
        reports = check(constraint.clauses, read(text))
        assert text.satisfied == sum(report.satisfied for report in reports)


@every_case
@cases(10)
@given(formula=small_formulas(), seed=SEEDS, limit=BUDGETS, wanted=st.integers(1, 4), least=st.integers(0, 3))
def test_texts_end_properly_and_are_different(
    case: Case, formula: Formula, seed: int, limit: int, wanted: int, least: int
) -> None:
    constraint = possible(case, formula)
    knobs = {"num_beams": 4, "num_return_sequences": wanted, "max_new_tokens": limit}
    knobs["min_new_tokens"] = min(least, limit)
    (output,) = case.run(random_model(VOCABULARY, seed), [constraint], **knobs)
    assert 1 <= len(output.texts) <= wanted
    assert len({read(text).strip() for text in output.texts}) == len(output.texts)
    for text in output.texts:
        if text.ending == "end":
            assert text.tokens[-1] == END
            assert END not in text.tokens[:-1]
            assert knobs["min_new_tokens"] < len(text.tokens) <= limit
        else:
            assert text.ending in ("length", "sentence")
            assert END not in text.tokens
            assert len(text.tokens) == limit or text.ending == "sentence"
            assert knobs["min_new_tokens"] <= len(text.tokens) <= limit


@pytest.mark.parametrize(
    "case", [case for case in CASES if "num_return_sequences" in case.decoder.accepts], ids=str
)
def test_as_many_texts_as_were_asked_for(case: Case) -> None:
    model = random_model(VOCABULARY, seed=3, sharpness=1.0)
    formula = "a" if case in CONSTRAINED else None
    output = case.write(model, formula, num_beams=4, num_return_sequences=4, max_new_tokens=8)
    assert len({text.text.strip() for text in output.texts}) == 4


@constrained_cases
@cases(15)
@given(
    phrases=st.lists(st.sampled_from(SINGLE_PHRASES), min_size=1, max_size=3, unique=True),
    seed=SEEDS,
    limit=BUDGETS,
)
def test_no_text_ends_with_an_unmet_clause(case: Case, phrases: list[Phrase], seed: int, limit: int) -> None:
    """Whatever the budget: a text that owes can only be cut off."""
    constraint = possible(case, all_of(*phrases))
    knobs = {"num_beams": 3, "num_return_sequences": 3, "max_new_tokens": limit}
    (output,) = case.run(random_model(VOCABULARY, seed), [constraint], **knobs)
    for text in output.texts:
        met = all(occurs(phrase, read(text)) for phrase in phrases)
        assert met or text.ending == "length"


@cases_that_express_anything
@cases(25)
@given(
    formula=small_formulas(),
    seed=SEEDS,
    sharpness=st.sampled_from([0.5, 3.0, 10.0]),
    limit=BUDGETS,
    num_beams=st.integers(1, 3),
    alpha=st.sampled_from([1, 3, 20]),
)
def test_the_guarantee(
    case: Case, formula: Formula, seed: int, sharpness: float, limit: int, num_beams: int, alpha: int
) -> None:
    """If the payment plan fits into the budget, the text satisfies the formula: always, on any model."""
    constraint = possible(case, formula)
    bound = constraint.upper_bound()
    model = random_model(VOCABULARY, seed, sharpness)
    (output,) = case.run(model, [constraint], max_new_tokens=limit, num_beams=num_beams, alpha=alpha)
    assert output.promised == (bound is not None and bound <= limit)
    if output.promised:
        assert output.kept
        assert formula.holds(lambda phrase: occurs(phrase, read(output.texts[0])))


@cases_that_express_anything
@cases(15)
@given(
    formula=small_formulas(),
    forbidden=st.sampled_from(PHRASES),
    seed=SEEDS,
    limit=st.integers(3, 9),
    num_beams=st.integers(1, 3),
)
def test_a_forbidden_phrase_is_in_none_of_the_texts(
    case: Case, formula: Formula, forbidden: Phrase, seed: int, limit: int, num_beams: int
) -> None:
    constraint = possible(case, formula & ~forbidden)
    knobs = {"num_beams": num_beams, "num_return_sequences": num_beams, "max_new_tokens": limit}
    (output,) = case.run(random_model(VOCABULARY, seed), [constraint], **knobs)
    if output.promised:
        assert not any(occurs(forbidden, read(text)) for text in output.texts)


# -- through `lm.generate` --------------------------------------------------------------------------

REFUSED = {
    Expressivity.NOTHING: ["a | ab", "b", "!c"],
    Expressivity.PHRASES: ["a | ab", "!c"],
    Expressivity.POSITIVE_SETS: ["!c"],
}
LEFT_OUT = {
    Expressivity.NOTHING: "constraints left out",
    Expressivity.PHRASES: "sets → base form, negatives left out",
    Expressivity.POSITIVE_SETS: "negatives left out",
}


def toy_lm(seed: int) -> ConstrainedModel:
    return ConstrainedModel(ToyLoadedModel(random_model(VOCABULARY, seed)))  # type: ignore[arg-type]


@pytest.mark.parametrize("case", [case for case in CASES if case not in ANYTHING], ids=str)
def test_what_cannot_be_expressed_is_refused_by_name(case: Case) -> None:
    with pytest.raises(ExpressivityError) as error:
        toy_lm(1).generate("x", "(a | ab) & b & !c", decoder=case.decoder.name, max_new_tokens=9)
    refused = ", ".join(REFUSED[case.decoder.expresses])
    assert f"the decoder {case.decoder.name} expresses" in str(error.value)
    assert f"cannot obey {refused};" in str(error.value)


@every_case
def test_a_reduced_formula_is_labelled_and_the_whole_one_is_judged(case: Case) -> None:
    formula = "(a | ab) & b & !c"
    verdicts = set()
    for seed in range(8):
        result = toy_lm(seed).generate(
            "x", formula, decoder=case.decoder.name, reduce=True, max_new_tokens=9, **case.knobs
        )
        assert result.reduced == LEFT_OUT.get(case.decoder.expresses, "")
        assert result.clauses == check(formula, result.text)
        verdicts.add(result.satisfied)
        if case in CONSTRAINED and result.ending == "end":
            assert "b" not in result.unmet
    assert verdicts == {True} if case in ANYTHING else False in verdicts


@pytest.mark.real_model
@every_case
def test_on_a_real_model(case: Case, smollm2: LoadedModel) -> None:
    """The verdict is read from the text, and one that disagreed with what was tracked would raise."""
    lm = ConstrainedModel(smollm2)
    prompts = ["The weather is", "Write one short sentence about a park."]
    knobs = case.decoder.accepted({**case.knobs, "num_beams": 2, "max_new_tokens": 6, "look_ahead": 2})
    results = lm.generate(prompts, "dog & !the", decoder=case.decoder.name, reduce=True, **knobs)
    for result in results:
        dog, the = result.clauses
        assert dog.satisfied == occurs(Phrase("dog"), result.text)
        assert the.satisfied != occurs(Phrase("the"), result.text)
        assert len(result.tokens) <= 6
        if case in ANYTHING:
            assert result.satisfied
        elif case in CONSTRAINED and result.ending == "end":
            assert dog.satisfied


@constrained_cases
def test_few_beams_do_not_end_a_text_where_the_likeliest_tokens_are_no_text(case: Case) -> None:
    """After half a character the model likes best what cannot follow it."""
    vocabulary = toy_vocabulary("\u00e9".encode()[:1], "\u00e9".encode()[1:], " x", " y", " z")
    likes = torch.tensor([-9.0, 1.0, 0.0, 9.0, 8.0, 7.0])

    def logits_of(tokens: tuple[int, ...]) -> torch.Tensor:
        return likes.roll(-2) if len(tokens) == 1 else likes  # the first half of "\u00e9" first

    output = case.write(
        ToyModel(vocabulary, logits_of), None, num_beams=1, max_new_tokens=6, min_new_tokens=6
    )
    assert len(output.texts[0].tokens) == 6
