"""Read the two scales: `laptop.toml` takes one night on two cores, `paper.toml` needs a GPU.

Both are the same experiment; only names, sizes and amounts differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from neurologic.decoders.registry import DECODERS
from neurologic.experiments.data_files import tables
from neurologic.experiments.reproduction.experiment_parts import (
    BEAM,
    OURS,
    BaseModel,
    Contrast,
    Curve,
    CurveLine,
    RunKey,
    Scale,
    System,
    TrainedModel,
)
from neurologic.experiments.training import TrainingSettings

# The rows of the paper's Table 4, and decoders that the table lacks.
_PAPER_ORDER = (
    *("greedy", "top-k", "top-p", "beam", "gbs", "dba", "vdba", "neurologic"),
    *("astar", "cbs", "cgmh", "gradient"),
)

Points: TypeAlias = Sequence[tuple[float, str]]  # a place on the x-axis, and a system


def in_paper_order(decoders: Iterable[str]) -> tuple[str, ...]:
    """Sort decoders as the paper's Table 4 does; those that the order does not name come last, as given.

    >>> in_paper_order(["mine", "neurologic", "beam"])
    ('beam', 'neurologic', 'mine')
    """
    known = {name: place for place, name in enumerate(_PAPER_ORDER)}
    return tuple(sorted(decoders, key=lambda name: known.get(name, len(known))))


def _read(name: str) -> Scale:
    given = tables(__package__, f"{name}.toml")
    bases = {of: BaseModel(of, **about) for of, about in given.pop("bases").items()}
    usual = given.pop("training", {})

    def trained(of: str, base: str, weights: float | None = None, **settings: Any) -> TrainedModel:
        return TrainedModel(
            of, base, weights or bases[base].weights, TrainingSettings(**{**usual, **settings})
        )

    def system(of: str, **about: Any) -> System:
        return System(of, **{"model": of, "options": {"prompt": "supervised"}, **about})

    def contrast(title: str, better: list[str], than: list[str]) -> Contrast:
        return Contrast(title, RunKey(*better), RunKey(*than))

    data, size = _curves(**given.pop("curves"))
    return Scale(
        name=name,
        bases=tuple(bases.values()),
        trained=tuple(trained(of, **about) for of, about in given.pop("trained").items()),
        systems=tuple(system(of, **about) for of, about in given.pop("systems").items()),
        decoders=in_paper_order(DECODERS),
        table_2=tuple(given.pop("table_2")),
        table_3=tuple(given.pop("table_3")),
        data=data,
        size=size,
        contrasts=tuple(contrast(**about) for about in given.pop("contrasts")),
        **given,
    )


def _curves(fractions: Points, sizes: Points, zero_shot: Points, level: str) -> tuple[Curve, Curve]:
    """Return the paper's two figures: over shares of the training data, and over millions of weights."""
    beam, ours, unsupervised = "beam search", "NeuroLogic", "NeuroLogic, zero-shot"

    def lines(points: Points, kind: str = "") -> list[CurveLine]:
        places = tuple((x, system) for x, system in points)
        return [CurveLine(beam + kind, BEAM, places), CurveLine(ours + kind, OURS, places)]

    zero_shot_line = CurveLine(unsupervised, OURS, tuple((x, system) for x, system in zero_shot))
    data = Curve(
        "Amount of training data",
        "training data, % of the concept sets",
        tuple(lines(fractions)),
        (unsupervised, RunKey(level, OURS)),
    )
    size = Curve("Size of the model", "weights, millions", (*lines(sizes, ", supervised"), zero_shot_line))
    return data, size


SCALES: dict[str, Scale] = {name: _read(name) for name in ("laptop", "paper")}
