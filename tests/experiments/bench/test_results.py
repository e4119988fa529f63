"""Results as JSON."""

from __future__ import annotations

import json

import pytest

from experiments.bench.made_up_results import against, all_results, results_of
from neurologic.experiments.bench.results import ResultsError, Run, read_results
from neurologic.experiments.bench.summary import summarise


def test_results_survive_json():
    results = all_results(quick=True)
    again = read_results(json.dumps(results.to_json()))
    assert again == results
    assert summarise(again) == summarise(results)


def test_every_single_run_is_in_it():
    document = results_of(against("a", [1.0, 3.0, 2.0], [4.0, 5.0, 6.0])).to_json()
    [measured] = document["measured"]
    assert [run["seconds"] for run in measured["sides"]["neurologic"]["runs"]] == [1.0, 3.0, 2.0]
    assert measured["sides"]["Hugging Face"]["first"]["seconds"] == 98.0
    assert document["machine"]["versions"].keys() == {"neurologic", "torch", "transformers", "python"}


def test_what_is_added_to_the_document_does_not_disturb():
    results = all_results()
    assert read_results(json.dumps({**results.to_json(), "figures": []})) == results


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("[1]", "not the JSON document of a benchmark"),
        ('{"settings": {}}', "not the JSON document of a benchmark"),
        ('{"format": 99, "measured": []}', "format 99"),
        ('{"format": 1, "measured": []}', "is not complete"),
        ('{"format": 1, "measured": 5, "machine": {}, "letters": [], "rounds": 1}', "is not complete"),
    ],
)
def test_other_files_are_refused(text, message):
    with pytest.raises(ResultsError, match=message):
        read_results(text)


def test_a_document_with_a_part_missing_is_refused():
    document = all_results().to_json()
    del document["measured"][0]["sides"]["neurologic"]["first"]["seconds"]
    with pytest.raises(ResultsError, match="seconds"):
        read_results(json.dumps(document))


def test_bookkeeping_of_a_run():
    assert Run(5.0, 1, 1, parts={"model": 3.0, "top-k": 0.5}).bookkeeping == 1.5
    assert Run(5.0, 1, 1).bookkeeping is None
