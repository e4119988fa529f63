"""The figures of a system, by examples counted by hand."""

import pytest

from neurologic.errors import ExpressivityError, PromptError
from neurologic.experiments.runs import Prediction
from neurologic.experiments.runs.comparison import COMPARISON_COLUMNS
from neurologic.experiments.runs.run_statistics import Figures, asking_clauses, summarise
from neurologic.generation.result import Result
from neurologic.logic import check, parse

FORMULA = "dog & !cat"


def prediction(text: str, formula: str | None = FORMULA, seconds: float = 1.0, **fields) -> Prediction:
    plain = {"logprob": -4.0, "tokens": (1, 2, 3, 4), "calls": 10}
    return Prediction.from_result("1", Result(text, -1.0, check(formula, text), **plain | fields), seconds)


def error(raised: Exception) -> Prediction:
    return Prediction.from_result("1", Result("", 0.0, error=raised), 9.0)


DOG = prediction("A dog and a dog.", seconds=2.0, logprob=-6.0, tokens=(1, 2, 3), calls=30, forced=2)
CAT = prediction("A cat.", seconds=4.0, logprob=-2.0, tokens=(1, 2), calls=10, ending="length")
PLAIN = prediction(
    "A dog.", None, 6.0, logprob=-1.0, tokens=(1,), calls=20, ending="time", reduced="left out"
)


def test_every_figure_by_hand():
    figures = summarise([DOG, CAT, PLAIN, error(ExpressivityError("no")), error(PromptError("too long"))])
    assert (figures.texts, figures.refused, figures.failed, figures.without_text) == (3, 1, 1, 2)
    assert figures.formula == "whole (2); left out (1)"
    assert figures.clauses_satisfied == 50  # both of the first, none of the second
    assert figures.texts_satisfied == 50  # a text without clauses has nothing to satisfy
    assert figures.log_likelihood == pytest.approx((-2 - 1 - 1) / 3)
    assert figures.distinct_1 == pytest.approx(100 * 4 / 9)  # a dog and a dog, a cat, a dog
    assert figures.distinct_2 == pytest.approx(100 * 4 / 6)  # a-dog dog-and and-a a-dog, a-cat, a-dog
    assert figures.repetition_1 == pytest.approx(100 * 0.5 / 3)  # dog dog
    assert figures.repetition_2 == pytest.approx(100 * 0.25 / 3)
    assert figures.words == 3
    assert (figures.seconds, figures.calls) == (4, 20)
    assert figures.forced == pytest.approx(100 / 3)
    assert figures.cut_off == pytest.approx(200 / 3)


def test_clauses_that_ask_for_words_count_apart_from_the_others():
    predictions = [
        prediction("A dog."),
        prediction("A dog dog and a cat", forced=3, ending="length", reduced="base form"),
        prediction("The cat", ending="time", logprob=-8.0, calls=40, seconds=4.0),
        prediction("dog", ending="stop", reduced="base form"),
        error(PromptError("too long")),
    ]
    figures = summarise(predictions, [asking_clauses(parse(FORMULA))] * 5)
    assert (figures.texts, figures.failed) == (4, 1)
    # Three of four have the dog, two of four the cat.
    assert (figures.clauses_satisfied, figures.broken, figures.texts_satisfied) == (75, 50, 50)
    assert (figures.forced, figures.cut_off) == (25, 50)
    assert figures.repetition_1 == pytest.approx(100 / 3 / 4)
    assert figures.words == pytest.approx((2 + 6 + 2 + 1) / 4)
    assert (figures.log_likelihood, figures.calls, figures.seconds) == (-1.25, 17.5, 1.75)
    assert figures.formula == "whole (2); base form (2)"


def test_clauses_that_ask_for_words_count_whatever_state_they_end_in():
    formula = parse("exactly(1, dog, cat) & (rain -> umbrella)")
    outputs = [*["A dog."] * 8, "Rain.", "A dog and a cat."]
    predictions = [prediction(output, formula) for output in outputs]
    figures = summarise(predictions, [asking_clauses(formula)] * 10)
    assert (figures.clauses_satisfied, figures.broken) == (80, 10)


def test_the_cost_of_outputs_of_other_programs_is_not_known():
    output = Prediction("1", Result("A dog.", 0.0, check(FORMULA, "A dog.")))
    figures = summarise([output], [asking_clauses(parse(FORMULA))])
    assert (figures.clauses_satisfied, figures.texts, figures.formula) == (100, 1, "")
    assert (figures.forced, figures.cut_off, figures.calls, figures.seconds, figures.log_likelihood) == (
        (None,) * 5
    )


def test_nothing_written_is_nothing_counted():
    figures = summarise([error(ExpressivityError("no"))])
    assert figures == Figures("", 0, refused=1)
    cells = [column.cell(figures).text for column in COMPARISON_COLUMNS]
    assert cells == ["-", "0, refused: 1", *["-"] * 12]


def test_one_rule_needs_no_count():
    assert summarise([DOG, CAT]).formula == "whole"
    assert summarise([PLAIN] * 2).formula == "left out"


def test_a_text_without_tokens_has_no_likelihood_per_token():
    assert summarise([prediction("", None, tokens=())]).log_likelihood is None
