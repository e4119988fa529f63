"""Records as JSON."""

from __future__ import annotations

import json

import pytest

from experiments.bench.records import against, record_of, whole_record
from neurologic.experiments.bench.figures import figures_of
from neurologic.experiments.bench.record import RecordError, Run, read_record


def test_a_record_survives_json():
    record = whole_record(quick=True)
    again = read_record(json.dumps(record.to_json()))
    assert again == record
    assert figures_of(again) == figures_of(record)


def test_every_single_run_is_in_it():
    document = record_of(against("a", [1.0, 3.0, 2.0], [4.0, 5.0, 6.0])).to_json()
    [measured] = document["measured"]
    assert [run["seconds"] for run in measured["sides"]["neurologic"]["runs"]] == [1.0, 3.0, 2.0]
    assert measured["sides"]["Hugging Face"]["first"]["seconds"] == 98.0
    assert document["machine"]["versions"].keys() == {"neurologic", "torch", "transformers", "python"}


def test_what_is_added_to_the_document_does_not_disturb():
    record = whole_record()
    assert read_record(json.dumps({**record.to_json(), "figures": []})) == record


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not JSON"),
        ("[1]", "not the JSON document of a benchmark"),
        ('{"settings": {}}', "not the JSON document of a benchmark"),
        ('{"format": 99, "measured": []}', "format 99"),
        ('{"format": 1, "measured": []}', "not a whole record"),
        ('{"format": 1, "measured": 5, "machine": {}, "letters": [], "rounds": 1}', "not a whole record"),
    ],
)
def test_other_files_are_refused(text, told):
    with pytest.raises(RecordError, match=told):
        read_record(text)


def test_a_record_with_a_part_missing_is_refused():
    document = whole_record().to_json()
    del document["measured"][0]["sides"]["neurologic"]["first"]["seconds"]
    with pytest.raises(RecordError, match="seconds"):
        read_record(json.dumps(document))


def test_bookkeeping_of_a_run():
    assert Run(5.0, 1, 1, parts={"model": 3.0, "top-k": 0.5}).bookkeeping == 1.5
    assert Run(5.0, 1, 1).bookkeeping is None
