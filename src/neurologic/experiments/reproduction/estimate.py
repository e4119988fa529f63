"""Estimate how long the rest takes: from the work done in the folder, else from a short trial.

A table has the times of one machine: seconds per text of each decoder, and per sentence of a training, for a
model of 135 million weights. The estimate assumes that times grow with the weights and, for decoders with
beams, with their number. The *pace* of this machine, its time relative to the table's, follows from all work
done in the folder; for an empty folder, from a short multiplication of matrices. Limits: on a GPU small
models gain less than the trial suggests, and texts of other lengths take other times.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from neurologic.decoders.registry import DECODERS
from neurologic.experiments.reproduction.experiment_parts import RunKey, Scale
from neurologic.experiments.reproduction.plan import GenerationStep, Stage, TrainingStep

# SmolLM2-135M after some training on CommonGen, 8 beams, two cores of an Intel Xeon. Relative costs come
# from CPU times of 3–8 texts per decoder (cgmh and gradient: docs/guides/editing.md), scaled to an otherwise
# idle machine (docs/experiments/performance.md).
_WEIGHTS = 134.5e6
_SECONDS_PER_TEXT: Mapping[str, float] = {
    "greedy": 0.15,
    "top-k": 0.15,
    "top-p": 0.2,
    "beam": 0.3,
    "gbs": 2.4,
    "dba": 0.5,
    "vdba": 0.5,
    "cbs": 11.0,
    "cgmh": 7.0,
    "gradient": 10.0,
    "neurologic": 0.5,
    "astar": 1.6,
}
_SECONDS_OF_OTHERS = _SECONDS_PER_TEXT["neurologic"]  # a guess for decoders that the table lacks
_SECONDS_PER_SENTENCE = 0.3  # seconds per training sentence (forward + backward)
_TRIAL_SECONDS = 0.06  # the time of `_trial` on that machine

_BEAMS = 8
_ENOUGH = 5  # finished texts from which the speed of a run is known
_LOADING = 10.0  # seconds to load a model, once per system with work left


@dataclass(frozen=True)
class Estimate:
    """Seconds of the remaining work.

    pace        time of this machine relative to the table's
    measured    whether the pace comes from work done in the folder
    training    seconds per model, for the whole training
    generation  seconds per text, by run
    stages      seconds left, by system
    """

    pace: float
    measured: bool
    training: Mapping[str, float]
    generation: Mapping[RunKey, float]
    stages: Mapping[str, float]

    @property
    def seconds(self) -> float:
        return sum(self.stages.values())


def estimate_time(
    scale: Scale, stages: Sequence[Stage], *, device: str | None = None, threads: int | None = None
) -> Estimate:
    """Estimate the time that the stages take; a stage with a problem takes none."""
    pace = _pace(scale, stages)
    measured = pace is not None
    if pace is None:
        pace = _trial(device, threads) / _TRIAL_SECONDS
    training: dict[str, float] = {}
    generation: dict[RunKey, float] = {}
    totals: dict[str, float] = {}
    for stage in stages:
        total = 0.0
        if stage.training is not None:
            whole = pace * _usual_training(stage.training)
            training[stage.training.model.name] = whole
            total += whole * stage.training.share_left
        for step in stage.generations:
            own = step.seconds if step.done >= _ENOUGH else None
            generation[step.key] = pace * _usual_text(scale, step) if own is None else own
            total += generation[step.key] * step.left
        total += _LOADING if total else 0.0
        totals[stage.system.name] = 0.0 if stage.problem else total
    return Estimate(pace, measured, training, generation, totals)


def _pace(scale: Scale, stages: Sequence[Stage]) -> float | None:
    """Return the seconds of the work done, divided by the table's for the same work; None without any."""
    needed = usual = 0.0
    for stage in stages:
        if stage.training is not None and stage.training.seconds is not None:
            needed += stage.training.seconds
            usual += _usual_training(stage.training)
        for step in stage.generations:
            if step.done >= _ENOUGH and step.seconds is not None:
                needed += step.seconds * step.done
                usual += _usual_text(scale, step) * step.done
    return needed / usual if needed and usual else None


def _usual_training(training: TrainingStep) -> float:
    return training.sentences * _SECONDS_PER_SENTENCE * training.model.weights / _WEIGHTS


def _usual_text(scale: Scale, step: GenerationStep) -> float:
    decoder = step.key.decoder
    seconds = _SECONDS_PER_TEXT.get(decoder, _SECONDS_OF_OTHERS) * step.model.weights / _WEIGHTS
    if "num_beams" in DECODERS[decoder].accepts:
        seconds *= scale.settings.get("num_beams", _BEAMS) / _BEAMS
    return seconds


def _trial(device: str | None, threads: int | None) -> float:
    """Time the operation that dominates a model: a few rows times many weights."""
    import torch

    from neurologic.models.placement import set_threads

    set_threads(threads)
    place = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    rows = torch.ones(64, 2048, device=place)  # [rows, width]
    weights = torch.ones(16, 2048, 2048, device=place)  # [matrices, width, width]
    times = []
    for _ in range(4):  # the first round warms up
        started = time.perf_counter()
        for matrix in weights:
            rows = (rows @ matrix) / 2048
        rows.sum().item()  # waits until a GPU is done
        times.append(time.perf_counter() - started)
    return min(times)
