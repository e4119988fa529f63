"""One run of either side, with a clock that does not depend on the machine."""

from __future__ import annotations

import itertools
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import torch

import neurologic as nl
from neurologic.errors import ModelError
from neurologic.experiments.bench.results import Run
from neurologic.experiments.bench.sides import padded_batches, prepare, prompt_ids, require_generate
from neurologic.experiments.bench.workload import OURS, REFERENCE, Workload

WORKLOAD = Workload(
    "a",
    "a few texts",
    ("The quick brown fox", "A dog", "She sells sea shells"),
    {OURS: (nl.phrase("dog"), None, nl.phrase("sea") & ~nl.phrase("the"))},
    num_beams=2,
    max_new_tokens=12,
    batch_size=2,
)


def ticking() -> Any:
    """A clock that advances by a second every time it is read."""
    return itertools.count(0.0, 1.0).__next__


class WatchedModel:
    """Writes nothing, spends time on its stopwatch, and tells what it was asked for."""

    def compile(self, formula: Any) -> Any:
        return f"compiled {formula}"

    def generate(self, prompts: Any, constraints: Any, *, stopwatch: Any, **settings: Any) -> list[Any]:
        self.asked, self.settings = (prompts, constraints), settings
        stopwatch.seconds["model"] += 0.5
        stopwatch.seconds["top-k"] += 0.125
        stopwatch.steps += 36
        return [SimpleNamespace(tokens=(1,) * 12, satisfied=place != 1) for place, _ in enumerate(prompts)]


def test_our_run_is_given_the_compiled_formulas_and_what_both_sides_share():
    lm: Any = WatchedModel()
    write, compiling = prepare(lm, WORKLOAD, OURS, ticking())
    run = write()
    assert compiling == 1.0
    assert lm.asked == (list(WORKLOAD.prompts), ["compiled dog", "compiled None", "compiled sea & !the"])
    assert lm.settings == {
        "num_beams": 2,
        "min_new_tokens": 12,
        "max_new_tokens": 12,
        "length_penalty": 1.0,
        "early_stopping": False,
        "no_repeat_ngram_size": 0,
        "batch_size": 2,
        "hint": "off",
    }
    assert run == Run(
        1.0,
        texts=3,
        tokens=36,
        satisfied=2,
        steps=36,
        parts={"model": 0.5, "log-softmax": 0.0, "top-k": 0.125},
    )
    assert run.bookkeeping == 0.375


def test_our_run_with_a_model(tiny):
    write, _ = prepare(tiny, WORKLOAD, OURS)
    run = write()
    assert (run.texts, run.tokens, run.satisfied) == (3, 36, 3)
    assert run.steps == 36
    assert run.bookkeeping is not None
    assert 0 < run.bookkeeping < run.seconds
    assert run.parts is not None
    assert run.parts["model"] > 0


def test_both_sides_read_the_same_prompts(tiny):
    batches = padded_batches(tiny, WORKLOAD)
    assert [len(batch["input_ids"]) for batch in batches] == [2, 1]
    rows = [
        tuple(ids[mask.bool()].tolist())
        for batch in batches
        for ids, mask in zip(batch["input_ids"], batch["attention_mask"], strict=True)
    ]
    assert rows == [prompt_ids(tiny, prompt) for prompt in WORKLOAD.prompts]


def test_a_causal_model_is_padded_on_the_left(tiny):
    [first, _] = padded_batches(tiny, WORKLOAD)
    assert first["attention_mask"][:, -1].tolist() == [1, 1]
    assert first["attention_mask"][:, 0].tolist() == [1, 0]


def test_the_reference_writes_equally_many_tokens(tiny):
    write, compiling = prepare(tiny, WORKLOAD, REFERENCE, ticking())
    assert write() == Run(1.0, texts=3, tokens=36)
    assert compiling is None


def test_the_reference_is_plain_beam_search_of_the_same_settings(tiny, monkeypatch):
    natural = replace(WORKLOAD, natural=True, batch_size=8)
    asked: dict[str, Any] = {}
    end = tiny.tokenizer.eos_token_id

    def generate(input_ids, **settings):
        asked.update(settings)
        # Of one, four and two tokens, of which the first and the last end early and are padded.
        written = torch.tensor([[end, end, end, end], [5, 6, 7, 8], [5, end, end, end]])
        return torch.cat([input_ids, written], dim=1)

    monkeypatch.setattr(tiny.model, "generate", generate)
    write, _ = prepare(tiny, natural, REFERENCE, ticking())
    run = write()
    assert (run.texts, run.tokens, run.satisfied) == (3, 1 + 4 + 2, None)
    assert asked["do_sample"] is False
    assert (asked["min_new_tokens"], asked["max_new_tokens"], asked["num_beams"]) == (0, 12, 2)
    assert (asked["length_penalty"], asked["early_stopping"]) == (1.0, False)
    assert asked["no_repeat_ngram_size"] == 0


def test_texts_are_drawn_on_both_sides(tiny, monkeypatch):
    drawn = replace(WORKLOAD, sampling=True, num_beams=1)
    lm: Any = WatchedModel()
    prepare(lm, drawn, OURS, ticking())[0]()
    asked: dict[str, Any] = {}

    def generate(input_ids, **settings):
        asked.update(settings)
        return torch.cat([input_ids, torch.ones(len(input_ids), 12, dtype=torch.long)], dim=1)

    monkeypatch.setattr(tiny.model, "generate", generate)
    prepare(tiny, drawn, REFERENCE, ticking())[0]()
    for settings in (lm.settings, asked):
        assert (settings["do_sample"], settings["num_beams"], settings["top_k"]) == (True, 1, 50)
        assert settings["min_new_tokens"] == settings["max_new_tokens"] == 12


def test_a_model_without_beam_search_is_refused(tiny):
    require_generate(tiny)
    own: Any = SimpleNamespace(model=object())
    with pytest.raises(ModelError, match="cannot run object"):
        require_generate(own)
