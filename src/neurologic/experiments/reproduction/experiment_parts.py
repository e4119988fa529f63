"""The parts of an experiment at one scale: models, prompts, and which of them a table or curve takes.

Nothing here runs or reads anything. A system and a decoder name a run. The folder of a run,
`runs/SYSTEM/DECODER`, and that of a trained model, `models/NAME`, carry these names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from neurologic.experiments.training import TrainingSettings

BEAM, OURS = "beam", "neurologic"
PAIR = (BEAM, OURS)

# The parts of the experiment by their names on the command line.
PARTS: Mapping[str, str] = {
    "table2": "supervised models, beam search against NeuroLogic",
    "table3": "without supervision and after domain adaptation, the same",
    "table4": "all decoders on one supervised model",
    "data": "figures against the amount of training data",
    "size": "figures against the size of the model",
}


class RunKey(NamedTuple):
    """The names of a system and of a decoder, which together name a run."""

    system: str
    decoder: str


@dataclass(frozen=True)
class BaseModel:
    """A model that the experiment takes as it is.

    source   hub id, folder or file to load; "" if the user has to name one
    weights  number of weights, about
    """

    name: str
    source: str
    weights: float


@dataclass(frozen=True)
class TrainedModel:
    """A model that the experiment trains.

    base      the name of the model to start from
    weights   number of weights, about
    settings  training settings; `settings_from` fills in the model
    """

    name: str
    base: str
    weights: float
    settings: TrainingSettings

    def settings_from(self, source: str) -> TrainingSettings:
        """Return the settings of the training that starts from this model."""
        return replace(self.settings, model=source)


@dataclass(frozen=True)
class System:
    """A model and a way to prompt it.

    title    the title in tables
    model    the name of a base model or of a trained one
    options  task options that differ from the defaults
    """

    name: str
    title: str
    model: str
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CurveLine:
    """A line of a curve: a decoder on several systems, each with its place on the x-axis."""

    title: str
    decoder: str
    points: tuple[tuple[float, str], ...]


@dataclass(frozen=True)
class Curve:
    """A figure of the paper; `level` names a run to draw as a line across, with its title."""

    title: str
    x_label: str
    lines: tuple[CurveLine, ...]
    level: tuple[str, RunKey] | None = None


@dataclass(frozen=True)
class Contrast:
    """A run that should be better than another; `title` says in words what is compared."""

    title: str
    better: RunKey
    than: RunKey


@dataclass(frozen=True)
class Scale:
    """The experiment at one scale.

    about      a line for the report: the models, and why their figures differ from the paper's
    inputs     how many inputs of the split, a fixed sample; None for all
    fewer      slow decoders, with the number of inputs that they write for at most
    settings   search settings, on top of the task's own
    table_2, table_3   systems in their order
    table_4    the system on which all decoders are compared
    apart      systems of Table 3 that the paper's table does not have, with the reason
    """

    name: str
    about: str
    bases: tuple[BaseModel, ...]
    trained: tuple[TrainedModel, ...]
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
    def models(self) -> dict[str, BaseModel | TrainedModel]:
        models: list[BaseModel | TrainedModel] = [*self.bases, *self.trained]
        return {model.name: model for model in models}

    def system(self, name: str) -> System:
        return next(system for system in self.systems if system.name == name)

    def runs_of(self, part: str) -> list[RunKey]:
        """Return the runs that a part of the experiment shows."""
        if part == "table4":
            return [RunKey(self.table_4, decoder) for decoder in self.decoders]
        if part in ("table2", "table3"):
            names = self.table_2 if part == "table2" else self.table_3
            return [RunKey(name, decoder) for name in names for decoder in PAIR]
        curve = self.data if part == "data" else self.size
        runs = [RunKey(system, line.decoder) for line in curve.lines for _, system in line.points]
        return [*runs, *([curve.level[1]] if curve.level else [])]

    def runs(self, parts: tuple[str, ...]) -> list[RunKey]:
        """Return the runs of several parts, each once, in the order of the systems."""
        wanted = dict.fromkeys(key for part in parts for key in self.runs_of(part))
        order = [system.name for system in self.systems]
        return sorted(wanted, key=lambda key: order.index(key.system))
