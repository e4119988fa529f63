"""The figures of a decoder, by examples counted by hand."""

import json

import pytest

from neurologic.errors import ExpressivityError, PromptError
from neurologic.experiments.comparison import Attempt, Comparison, Figures, Input, figures_of
from neurologic.experiments.comparison.columns import COLUMNS
from neurologic.generation.result import Result
from neurologic.logic import check


def result(text: str, formula: str | None, **fields) -> Result:
    return Result(text, -1.0, check(formula, text), **fields)


DOG = result("A dog and a dog.", "dog & !cat", logprob=-6.0, tokens=(1, 2, 3), calls=30, forced=2)
CAT = result("A cat.", "dog & !cat", logprob=-2.0, tokens=(1, 2), calls=10, ending="length")
PLAIN = result("A dog.", None, logprob=-1.0, tokens=(1,), calls=20, ending="time", reduced="left out")


def test_every_figure_by_hand():
    figures = figures_of(
        [
            Attempt(DOG, 2.0),
            Attempt(CAT, 4.0),
            Attempt(PLAIN, 6.0),
            Attempt(ExpressivityError("no"), 9.0),
            Attempt(PromptError("too long"), 9.0),
        ]
    )
    assert (figures.texts, figures.refused, figures.failed) == (3, 1, 1)
    assert figures.formula == "whole (2); left out (1)"
    assert figures.clauses_satisfied == 50  # both of the first, none of the second
    assert figures.texts_satisfied == 50  # a text without clauses has nothing to satisfy
    assert figures.log_likelihood == pytest.approx((-2 - 1 - 1) / 3)
    assert figures.distinct_1 == pytest.approx(100 * 4 / 9)  # a dog and a dog, a cat, a dog
    assert figures.distinct_2 == pytest.approx(100 * 4 / 6)  # a-dog dog-and and-a a-dog, a-cat, a-dog
    assert figures.repetition_1 == pytest.approx(100 * 0.5 / 3)  # dog dog
    assert figures.repetition_2 == pytest.approx(100 * 0.25 / 3)
    assert (figures.seconds, figures.calls) == (4, 20)
    assert figures.forced == pytest.approx(100 / 3)
    assert figures.cut_off == pytest.approx(200 / 3)


def test_nothing_written_is_nothing_counted():
    figures = figures_of([Attempt(ExpressivityError("no"))])
    assert figures == Figures("", 0, refused=1)
    assert [column.shown(figures) for column in COLUMNS] == ["-", "0, refused: 1", *["-"] * 12]


def test_one_rule_needs_no_count():
    assert figures_of([Attempt(DOG), Attempt(CAT)]).formula == "whole"
    assert figures_of([Attempt(PLAIN)] * 2).formula == "left out"


def test_a_text_without_tokens_has_no_likelihood_per_token():
    assert figures_of([Attempt(result("", None))]).log_likelihood is None


def test_the_record_is_one_json_document():
    comparison = Comparison([Input("one", fields={"texts": "own"}), Input("two")], ["beam", "gbs"])
    comparison.add("beam", 0, Attempt(DOG, 1.5))
    comparison.add("gbs", 0, Attempt(ExpressivityError("no")))
    assert not comparison.complete
    document = json.loads(json.dumps(comparison.to_json()))
    assert [row["decoder"] for row in document["decoders"]] == ["beam", "gbs"]
    first, second = document["inputs"]
    assert first["input"] == {"texts": "own"}
    assert first["texts"]["gbs"] == {"error": "no", "refused": True}
    assert first["texts"]["beam"]["clauses"][0]["clause"] == "dog"
    assert (first["texts"]["beam"]["seconds"], first["texts"]["beam"]["calls"]) == (1.5, 30)
    assert second["texts"] == {}


def test_a_comparison_is_complete_when_every_decoder_has_every_text():
    comparison = Comparison([Input("one")], ["beam"])
    assert not comparison.complete
    comparison.add("beam", 0, Attempt(CAT))
    assert comparison.complete, "unmet clauses are a result, not a failure"
