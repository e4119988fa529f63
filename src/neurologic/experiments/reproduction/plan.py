"""The steps of a reproduction, and what is done of each: read from the folder, which is not changed.

    FOLDER/models/NAME            trained models, as `neurologic train` writes them
    FOLDER/runs/SYSTEM/DECODER    runs, as `neurologic eval --decoders` writes them

Steps are ordered by system as the scale has them, each training before the runs that need it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from neurologic.errors import DataError, NeurologicError
from neurologic.experiments.reproduction.scale import PARTS, Base, Key, Scale, System, Trained
from neurologic.experiments.runs import Experiment, Run, Selection, kept
from neurologic.experiments.tasks.base import Item, Task, Trainable, options_of
from neurologic.experiments.training import TrainingSettings
from neurologic.experiments.training.folder import TrainingFolder
from neurologic.experiments.training.pairs import Pair, Sample, sample

MODELS, RUNS = "models", "runs"


class Reproduction:
    """A scale, the data and the folder of an experiment; what it reads it keeps in memory.

    selection  of the inputs
    parts      of the experiment that are wanted
    models     what names of the scale's models stand for, where it is not what the scale says
    """

    def __init__(
        self,
        scale: Scale,
        task: Task,
        data: str,
        folder: Path,
        *,
        selection: Selection,
        parts: Sequence[str] = tuple(PARTS),
        models: Mapping[str, str] | None = None,
    ) -> None:
        self.scale = scale
        self.task = task
        self.data = data
        self.folder = folder
        self.selection = selection
        self.parts = tuple(parts)
        self._models = dict(models or {})
        self._items: dict[tuple[tuple[str, str], ...], list[Item]] = {}
        self._samples: dict[tuple[float, int], Sample] = {}

    # -- models -----------------------------------------------------------------------------------

    def source(self, name: str) -> str:
        """What to load for a model of the scale; `DataError` where nobody has said it."""
        if name in self._models:
            return self._models[name]
        model = self.scale.models[name]
        if isinstance(model, Trained):
            return str(self.model_folder(model))
        if not model.source:
            raise DataError(f"which model is {name}? Name it: --model {name}=FOLDER")
        return model.source

    def model_folder(self, model: Trained) -> Path:
        return self.folder / MODELS / model.name

    def to_train(self, system: System) -> Trained | None:
        """The model of a system, if it is to be trained here."""
        model = self.scale.models[system.model]
        return model if isinstance(model, Trained) and model.name not in self._models else None

    def training_settings(self, model: Trained) -> TrainingSettings:
        return model.settings_from(self.source(model.base))

    def sentences(self, settings: TrainingSettings) -> Sample:
        """What a training reads."""
        key = (settings.fraction, settings.held_out)
        if key not in self._samples:
            self._samples[key] = sample(self.pairs, *key)
        return self._samples[key]

    @cached_property
    def pairs(self) -> list[Pair]:
        assert isinstance(self.task, Trainable)
        return self.task.pairs(self.data, "train")

    # -- runs -------------------------------------------------------------------------------------

    def run_folder(self, key: Key) -> Path:
        system, decoder = key
        return self.folder / RUNS / system / decoder

    def run(self, key: Key) -> Run | None:
        """A run as it is now."""
        return kept(self.run_folder(key))

    def everything(self, system: System) -> list[Item]:
        """All inputs of the split, as the system is asked."""
        options = options_of(self.task, system.options)
        key = tuple(sorted(options.items()))
        if key not in self._items:
            self._items[key] = self.task.items(self.data, self.scale.split, options)
        return self._items[key]

    @cached_property
    def inputs(self) -> int:
        """How many inputs are chosen, whatever the system."""
        return len(self.chosen(self.scale.systems[0]))

    def chosen(self, system: System) -> list[Item]:
        """The inputs that are chosen, as the system is asked."""
        return self.selection.of(self.everything(system))

    def items(self, system: System, decoder: str) -> list[Item]:
        """The inputs that a decoder is to write for: those that are chosen, or fewer if it takes long."""
        chosen = self.chosen(system)
        most = self.scale.fewer.get(decoder, len(chosen))
        # A smaller sample is part of every larger one.
        return chosen if most >= len(chosen) else Selection(sample=most).of(self.everything(system))

    def experiment(self, system: System, model_options: Mapping[str, Any] | None = None) -> Experiment:
        """A system's model and inputs; which of them are written for depends on the decoder."""
        return Experiment(
            self.task,
            self.scale.split,
            options_of(self.task, system.options),
            self.everything(system),
            self.chosen(system),
            self.source(system.model),
            model_options or {},
        )


