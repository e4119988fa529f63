"""Settings that make no sense, and what two settings disagree on."""

from __future__ import annotations

import math

import pytest

from neurologic.experiments.training.settings import SettingsError, TrainingSettings, differences


def test_one_pass_over_the_pairs_unless_told_otherwise():
    assert TrainingSettings().epochs == 1.0
    assert TrainingSettings(steps=5).epochs is None


def test_a_lora_takes_larger_steps():
    assert TrainingSettings(lora=8).rate > TrainingSettings().rate
    assert TrainingSettings(lora=8, learning_rate=0.5).rate == 0.5


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"epochs": 1, "steps": 1}, "epochs or steps"),
        ({"fraction": 0}, "fraction must be above 0 and at most 1, not 0"),
        ({"fraction": 1.5}, "fraction"),
        ({"fraction": math.nan}, "fraction"),
        ({"held_out": -1}, "held_out must be at least 0"),
        ({"steps": 0}, "steps must be at least 1"),
        ({"batch_size": 0}, "batch_size"),
        ({"layers": 0}, "layers"),
        ({"lora": 0}, "lora"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"epochs": 0}, "epochs must be above 0"),
        ({"epochs": math.inf}, "epochs"),
        ({"learning_rate": -1}, "learning_rate must be above 0"),
        ({"learning_rate": math.nan}, "learning_rate"),
        ({"seed": -1}, "seed"),
    ],
)
def test_settings_that_make_no_sense(given, told):
    with pytest.raises(SettingsError, match=told):
        TrainingSettings(**given)


def test_every_setting_counts():
    """No setting that decides the weights may be left out of the comparison."""
    plain = TrainingSettings().to_json()
    assert set(plain) == set(TrainingSettings.__dataclass_fields__)
    assert differences(plain, TrainingSettings().to_json()) == []


def test_differences_are_told_in_words():
    found = differences(
        TrainingSettings(steps=5, seed=1).to_json(), TrainingSettings(epochs=2, seed=1).to_json()
    )
    assert found == ["epochs was not given, now 2", "steps was 5, now not given"]
