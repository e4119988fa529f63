"""The results of a benchmark: every single run, the machine and the versions.

They are written as JSON and read again, so that tables and plots need no new measurement. `summary` computes
everything else from the runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from neurologic.errors import NeurologicError

FORMAT = 1  # version of the JSON document; raised when old documents can no longer be read


class ResultsError(NeurologicError, ValueError):
    """A file without the results of a benchmark."""


@dataclass(frozen=True)
class Run:
    """One run of one side over all inputs of a workload.

    tokens     tokens generated in all texts together, end tokens included
    satisfied  texts that satisfy their formula; None for the reference, which has no formulas
    steps      how often an input advanced by one token; None if not counted
    parts      seconds in the model, log-softmax and top-k (`search.stopwatch`); None if not measured
    compiling  seconds for compiling the formulas of this run; None if they are the same in all runs
    waits      for every text the seconds until its client had the first of it; None without clients
    """

    seconds: float
    texts: int
    tokens: int
    satisfied: int | None = None
    steps: int | None = None
    parts: Mapping[str, float] | None = None
    compiling: float | None = None
    waits: Sequence[float] | None = None

    @property
    def bookkeeping(self) -> float | None:
        """Seconds outside of all parts."""
        return None if self.parts is None else self.seconds - sum(self.parts.values())


@dataclass(frozen=True)
class Series:
    """All runs of one side.

    first        the run before all rounds, with empty caches unless another scenario has the same formula;
                 only the ratio of first runs uses it
    compiling    seconds for compiling the formulas, before the first run; None for the reference
    peak_memory  bytes above the loaded model, in a process of its own; None if not measured
    """

    first: Run
    runs: tuple[Run, ...]
    compiling: float | None = None
    peak_memory: int | None = None


@dataclass(frozen=True)
class Measured:
    """A measured workload; run i of every side belongs to round i."""

    letter: str
    title: str
    num_beams: int
    max_new_tokens: int
    sides: Mapping[str, Series]


@dataclass(frozen=True)
class Machine:
    """Everything that times depend on and a reader cannot guess."""

    cpu: str
    cores: int
    threads: int
    system: str
    model: str
    device: str
    dtype: str
    versions: Mapping[str, str]


@dataclass
class Results:
    """A benchmark as far as it got.

    letters  the requested scenarios
    quick    whether the workloads are the small ones, to which no target applies
    """

    machine: Machine
    letters: tuple[str, ...]
    rounds: int
    quick: bool
    measured: list[Measured] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        return {"format": FORMAT, **asdict(self)}


def read_results(text: str) -> Results:
    """Read a JSON document that `Results.to_json` made; raise `ResultsError` for anything else."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"it is not JSON: {error}") from error
    if not isinstance(document, Mapping) or "format" not in document or "measured" not in document:
        raise ResultsError("it is not the JSON document of a benchmark")
    if document["format"] != FORMAT:
        raise ResultsError(
            f"it has format {document['format']}, and this version reads format {FORMAT}; measure again"
        )
    try:
        return Results(
            machine=Machine(**document["machine"]),
            letters=tuple(document["letters"]),
            rounds=document["rounds"],
            quick=document["quick"],
            measured=[_measured(**workload) for workload in document["measured"]],
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ResultsError(f"the document of the benchmark is not complete: {error}") from error


def _measured(sides: Mapping[str, Any], **rest: Any) -> Measured:
    return Measured(**rest, sides={name: _series(**series) for name, series in sides.items()})


def _series(first: Mapping[str, Any], runs: Sequence[Mapping[str, Any]], **rest: Any) -> Series:
    return Series(first=_run(**first), runs=tuple(_run(**run) for run in runs), **rest)


def _run(waits: Sequence[float] | None = None, **rest: Any) -> Run:
    return Run(**rest, waits=None if waits is None else tuple(waits))