@dataclass(frozen=True)
class Training:
    """A model to be trained.

    steps      updates in all, about; `done` of them are in a checkpoint
    finished   whether the model is there
    sentences  to be learned in all passes together
    seconds    that it took, once it is finished
    """

    model: Trained
    steps: int
    done: int
    finished: bool
    sentences: float
    seconds: float | None = None

    @property
    def share_left(self) -> float:
        return 0.0 if self.finished else 1 - self.done / self.steps


@dataclass(frozen=True)
class Writing:
    """A run to be written.

    inputs   how many it is to have, and `done` how many of them it has
    seconds  per text, of those that are done
    """

    key: Key
    model: Base | Trained
    inputs: int
    done: int
    seconds: float | None = None

    @property
    def left(self) -> int:
        return self.inputs - self.done


@dataclass(frozen=True)
class Stage:
    """A system with all that is to be done for it.

    problem  why nothing can be done
    """

    system: System
    training: Training | None
    writings: tuple[Writing, ...] = field(default=())
    problem: str = ""

    @property
    def finished(self) -> bool:
        return (self.training is None or self.training.finished) and not any(
            writing.left for writing in self.writings
        )


def stages(reproduction: Reproduction) -> list[Stage]:
    """What is to be done for each system of the wanted parts, in order."""
    wanted: dict[str, list[str]] = {}
    for system, decoder in reproduction.scale.runs(reproduction.parts):
        wanted.setdefault(system, []).append(decoder)
    return [
        _stage(reproduction, reproduction.scale.system(name), decoders) for name, decoders in wanted.items()
    ]


def _stage(reproduction: Reproduction, system: System, decoders: Sequence[str]) -> Stage:
    writings = tuple(_writing(reproduction, system, decoder) for decoder in decoders)
    model = reproduction.to_train(system)
    try:
        reproduction.source(system.model if model is None else model.base)
        training = None if model is None else _training(reproduction, model)
    except NeurologicError as error:
        return Stage(system, None, writings, str(error))
    if training is not None and not training.finished and not any(one.left for one in writings):
        training = None  # its runs were made elsewhere, or it was deleted to save room
    return Stage(system, training, writings)


def _training(reproduction: Reproduction, model: Trained) -> Training:
    settings = reproduction.training_settings(model)
    sentences = len(reproduction.sentences(settings).training)
    if not sentences:
        raise DataError(f"{reproduction.data} has nothing to train on")
    per_pass = math.ceil(sentences / settings.batch_size)
    steps = settings.steps or max(1, round((settings.epochs or 0) * per_pass))
    folder = TrainingFolder(reproduction.model_folder(model), settings, {})
    result = folder.result
    return Training(
        model,
        steps,
        done=steps if result else min(steps, folder.steps_done()),
        finished=result is not None,
        sentences=sentences * steps / per_pass,
        seconds=float(result["seconds"]) if result else None,
    )


def _writing(reproduction: Reproduction, system: System, decoder: str) -> Writing:
    key = (system.name, decoder)
    items = reproduction.items(system, decoder)
    try:
        run = reproduction.run(key)
    except DataError:
        run = None  # what is wrong with it is told when it is to be written
    done = [] if run is None else [run.done[item.id] for item in items if item.id in run.done]
    seconds = [one.cost.seconds for one in done if one.cost is not None]
    return Writing(
        key,
        reproduction.scale.models[system.model],
        len(items),
        len(done),
        sum(seconds) / len(seconds) if seconds else None,
    )
