"""The record of a benchmark: every single run, on which machine, with which versions.

It is written as JSON and read again, so that tables and plots can be made without measuring. The arithmetic
is not in it: `figures` works on the runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from neurologic.errors import NeurologicError

FORMAT = 1  # of the JSON document; raised when an old one can no longer be read


class RecordError(NeurologicError, ValueError):
    """A file that is not the record of a benchmark."""


@dataclass(frozen=True)
class Run:
    """One run of one side over all inputs of a workload.

    tokens     generated, end tokens included, all texts together
    satisfied  texts that obey their formula; None for a side that knows of none
    steps      how often an input went one token further; None where nobody counted
    parts      seconds inside the model, log-softmax and top-k (`neurologic.search.stopwatch`); likewise
    """

    seconds: float
    texts: int
    tokens: int
    satisfied: int | None = None
    steps: int | None = None
    parts: Mapping[str, float] | None = None

    @property
    def bookkeeping(self) -> float | None:
        """Seconds outside of all parts."""
        return None if self.parts is None else self.seconds - sum(self.parts.values())


@dataclass(frozen=True)
class Series:
    """All runs of one side.

    first          the run before all others; nothing is remembered then, unless another scenario has the
                   same formula. Only the figure of first runs is made of it
    compiling      seconds for compiling the formulas, before the first run; None for a side without
    peak_memory    bytes over those of the loaded model, in a process of its own; None if not measured
    """

    first: Run
    runs: tuple[Run, ...]
    compiling: float | None = None
    peak_memory: int | None = None


@dataclass(frozen=True)
class Measured:
    """A workload and its sides; run i of all sides belongs to the same round."""

    letter: str
    title: str
    num_beams: int
    max_new_tokens: int
    sides: Mapping[str, Series]


@dataclass(frozen=True)
class Machine:
    """Where it ran: everything that a time depends on and a reader cannot guess."""

    cpu: str
    cores: int
    threads: int
    system: str
    model: str
    device: str
    dtype: str
    versions: Mapping[str, str]


@dataclass
class Record:
    """A benchmark as far as it got.

    letters  the scenarios that were asked for
    rounds   how often the sides took turns
    quick    whether the workloads are the small ones, to which no target applies
    """

    machine: Machine
    letters: tuple[str, ...]
    rounds: int
    quick: bool
    measured: list[Measured] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Everything but what can be calculated from it."""
        return {"format": FORMAT, **asdict(self)}

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """The record of a document that `to_json` made; `RecordError` for anything else."""
        if not isinstance(document, Mapping) or "format" not in document or "measured" not in document:
            raise RecordError("it is not the JSON document of a benchmark")
        if document["format"] != FORMAT:
            raise RecordError(
                f"it has format {document['format']}, and this version reads format {FORMAT}; measure again"
            )
        try:
            return cls(
                machine=Machine(**document["machine"]),
                letters=tuple(document["letters"]),
                rounds=document["rounds"],
                quick=document["quick"],
                measured=[_measured(**one) for one in document["measured"]],
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise RecordError(f"it is not a whole record of a benchmark: {error}") from error


def read_record(text: str) -> Record:
    """The record in a JSON text."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"it is not JSON: {error}") from error
    return Record.from_json(document)


def _measured(sides: Mapping[str, Any], **rest: Any) -> Measured:
    return Measured(**rest, sides={name: _series(**one) for name, one in sides.items()})


def _series(first: Mapping[str, Any], runs: Sequence[Mapping[str, Any]], **rest: Any) -> Series:
    return Series(first=Run(**first), runs=tuple(Run(**run) for run in runs), **rest)
