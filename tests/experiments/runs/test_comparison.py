"""A comparison as it grows, as one JSON document, and as a table."""

import json

from experiments.runs.test_run_statistics import CAT, DOG, error
from neurologic.errors import ExpressivityError
from neurologic.experiments.runs import ComparedInput, Comparison


def test_the_record_is_one_json_document():
    comparison = Comparison(
        [ComparedInput("one", fields={"texts": "own"}), ComparedInput("two")], ["beam", "gbs"]
    )
    comparison.add("beam", 0, DOG)
    comparison.add("gbs", 0, error(ExpressivityError("no")))
    assert not comparison.complete
    document = json.loads(json.dumps(comparison.to_json()))
    assert [row["decoder"] for row in document["decoders"]] == ["beam", "gbs"]
    first, second = document["inputs"]
    assert first["input"] == {"texts": "own"}
    assert first["texts"]["gbs"] == {"error": "no", "refused": True}
    assert first["texts"]["beam"]["clauses"][0]["clause"] == "dog"
    assert (first["texts"]["beam"]["seconds"], first["texts"]["beam"]["calls"]) == (2.0, 30)
    assert second["texts"] == {}


def test_a_comparison_is_complete_when_every_decoder_has_every_text():
    comparison = Comparison([ComparedInput("one")], ["beam"])
    assert not comparison.complete
    comparison.add("beam", 0, CAT)
    assert comparison.complete, "unmet clauses are a result, not a failure"


def test_the_table_has_a_row_per_decoder():
    comparison = Comparison([ComparedInput("one")], ["beam", "gbs"])
    comparison.add("gbs", 0, DOG)
    table = comparison.table()
    beam, gbs = table.blocks[0].rows
    assert (beam.name, gbs.name, table.note) == ("beam", "gbs", "1 input")
    assert dict(zip(table.headings, (cell.text for cell in gbs.cells), strict=True))["nats/token"] == "-2.000"
    assert table.text_columns == {"formula", "texts"}
