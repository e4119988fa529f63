"""What a scale of the experiment consists of: models, ways of asking them, and which of them a table takes.

Nothing here runs or reads anything. A run is named by a system and a decoder; the folder of a run,
`runs/SYSTEM/DECODER`, and that of a trained model, `models/NAME`, carry these names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

from neurologic.experiments.training import TrainingSettings

BEAM, OURS = "beam", "neurologic"
PAIR = (BEAM, OURS)

Key: TypeAlias = tuple[str, str]  # a run: the names of a system and of a decoder

# The parts of the experiment, as on the command line.
PARTS: Mapping[str, str] = {
    "table2": "supervised models, beam search against NeuroLogic",
    "table3": "without supervision and after domain adaptation, the same",
    "table4": "all decoders on one supervised model",
    "data": "figures against the amount of training data",
    "size": "figures against the size of the model",
}


@dataclass(frozen=True)
class Base:
    """A model that is taken as it is.

    source   what to load; nothing where the user has to name one
    weights  how many, about
    """

    name: str
    source: str
    weights: float


@dataclass(frozen=True)
class Trained:
    """A model that is trained here.

    base      the name of the model that it starts from
    weights   how many, about
    settings  of the training; its `model` is replaced by what the base's name stands for
    """

    name: str
    base: str
    weights: float
    settings: TrainingSettings

    def settings_from(self, source: str) -> TrainingSettings:
        """The settings of the training that starts from this model."""
        return replace(self.settings, model=source)


@dataclass(frozen=True)
class System:
    """A model and a way of asking it.

    title    as in tables
    model    the name of a base or of a trained model
    options  of the task, beside its defaults
    """

    name: str
    title: str
    model: str
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Line:
    """A line of a curve: a decoder on several systems, each at its place on the x-axis."""

    title: str
    decoder: str
    points: tuple[tuple[float, str], ...]


@dataclass(frozen=True)
class Curve:
    """A figure of the paper.

    level   a run whose figures are drawn as a line across, with its title
    """

    title: str
    x_label: str
    lines: tuple[Line, ...]
    level: tuple[str, Key] | None = None


@dataclass(frozen=True)
class Contrast:
    """A run that is expected to be better than another; what is compared, in words."""

    title: str
    better: Key
    than: Key


@dataclass(frozen=True)
class Scale:
    """The experiment at one scale.

    about      a line for the report: which models and why their figures are others than the paper's
    inputs     how many of the split, a fixed sample; None for all
    fewer      decoders that write for at most so many inputs, since they take long
    settings   of every search, beside the task's own
    table_2, table_3   systems in their order
    table_4    the system on which all decoders are compared
    apart      systems of Table 3 that are no part of the paper's, with the reason
    """

    name: str
    about: str
    bases: tuple[Base, ...]
    trained: tuple[Trained, ...]
    systems: tuple[System, ...]
    decoders: tuple[str, ...]
    table_2: tuple[str, ...]
    table_3: tuple[str, ...]
    table_4: str
    data: Curve
    size: Curve
    contrasts: tuple[Contrast, ...] = ()
    apart: Mapping[str, str] = field(default_factory=dict)
    inputs: int | None = None
    fewer: Mapping[str, int] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    split: str = "dev"

    @cached_property
    def models(self) -> dict[str, Base | Trained]:
        bases: dict[str, Base | Trained] = {model.name: model for model in self.bases}
        return bases | {model.name: model for model in self.trained}

    def system(self, name: str) -> System:
        return next(system for system in self.systems if system.name == name)

    def runs_of(self, part: str) -> list[Key]:
        """The runs that a part of the experiment shows."""
        if part == "table4":
            return [(self.table_4, decoder) for decoder in self.decoders]
        if part in ("table2", "table3"):
            names = self.table_2 if part == "table2" else self.table_3
            return [(name, decoder) for name in names for decoder in PAIR]
        curve = self.data if part == "data" else self.size
        runs = [(system, line.decoder) for line in curve.lines for _, system in line.points]
        return [*runs, *([curve.level[1]] if curve.level else [])]

    def runs(self, parts: tuple[str, ...]) -> list[Key]:
        """The runs of several parts, each once, in the order of the systems."""
        wanted = dict.fromkeys(key for part in parts for key in self.runs_of(part))
        order = [system.name for system in self.systems]
        return sorted(wanted, key=lambda key: order.index(key[0]))
