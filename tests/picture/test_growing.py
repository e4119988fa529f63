"""A search that still runs, told step by step: the additions make the picture of the whole."""

from __future__ import annotations

import json
from typing import Any

import pytest

from neurologic.picture import GrowingSearch, Picture
from picture.made_up_traces import made_up_trace


def grown(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Put the additions of all records together, as the script does."""
    growing = GrowingSearch()
    fields: dict[str, Any] = {}
    for record in records:
        addition = growing.add(record)
        if addition is None:
            continue
        if not fields:
            fields = {**addition, "nodes": {name: [] for name in addition["nodes"]}}
            fields |= {name: [] for name in ("groups", "fates", "steps")}
        for name in ("groups", "fates", "steps"):
            fields[name] += addition[name]
        for number, plan in addition["plans"]:
            fields["nodes"]["plan"][number] = plan
        for name, column in addition["nodes"].items():
            fields["nodes"][name] += column
        fields["lanes"] = addition["lanes"]
    return fields


@pytest.mark.parametrize(("beams", "steps", "seed"), [(1, 1, 0), (2, 6, 1), (5, 12, 2), (12, 9, 3)])
def test_the_additions_are_the_whole_but_for_lanes(beams: int, steps: int, seed: int) -> None:
    records = made_up_trace(beams, steps, seed=seed)
    (whole,) = Picture.of(records).to_dict()["searches"]
    found = grown(records)
    for name in ("label", "clauses", "settings", "groups", "fates", "steps"):
        assert json.loads(json.dumps(found[name])) == json.loads(json.dumps(whole[name])), name
    for name in set(whole["nodes"]) - {"lane"}:
        assert found["nodes"][name] == whole["nodes"][name], name


def test_texts_that_live_at_the_same_time_have_lanes_of_their_own() -> None:
    nodes = grown(made_up_trace(6, 10))["nodes"]
    places = [
        (step, lane)
        for step, lane, alive in zip(nodes["step"], nodes["lane"], nodes["alive"], strict=True)
        if alive
    ]
    assert len(places) == len(set(places)) == 1 + 6 * 10


def test_lanes_stay_where_they_are() -> None:
    records = made_up_trace(6, 10)
    early, late = grown(records[:4])["nodes"]["lane"], grown(records)["nodes"]["lane"]
    assert late[: len(early)] == early


def test_the_result_adds_nothing() -> None:
    growing = GrowingSearch()
    additions = [growing.add(record) for record in made_up_trace(2, 3)]
    assert [addition is None for addition in additions] == [False, False, False, True]
