"""What became of an item: the text with its verdict, or the error; as a line of JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from neurologic.errors import NeurologicError
from neurologic.experiments.comparison.attempts import Attempt
from neurologic.experiments.tasks.base import Item
from neurologic.generation.result import Result
from neurologic.logic import ClauseReport, ClauseState, check


@dataclass(frozen=True)
class Cost:
    """How a text came about; see `neurologic.generation.result.Result`.

    tokens   how many there are, end token included
    seconds  since the text before it was done; their sum is the time that a run took
    """

    score: float
    forced: int
    ending: str
    logprob: float
    tokens: int
    calls: int
    reused: int
    seconds: float
    reduced: str = ""


@dataclass(frozen=True)
class Prediction:
    """An item's output.

    output   the text that is scored, an opening included; nothing where the item failed
    clauses  the verdict
    error    why there is no text
    cost     how it was written; None for the output of another program
    """

    id: str
    output: str
    clauses: tuple[ClauseReport, ...] = ()
    error: str = ""
    cost: Cost | None = None

    @property
    def unmet(self) -> tuple[str, ...]:
        return tuple(clause.text for clause in self.clauses if not clause.satisfied)


def of_output(item: Item, output: str) -> Prediction:
    """The output of another program, judged by the item's formula."""
    # A text that begins as all of them do is judged without that, like those of a run.
    opening = item.opening if output.startswith(item.opening) else ""
    return Prediction(item.id, output, check(item.formula, output[len(opening) :], before=opening))


def line_of(item: Item, result: Result | NeurologicError, seconds: float) -> dict[str, Any]:
    """A line of a run's file; `neurologic check -i` reads it too."""
    line = {"id": item.id, **item.fields, **Attempt(result, seconds).to_json()}
    if item.opening and isinstance(result, Result):
        line["output"] = item.opening + result.text
    return line


def of_line(line: Mapping[str, Any]) -> Prediction:
    """What a line says; KeyError, TypeError or ValueError where it is not one of ours."""
    if "error" in line:
        return Prediction(str(line["id"]), "", error=str(line["error"]))
    reports = tuple(
        ClauseReport(
            clause["clause"], bool(clause["satisfied"]), ClauseState[clause["state"]], tuple(clause["by"])
        )
        for clause in line["clauses"]
    )
    cost = Cost(
        score=float(line["score"]),
        forced=int(line["forced"]),
        ending=str(line["ending"]),
        logprob=float(line["logprob"]),
        tokens=int(line["tokens"]),
        calls=int(line["calls"]),
        reused=int(line["reused"]),
        seconds=float(line["seconds"]),
        reduced=str(line.get("reduced", "")),
    )
    output = line.get("output", line["text"])
    if not isinstance(output, str):
        raise TypeError(f"a text is a string, not {output!r}")
    return Prediction(str(line["id"]), output, reports, cost=cost)
