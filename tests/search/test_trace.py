"""The records of a trace: what they tell, and what they keep to themselves."""

from __future__ import annotations

from typing import Any

from echo_model import RecordedModel
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.logic import parse
from neurologic.search.beam import Beam
from neurologic.search.decoder import Selection
from neurologic.search.settings import SearchSettings
from neurologic.search.trace import Trace
from toys import toy_vocabulary


def records(prompt: str, formula: str, **options: Any) -> list[dict[str, Any]]:
    settings = {"num_beams": 2, "max_new_tokens": 60, "trace": True, **options}
    return list(RecordedModel().generate(prompt, formula, **settings).trace)


def test_a_clause_that_the_library_added_is_not_mentioned() -> None:
    *steps, end = records("a dog", "dog")
    assert all(step["clauses"] == ["dog"] for step in steps)
    assert all(len(row["states"]) == 1 for step in steps for row in step["beam"])
    assert "talk about the task" not in str([step["clauses"] for step in steps])
    assert end["result"]["texts"][0]["text"].startswith("The text of a dog")


def test_what_breaks_only_such_a_clause_talks_about_the_task() -> None:
    vocabulary = toy_vocabulary(" dog", " cat", " sleeps")
    beam = Beam(compile_formula(parse("dog & !cat"), vocabulary), SearchSettings(max_new_tokens=9))
    beam.replace([beam.extended(beam.consider(0, 2, -1.0))])
    told: list[dict[str, Any]] = []
    for hidden in (0, 1):
        Trace(told.append).step("x", beam, Selection(considered=[beam.consider(0, 3, -2.0)]), hidden=hidden)
    shown, kept = (record["candidates"][0] for record in told)
    assert (shown["fate"], shown["states"]) == ("S2", ["S1", "S2"])
    assert (kept["fate"], kept["states"]) == ("task talk", ["S1"])
    assert kept["why"] == "pruned: the text would talk about the task"


def test_the_plan_and_the_tokens_left_are_told() -> None:
    first = records("a", "zebra")[0]
    assert first["left"] == 59
    assert first["beam"][0]["plan"] == len("zebra")


def test_off_by_default() -> None:
    assert RecordedModel().generate("a", "dog", max_new_tokens=60).trace == ()


def test_a_trace_changes_no_text() -> None:
    plain = RecordedModel().generate("a", "zebra & !text", max_new_tokens=60)
    traced = RecordedModel().generate("a", "zebra & !text", max_new_tokens=60, trace=True)
    assert plain == traced
