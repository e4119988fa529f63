"""The descriptions of the settings, and what derives from them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from transformers import GenerationConfig

from neurologic.search.settings import (
    GROUPS,
    SCORE_ARGUMENTS,
    SETTINGS,
    SearchSettings,
    markdown_table,
    setting_names,
    split_settings,
)


def test_every_default_is_allowed_and_every_group_is_known() -> None:
    defaults = SearchSettings()
    for name, setting in SETTINGS.items():
        setting.check(name, getattr(defaults, name))
        assert setting.group in GROUPS
    assert setting_names(*GROUPS) == set(SETTINGS)


def test_names_shared_with_hugging_face_are_names_of_its_config() -> None:
    config = GenerationConfig()
    for name, setting in SETTINGS.items():
        assert hasattr(config, name) == setting.in_hugging_face, name
    assert all(hasattr(config, name) for name in SCORE_ARGUMENTS)
    assert not SETTINGS.keys() & set(SCORE_ARGUMENTS)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("num_beams", 0, "num_beams must be a whole number of at least 1, not 0"),
        ("num_beams", None, "num_beams must be a whole number of at least 1, not None"),
        ("num_beams", True, "num_beams must be a whole number"),
        ("alpha", 2.5, "alpha must be a whole number"),
        ("length_penalty", 500, "a number of at least -20 and at most 20, not 500"),
        ("length_penalty", float("nan"), "length_penalty must be a number"),
        ("lambda_", "x", "a number of at least 0, not 'x'"),
        ("reserve", 1.0, "a number of at least 0 and below 1, not 1.0"),
        ("top_p", 0, "a number above 0 and at most 1, not 0"),
        ("temperature", 0, 'a number above 0, not 0; for the likeliest tokens choose the decoder "greedy"'),
        ("dominance", 1, "dominance must be True or False, not 1"),
        ("early_stopping", "sometimes", """False, True or "never", not 'sometimes'"""),
        ("look_ahead_kind", "wide", """"greedy", "beam" or "sample", not 'wide'"""),
        ("stop_strings", ("",), "stop_strings must be non-empty strings"),
        ("rows", 0, "rows must be a whole number of at least 1"),
    ],
)
def test_values_that_make_no_sense_are_refused(name: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        SearchSettings(**{name: value})


def test_settings_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match="num_return_sequences=3 needs at least as many beams"):
        SearchSettings(num_beams=2, num_return_sequences=3)
    with pytest.raises(ValueError, match="min_new_tokens=9 is above max_new_tokens=8"):
        SearchSettings(min_new_tokens=9, max_new_tokens=8)


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("num_beam", TypeError, 'num_beam is neither a setting .*; did you mean "num_beams"\\?$'),
        ("repetition_penalti", TypeError, '; did you mean "repetition_penalty"\\?$'),
        ("flavour", TypeError, "acts on scores$"),
        ("max_length", ValueError, "max_length has no effect here: it counts the prompt; use max_new_tokens"),
        (
            "typical_p",
            ValueError,
            "typical_p has no effect here: draw with temperature, top_k, top_p and min_p",
        ),
    ],
)
def test_names_that_would_be_ignored_are_refused(name: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        split_settings({name: 1})


def test_the_table_has_a_row_for_each_setting() -> None:
    rows = markdown_table().splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == list(SETTINGS)
    assert "| `top_p` | `1.0` | a number above 0 and at most 1 | top-k, top-p" in markdown_table()
