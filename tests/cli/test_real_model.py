"""The whole way, with the default model."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.real_model

SMALL = ("--num-beams", 4, "--max-new-tokens", 12)


def test_lines_through_the_default_model(run, write_lines, read_output, tmp_path):
    out, trace = tmp_path / "out.jsonl", tmp_path / "trace.jsonl"
    path = write_lines(
        {"id": "a", "prompt": "Write one sentence about a park.", "include": ["dog"], "exclude": ["the"]},
        {"id": "b", "prompt": "Write.", "include": ["dog"], "exclude": ["dog"]},
        {"id": "c", "prompt": "word " * 9000},
        {"id": "d", "prompt": "The hot", "raw": True, "formula": "dog | water"},
    )
    ended = run("generate", "-i", path, "-o", out, "--trace", trace, *SMALL)
    assert ended.code == 1
    output = read_output(out)
    assert [(line["id"], line.get("satisfied")) for line in output] == [
        *(("a", True), ("b", None), ("c", None), ("d", True))
    ]
    assert "context" in output[2]["error"]
    assert {step["input"] for step in read_output(trace)} == {0, 3}
    judged = run("check", "-i", out, "--json").json
    assert [result["satisfied"] for result in judged["results"]] == [True, False, False, True]


def test_explain_tells_the_cost_for_the_default_model(run):
    ended = run("explain", '"flying disc" & !cat', "--model", "smollm2", "--json")
    assert ended.code == 0
    (phrase,) = ended.json["cost"]["phrases"]
    assert "".join(phrase["pieces"]) == " flying disc"
    assert 1 <= ended.json["cost"]["lower_bound"] <= ended.json["cost"]["upper_bound"] <= 8
