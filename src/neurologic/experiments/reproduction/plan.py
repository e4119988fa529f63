"""The steps of a reproduction, and how far each one is; the plan only reads the folder.

Steps come system by system in the order of the scale, each training before the runs that need it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from neurologic.errors import DataError, NeurologicError
from neurologic.experiments.reproduction.experiment_parts import BaseModel, RunKey, System, TrainedModel
from neurologic.experiments.reproduction.reproduction import Reproduction
from neurologic.experiments.runs.run_statistics import mean
from neurologic.experiments.training.folder import TrainingFolder


@dataclass(frozen=True)
class TrainingStep:
    """A model to train.

    steps      updates in all, about; `done` of them are in a checkpoint
    finished   whether the trained model exists
    sentences  sentences to learn, in all passes together
    seconds    time that the finished training took
    """

    model: TrainedModel
    steps: int
    done: int
    finished: bool
    sentences: float
    seconds: float | None = None

    @property
    def share_left(self) -> float:
        return 0.0 if self.finished else 1 - self.done / self.steps


@dataclass(frozen=True)
class GenerationStep:
    """A run to write: `done` of `inputs` have a text; `seconds` is the time per finished text."""

    key: RunKey
    model: BaseModel | TrainedModel
    inputs: int
    done: int
    seconds: float | None = None

    @property
    def left(self) -> int:
        return self.inputs - self.done


@dataclass(frozen=True)
class Stage:
    """All steps of a system; `problem` says why none of them can run."""

    system: System
    training: TrainingStep | None
    generations: tuple[GenerationStep, ...] = ()
    problem: str = ""

    @property
    def finished(self) -> bool:
        trained = self.training is None or self.training.finished
        return trained and not any(step.left for step in self.generations)


def plan_stages(reproduction: Reproduction) -> list[Stage]:
    """Return the stages of the wanted parts, in order."""
    wanted: dict[str, list[str]] = {}
    for key in reproduction.scale.runs(reproduction.parts):
        wanted.setdefault(key.system, []).append(key.decoder)
    return [
        _stage(reproduction, reproduction.scale.system(name), decoders) for name, decoders in wanted.items()
    ]


def _stage(reproduction: Reproduction, system: System, decoders: Sequence[str]) -> Stage:
    generations = tuple(_generation_step(reproduction, system, decoder) for decoder in decoders)
    model = reproduction.to_train(system)
    try:
        reproduction.source(system.model if model is None else model.base)
        training = None if model is None else _training_step(reproduction, model)
    except NeurologicError as error:
        return Stage(system, None, generations, str(error))
    if training is not None and not training.finished and not any(step.left for step in generations):
        training = None  # its runs came from elsewhere, or someone deleted the model to save room
    return Stage(system, training, generations)


def _training_step(reproduction: Reproduction, model: TrainedModel) -> TrainingStep:
    settings = reproduction.training_settings(model)
    sentences = len(reproduction.training_sample(settings).training)
    if not sentences:
        raise DataError(f"{reproduction.data} has nothing to train on")
    per_pass = math.ceil(sentences / settings.batch_size)
    steps = settings.steps or max(1, round((settings.epochs or 0) * per_pass))
    folder = TrainingFolder(reproduction.model_folder(model), settings, {})
    result = folder.result
    return TrainingStep(
        model,
        steps,
        done=steps if result else min(steps, folder.steps_done()),
        finished=result is not None,
        sentences=sentences * steps / per_pass,
        seconds=float(result["seconds"]) if result else None,
    )


def _generation_step(reproduction: Reproduction, system: System, decoder: str) -> GenerationStep:
    key = RunKey(system.name, decoder)
    items = reproduction.items(system, decoder)
    try:
        run = reproduction.run(key)
    except DataError:
        run = None  # the execution will report it
    done = [] if run is None else [run.done[item.id] for item in items if item.id in run.done]
    seconds = mean(prediction.seconds for prediction in done if prediction.seconds is not None)
    model = reproduction.scale.models[system.model]
    return GenerationStep(key, model, len(items), len(done), seconds)
