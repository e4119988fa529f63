"""Scores, figures, and comparisons with the first system."""

import pytest

from experiments.runs.toy import Model, Toy, item, results
from neurologic.experiments.metrics import Difference, Goal, Interval
from neurologic.experiments.runs import Contest, Run, of_output, scored
from neurologic.experiments.runs.figures import asking_clauses, figures_of
from neurologic.experiments.runs.predictions import Cost, Prediction
from neurologic.experiments.runs.scoring import significant
from neurologic.logic import check, parse

ITEMS = tuple(item(number, "dog & !cat") for number in range(20))


def system(name, said, items=ITEMS):
    run = Run(None, {"decoder": name})
    for one, result in zip(items, results(Model(said), items), strict=True):
        run.add(one, result, 0.5)
    return scored(Toy(), items, name, run.manifest, run.predictions(items))


def test_scores_with_signatures_and_what_the_run_was():
    document = system("beam", "A dog {}.").to_json()
    assert document["scores"] == {"exact": 100.0}
    assert document["signature"] == "decoder:beam|inputs:20"
    assert document["signatures"]["exact"].startswith("exact|inputs:20|refs:2|data:")
    assert document["run"] == {"decoder": "beam"}
    assert document["figures"]["clauses_satisfied"] == 100


def test_others_are_compared_with_the_first():
    contest = Contest(
        Toy(), ITEMS, (system("a", "A dog {}."), system("b", "A cat {}."), system("c", "A dog."))
    )
    found = {name: one.difference.value for name, (one,) in contest.differences.items()}
    assert found == {"b": -100.0, "c": 0.0}
    assert {name: significant(one) for name, (one,) in contest.differences.items()} == {"b": -1, "c": 0}
    document = contest.to_json()
    assert (list(document["systems"]), document["compared_with"]) == (["a", "b", "c"], "a")
    assert document["differences"]["b"][0]["p_value"] < 0.01


def test_a_better_system_is_significantly_better():
    contest = Contest(Toy(), ITEMS, (system("a", "A cat."), system("b", "A dog.")))
    assert significant(contest.differences["b"][0]) == 1


def test_where_lower_is_better_the_lower_system_is_better():
    high, low = (Interval(value, value, value) for value in (40.0, 10.0))
    drop = Interval(-30.0, -31.0, -29.0)
    assert significant(Difference("extra", high, low, drop, 0.001, "", Goal.LOW)) == 1
    assert significant(Difference("extra", high, low, drop, 0.001, "", Goal.HIGH)) == -1
    assert significant(Difference("extra", high, low, drop, 0.2, "", Goal.LOW)) == 0


def test_one_input_cannot_be_drawn_from():
    one = ITEMS[:1]
    contest = Contest(Toy(), one, (system("a", "A dog.", one), system("b", "A dog.", one)))
    assert contest.differences == {}


def test_the_worst_come_first():
    outputs = ["A dog 0.", "A dog and a cat.", "A cat.", "My dog."]
    predictions = [of_output(one, output) for one, output in zip(ITEMS, outputs, strict=False)]
    predictions.append(Prediction(ITEMS[4].id, "", error="too long"))
    first = scored(Toy(), ITEMS[:5], "file", {}, predictions)
    # the failure, two unmet, one unmet, none of the references, the best
    assert Contest(Toy(), ITEMS[:5], (first,)).worst_first() == [4, 2, 1, 3, 0]


def test_figures():
    def prediction(output, **cost):
        plain = {"score": 0, "forced": 0, "ending": "end", "logprob": -4, "tokens": 4, "calls": 10}
        plain |= {"reused": 0, "seconds": 1.0}
        return Prediction("1", output, check("dog & !cat", output), cost=Cost(**{**plain, **cost}))

    found = figures_of(
        [
            prediction("A dog."),
            prediction("A dog dog and a cat", forced=3, ending="length", reduced="base form"),
            prediction("The cat", ending="time", logprob=-8, calls=40, seconds=4.0),
            prediction("dog", ending="stop", reduced="base form"),
            Prediction("5", "", error="too long"),
        ],
        [asking_clauses(parse("dog & !cat"))] * 5,
    )
    assert (found.texts, found.failed) == (4, 1)
    # Three of four have the dog, two of four the cat.
    assert (found.clauses_satisfied, found.broken, found.texts_satisfied) == (75, 50, 50)
    assert (found.forced, found.cut_off) == (25, 50)
    assert found.repetition == pytest.approx(100 / 3 / 4)
    assert found.words == pytest.approx((2 + 6 + 2 + 1) / 4)
    assert (found.log_likelihood, found.calls, found.seconds) == (-1.25, 17.5, 1.75)
    assert found.formula == "whole (2); base form (2)"


def test_figures_of_outputs_of_others_say_nothing_of_their_cost():
    found = figures_of([of_output(ITEMS[0], "A dog.")], [asking_clauses(ITEMS[0].formula)])
    assert (found.clauses_satisfied, found.texts) == (100, 1)
    assert (found.forced, found.cut_off, found.calls, found.seconds, found.log_likelihood) == (None,) * 5
    assert figures_of([], []).clauses_satisfied is None


def test_clauses_that_ask_for_words_count_whatever_state_they_end_in():
    formula = parse("exactly(1, dog, cat) & (rain -> umbrella)")
    outputs = [*["A dog."] * 8, "Rain.", "A dog and a cat."]
    predictions = [
        Prediction(str(place), output, check(formula, output)) for place, output in enumerate(outputs)
    ]
    found = figures_of(predictions, [asking_clauses(formula)] * 10)
    assert found.clauses_satisfied == 80
    assert found.broken == 10
