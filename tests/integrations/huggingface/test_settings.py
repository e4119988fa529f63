"""A generation config as settings of a search."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from transformers import GenerationConfig

from neurologic.decoders.registry import DECODERS
from neurologic.integrations.huggingface.settings import (
    ConfigSettings,
    read_config,
    refuse_settings_of_generate,
)


def read(decoder: str = "neurologic", own: dict[str, Any] | None = None, **config: Any) -> ConfigSettings:
    # As `generate` hands it over: complete, with lengths that count the prompt.
    complete = {"max_length": 20, "num_beams": 1, "num_return_sequences": 1, **config}
    return read_config(
        GenerationConfig(**complete), (), (), prompt_length=4, decoder=DECODERS[decoder], own=own or {}
    )


def test_lengths_are_counted_without_the_prompt() -> None:
    settings = read(min_length=9).settings
    assert (settings.max_new_tokens, settings.min_new_tokens) == (16, 5)


def test_own_settings_override_the_config() -> None:
    assert read(stop_strings=["a"], own={"stop_strings": "b", "alpha": 7}).settings.stop_strings == ("b",)
    assert read(own={"alpha": 7}).settings.alpha == 7


def test_a_config_may_set_what_the_decoder_ignores() -> None:
    assert read("greedy", num_beams=4, length_penalty=2.0).settings.num_beams == 1


@pytest.mark.parametrize("decoder", ["neurologic", "top-k", "top-p"])
def test_decoders_that_draw_take_do_sample_without_a_warning(decoder: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(decoder, do_sample=True, temperature=0.5).settings.temperature == 0.5


def test_decoders_that_do_not_draw_warn_of_do_sample() -> None:
    with pytest.warns(UserWarning, match="do_sample has no effect on the decoder beam"):
        read("beam", do_sample=True)


def test_settings_of_generate_are_refused_by_the_decoder() -> None:
    refuse_settings_of_generate({"alpha": 3, "stop_strings": ["."]})
    with pytest.raises(ValueError, match=r"num_beams goes to model\.generate"):
        refuse_settings_of_generate({"num_beams": 4})


def test_a_misspelt_setting_gets_a_suggestion() -> None:
    with pytest.raises(ValueError, match=r"alhpa has no effect .*; did you mean \"alpha\""):
        read(own={"alhpa": 3})
