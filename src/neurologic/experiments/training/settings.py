"""The settings that decide the weights of a trained model, and no others.

Two runs with the same settings and pairs are the same training, so one can continue the other. Threads,
devices and paths are not settings. No torch: settings are compared before a model is loaded.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from neurologic.errors import NeurologicError

# A LoRA has few weights and starts from zero, so it takes larger steps.
_LEARNING_RATE = 2e-4
_LORA_LEARNING_RATE = 1e-3
_EPOCHS = 1.0


class SettingsError(NeurologicError, ValueError):
    """A setting out of its range."""


@dataclass(frozen=True)
class TrainingSettings:
    """Everything that decides the result, apart from the pairs.

    model          the base model: "smollm2", a hub id, a folder or a GGUF file
    adapt          train on the targets alone and ignore the sources
    layers         the number of layers to keep, the first ones and the last fifth; None keeps all
    lora           the rank of a LoRA to train instead of the weights; None trains the weights
    fraction       the part of the pairs to use; every larger part contains the smaller ones
    held_out       the number of sources to hold out, for the second line of the loss curve
    epochs, steps  the length: passes over the pairs, or a number of updates; one of them is None
    max_tokens     the longest example to train on
    """

    model: str = "smollm2"
    adapt: bool = False
    layers: int | None = None
    lora: int | None = None
    fraction: float = 1.0
    held_out: int = 256
    epochs: float | None = None
    steps: int | None = None
    learning_rate: float | None = None
    batch_size: int = 32
    max_tokens: int = 256
    seed: int = 0

    def __post_init__(self) -> None:
        if self.epochs is not None and self.steps is not None:
            raise SettingsError("give epochs or steps, not both")
        if self.epochs is None and self.steps is None:
            object.__setattr__(self, "epochs", _EPOCHS)
        if self.learning_rate is None:
            object.__setattr__(
                self, "learning_rate", _LEARNING_RATE if self.lora is None else _LORA_LEARNING_RATE
            )
        _require(0 < self.fraction <= 1, "fraction", "above 0 and at most 1", self.fraction)
        _require(self.held_out >= 0, "held_out", "at least 0", self.held_out)
        for name in ("layers", "lora", "steps", "batch_size", "max_tokens"):
            value = getattr(self, name)
            _require(value is None or value >= 1, name, "at least 1", value)
        for name in ("epochs", "learning_rate"):
            value = getattr(self, name)
            _require(value is None or 0 < value < math.inf, name, "above 0 and finite", value)
        _require(0 <= self.seed < 2**32, "seed", "at least 0 and below 2 to the 32", self.seed)

    @property
    def rate(self) -> float:
        """The learning rate, which `__post_init__` has set."""
        assert self.learning_rate is not None
        return self.learning_rate

    def to_json(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


def located(model: str) -> str:
    """Return the name of a model; for a file or folder its full path, which is the same from everywhere."""
    path = Path(model).expanduser()
    return str(path.resolve()) if path.exists() else model


def differences(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Say in words how two settings differ.

    >>> differences({"seed": 1, "lora": None}, {"seed": 2, "lora": None})
    ['seed was 1, now 2']
    """

    def shown(value: Any) -> str:
        return "not given" if value is None else str(value)

    return [
        f"{name} was {shown(before.get(name))}, now {shown(now.get(name))}"
        for name in {**before, **now}
        if before.get(name) != now.get(name)
    ]


def _require(holds: bool, name: str, what: str, value: Any) -> None:
    if not holds:
        raise SettingsError(f"{name} must be {what}, not {value}")
