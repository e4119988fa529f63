"""`neurologic picture` and `generate --picture`."""

from __future__ import annotations

import json
import re

import pytest


def data_of(path):
    page = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


@pytest.fixture
def trace(run, lm, tmp_path):
    path = tmp_path / "trace.jsonl"
    assert run("generate", "a dog", "--formula", "zebra", "--max-new-tokens", 60, "--trace", path).code == 0
    return path


def test_a_trace_becomes_a_page(run, trace, tmp_path):
    page = tmp_path / "search.html"
    assert run("picture", trace, "-o", page).code == 0
    (search,) = data_of(page)["searches"]
    assert search["prompt"] == "a dog"
    assert "zebra" in search["texts"][0]["text"].lower()
    assert search["texts"][0]["node"] > 0


def test_a_small_search_becomes_an_svg(run, lm, tmp_path):
    trace, drawing = tmp_path / "trace.jsonl", tmp_path / "search.svg"
    settings = ("--max-new-tokens", 24, "--num-beams", 3)
    run("generate", "a", "--formula", "zebra", *settings, "--trace", trace)
    assert run("picture", trace, "-o", drawing, "--svg").code == 0
    assert drawing.read_text(encoding="utf-8").startswith("<svg")


def test_generate_draws_all_prompts_on_one_page(run, lm, tmp_path):
    page = tmp_path / "search.html"
    assert (
        run("generate", "a", "b", "--formula", "zebra", "--max-new-tokens", 60, "--picture", page).code == 0
    )
    assert [search["prompt"] for search in data_of(page)["searches"]] == ["a", "b"]


def test_what_is_not_a_trace_is_refused_with_its_line(run, trace, tmp_path):
    trace.write_text(trace.read_text() + '{"prompt": "a"}\n')
    ended = run("picture", trace, "-o", tmp_path / "search.html")
    assert ended.code == 2
    assert "not a record of a trace" in ended.err
    assert re.search(r"trace.jsonl, line [0-9]+:", ended.err)
    assert not (tmp_path / "search.html").exists()


def test_an_empty_trace_is_refused(run, tmp_path):
    (tmp_path / "trace.jsonl").write_text("")
    assert "no steps" in run("picture", tmp_path / "trace.jsonl", "-o", tmp_path / "a.html").err


def test_the_trace_is_not_overwritten(run, trace):
    assert "are the same file" in run("picture", trace, "-o", trace).err


def test_editing_decoders_have_no_picture(run, lm):
    ended = run("generate", "a", "--include", "dog", "--decoder", "cgmh", "--picture", "search.html")
    assert "--picture has no effect on the decoder cgmh" in ended.err
