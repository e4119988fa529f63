"""How long what is left will take: by what the folder tells of this machine, else by a short trial.

Times of one machine are in a table: seconds per text of each decoder, and per sentence of a training, for a
model of 135 million weights. Times are taken to grow with the weights and, for decoders with beams, with
their number. What this machine needs in relation to that one, its *pace*, follows from all that the folder
has already; in an empty folder from a short multiplication of matrices. Limits: on a GPU small models do not
run as much faster as the trial, and texts of other lengths take other times.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from neurologic.decoders.registry import DECODERS
from neurologic.experiments.reproduction.plan import Stage, Training, Writing
from neurologic.experiments.reproduction.scale import Scale

# SmolLM2-135M after some training on CommonGen, 8 beams, two cores of an Intel Xeon. The proportions are
# those of the processor times of 3 to 8 texts (cgmh and gradient: docs/editing.md), brought to the level of
# a machine with nothing else to do (docs/performance.md).
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
_SECONDS_PER_SENTENCE = 0.3  # of a training, forward and backward
_TRIAL_SECONDS = 0.06  # of `_trial` there

_BEAMS = 8
_ENOUGH = 5  # texts from which a run tells its own speed
_LOADING = 10.0  # seconds for a model, once per system with anything left


@dataclass(frozen=True)
class Estimate:
    """Seconds of what is left, and where they come from.

    training   per model
    writing    per run and text
    """

    pace: float
    measured: bool
    training: Mapping[str, float]
    writing: Mapping[tuple[str, str], float]
    stages: Mapping[str, float]

    @property
    def seconds(self) -> float:
        return sum(self.stages.values())


def estimate(
    scale: Scale, stages: Sequence[Stage], *, device: str | None = None, threads: int | None = None
) -> Estimate:
    """The time that the stages will take; those with a problem take none."""
    pace = _pace(scale, stages)
    measured = pace is not None
    if pace is None:
        pace = _trial(device, threads) / _TRIAL_SECONDS
    training: dict[str, float] = {}
    writing: dict[tuple[str, str], float] = {}
    totals: dict[str, float] = {}
    for stage in stages:
        total = 0.0
        if stage.training is not None:
            whole = pace * _usual_training(stage.training)
            training[stage.training.model.name] = whole
            total += whole * stage.training.share_left
        for one in stage.writings:
            own = one.seconds if one.done >= _ENOUGH else None
            writing[one.key] = pace * _usual_text(scale, one) if own is None else own
            total += writing[one.key] * one.left
        total += _LOADING if total else 0.0
        totals[stage.system.name] = 0.0 if stage.problem else total
    return Estimate(pace, measured, training, writing, totals)


def _pace(scale: Scale, stages: Sequence[Stage]) -> float | None:
    """Seconds that were needed here, by those that the table has for the same; None without any."""
    needed = usual = 0.0
    for stage in stages:
        if stage.training is not None and stage.training.seconds is not None:
            needed += stage.training.seconds
            usual += _usual_training(stage.training)
        for one in stage.writings:
            if one.done >= _ENOUGH and one.seconds is not None:
                needed += one.seconds * one.done
                usual += _usual_text(scale, one) * one.done
    return needed / usual if needed and usual else None


def _usual_training(training: Training) -> float:
    return training.sentences * _SECONDS_PER_SENTENCE * training.model.weights / _WEIGHTS


def _usual_text(scale: Scale, writing: Writing) -> float:
    _, decoder = writing.key
    seconds = _SECONDS_PER_TEXT[decoder] * writing.model.weights / _WEIGHTS
    if "num_beams" in DECODERS[decoder].accepts:
        seconds *= scale.settings.get("num_beams", _BEAMS) / _BEAMS
    return seconds


def _trial(device: str | None, threads: int | None) -> float:
    """Seconds of what a model does most: a few rows by many weights."""
    import torch

    from neurologic.models.placement import set_threads

    set_threads(threads)
    place = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    rows = torch.ones(64, 2048, device=place)  # [rows, width]
    weights = torch.ones(16, 2048, 2048, device=place)  # [matrices, width, width]
    times = []
    for _ in range(4):  # the first one warms up
        started = time.perf_counter()
        for matrix in weights:
            rows = (rows @ matrix) / 2048
        rows.sum().item()  # waits until a GPU is done
        times.append(time.perf_counter() - started)
    return min(times)
