"""The missing texts of a run, stored as they finish; an item that fails does not spoil the others."""

from dataclasses import replace

import pytest

from experiments.runs.toy import Model, item, predict
from neurologic.errors import UnsatisfiedWarning
from neurologic.experiments.runs import RunFolder, generate_missing
from neurologic.generation.result import Result


def test_a_model_gets_the_settings_and_reduced_formulas():
    model = Model()
    assert [found.output for found in predict(model, [item(2), item(1)])] == ["A dog 2.", "A dog 1."]
    assert model.options == {
        "decoder": "neurologic",
        "on_error": "return",
        "reduce": True,
        "batch_size": 8,
        "num_beams": 2,
    }


@pytest.mark.parametrize("places", [[0], [1], [3], [0, 1], [1, 2, 3], [0, 1, 2, 3]])
def test_an_item_that_fails_is_an_error_and_the_rest_goes_on(places):
    items = [
        replace(item(number), prompt="too long") if number in places else item(number) for number in range(4)
    ]
    found = predict(Model(), items)
    assert [place for place, prediction in enumerate(found) if prediction.error] == places
    texts = [prediction.output for prediction in found if not prediction.error]
    assert texts == [f"A dog {number}." for number in range(4) if number not in places]


def test_texts_are_kept_as_they_are_done():
    class Uneven(Model):
        def stream(self, requests, **options):
            results = list(super().stream(requests, **options))
            yield from [results[2], results[0]]
            raise KeyboardInterrupt

    items = [item(number) for number in range(4)]
    run = RunFolder(None, {})
    with pytest.raises(KeyboardInterrupt):
        list(generate_missing(run, Uneven(), items, decoder="beam", settings={}))
    assert {name: found.output for name, found in run.done.items()} == {
        "dev-2": "A dog 2.",
        "dev-0": "A dog 0.",
    }
    rest = [done.id for done, _ in generate_missing(run, Model(), items, decoder="beam", settings={})]
    assert rest == ["dev-1", "dev-3"]


def test_items_have_settings_of_their_own_where_the_run_has_none():
    asked = []

    class Listening(Model):
        def stream(self, requests, **options):
            listed = list(requests)
            asked.append((options["max_new_tokens"], [request.id for request in listed]))
            yield from super().stream(listed, **options)

    items = [replace(item(number), settings={"max_new_tokens": 10 + number % 2}) for number in range(4)]
    for settings in ({}, {"max_new_tokens": 5}):
        done = list(
            generate_missing(RunFolder(None, {}), Listening(), items, decoder="beam", settings=settings)
        )
        assert len(done) == 4
    assert asked[:2] == [(10, ["dev-0", "dev-2"]), (11, ["dev-1", "dev-3"])]
    assert {limit for limit, _ in asked[2:]} == {5}


def test_no_items_ask_nothing():
    model = Model()
    assert predict(model, []) == []
    assert model.asked == []


def test_a_bug_is_not_taken_for_a_failure_of_an_item():
    class Broken(Model):
        def stream(self, requests, **options):
            for request in requests:
                yield Result("", 0.0, error=ZeroDivisionError("oh no"), request=request)

    with pytest.raises(ZeroDivisionError):
        predict(Broken(), [item(1)])


def test_a_run_is_continued_with_what_is_missing():
    items = [item(number) for number in range(4)]
    run, model = RunFolder(None, {}), Model()
    for _ in zip(range(2), generate_missing(run, model, items, decoder="beam", settings={}), strict=False):
        pass  # two texts, then the process stops
    assert list(run.done) == ["dev-0", "dev-1"]
    rest = [done.id for done, _ in generate_missing(run, model, items, decoder="beam", settings={})]
    assert rest == ["dev-2", "dev-3"]
    assert [prediction.output for prediction in run.predictions(items)] == [f"A dog {n}." for n in range(4)]


def test_the_warnings_of_results_are_python_warnings():
    class Doubtful(Model):
        def stream(self, requests, **options):
            for result in super().stream(requests, **options):
                yield replace(result, warnings=("it may stay unsatisfied",))

    with pytest.warns(UnsatisfiedWarning, match="it may stay unsatisfied"):
        predict(Doubtful(), [item(1)])
