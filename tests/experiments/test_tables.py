"""Cells and rows of tables as text and as JSON."""

from neurologic.experiments.tables import Block, Cell, ResultTable, Row, number_cell


def test_a_cell_shows_one_value_or_a_pair():
    assert number_cell(38.25).text == "38.2"
    assert number_cell(40.3, None).text == "40.3 → n/a"
    assert number_cell(2.0, sign=True).text == "+2.0"
    assert number_cell(1.234, digits=2).text == "1.23"


def test_a_mark_follows_the_text():
    assert [Cell("1", mark).marked_text for mark in (1, 0, -1)] == ["1 ▲", "1", "1 ▼"]


def test_a_table_as_json():
    rows = (Row("a", (number_cell(1.23456, mark=1, p_value=0.01),), ("few",)), Row("b"))
    document = ResultTable("T", ("x",), (Block("here", rows),), "note").to_json()
    assert document == {
        "title": "T",
        "note": "note",
        "columns": ["x"],
        "blocks": [
            {
                "title": "here",
                "rows": [
                    {
                        "name": "a",
                        "missing": False,
                        "notes": ["few"],
                        "cells": [{"values": [1.2346], "p_value": 0.01, "significant": 1}],
                    },
                    {"name": "b", "missing": True, "cells": []},
                ],
            }
        ],
    }
