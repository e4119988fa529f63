"""The records of a trace: what they tell, and what they keep to themselves."""

from __future__ import annotations

from typing import Any

from echo_model import RecordedModel


def records(prompt: str, formula: str, **options: Any) -> list[dict[str, Any]]:
    settings = {"num_beams": 2, "max_new_tokens": 60, "trace": True, **options}
    return list(RecordedModel().generate(prompt, formula, **settings).trace)


def test_all_clauses_are_told_with_their_states() -> None:
    *steps, end = records("a dog", "dog")
    assert all(step["clauses"] == ["dog"] for step in steps)
    assert all(len(row["states"]) == 1 for step in steps for row in step["beam"])
    assert end["result"]["texts"][0]["text"].startswith("The text of a dog")


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
