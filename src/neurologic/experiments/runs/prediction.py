"""The outcome of one input: its text with verdict and cost, or the error; as a JSON object and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from neurologic.errors import ExpressivityError, NeurologicError
from neurologic.experiments.tasks.base import Item
from neurologic.generation.result import Result
from neurologic.logic import ClauseReport, ClauseState, check
from neurologic.marks import Mark


@dataclass(frozen=True)
class Prediction:
    """The outcome of one input.

    result   the text and its verdict; empty after an error
    tokens   how many tokens the text has, end token included (files do not keep the tokens themselves)
    seconds  the text's share of the time; None for the output of another program, of which nothing is known
             but the text
    opening  the part of the prompt with which the scored output begins
    """

    id: str
    result: Result
    tokens: int = 0
    seconds: float | None = None
    opening: str = ""

    @property
    def error(self) -> str:
        """Why there is no text, "" if there is one."""
        return "" if self.result.error is None else str(self.result.error)

    @property
    def refused(self) -> bool:
        """Whether there is no text because the decoder cannot express the formula."""
        return isinstance(self.result.error, ExpressivityError)

    @property
    def output(self) -> str:
        """The text to score."""
        return self.opening + self.result.text

    @property
    def clauses(self) -> tuple[ClauseReport, ...]:
        return self.result.clauses

    @property
    def unmet(self) -> tuple[str, ...]:
        return self.result.unmet

    @property
    def cut_off(self) -> bool:
        """Whether the text ended at its length or time limit."""
        return self.result.ending in ("length", "time")

    @classmethod
    def from_result(cls, id: str, result: Result, seconds: float, opening: str = "") -> Self:
        """Keep the parts of a result that a run stores."""
        if result.error is not None:
            return cls(id, Result("", 0.0, error=result.error))
        kept = replace(result, tokens=(), others=(), warnings=(), request=None)
        return cls(id, kept, len(result.tokens), round(seconds, 4), opening)

    @classmethod
    def from_output(cls, item: Item, output: str) -> Self:
        """Judge the output of another program by the item's formula."""
        # A text that begins with the opening is judged without it, like the texts of a run.
        opening = item.opening if output.startswith(item.opening) else ""
        text = output[len(opening) :]
        return cls(item.id, Result(text, 0.0, check(item.formula, text, before=opening)), opening=opening)

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Self:
        """Read a line; raise KeyError, TypeError or ValueError if `to_json` did not write it."""
        identity = str(line["id"])
        if "error" in line:
            kind = ExpressivityError if line.get("refused") else NeurologicError
            return cls(identity, Result("", 0.0, error=kind(line["error"])))
        text, output = line["text"], line.get("output", line["text"])
        if not isinstance(text, str) or not isinstance(output, str):
            raise TypeError(f"a text is a string, not {text!r}")
        result = Result(
            text,
            score=float(line["score"]),
            clauses=tuple(map(_clause_report, line["clauses"])),
            forced=int(line["forced"]),
            ending=line["ending"],
            logprob=float(line["logprob"]),
            before=str(line.get("before", "")),
            reduced=str(line.get("reduced", "")),
            # Runs of before there were marks have none.
            marks=tuple(Mark(mark["kind"], mark["excerpt"]) for mark in line.get("marks", ())),
            calls=int(line["calls"]),
            reused=int(line["reused"]),
        )
        opening = output.removesuffix(text)
        return cls(identity, result, int(line["tokens"]), float(line["seconds"]), opening)

    def to_json(self) -> dict[str, Any]:
        """Return the text with its verdict and cost, or the error; the caller adds the id."""
        if self.result.error is not None:
            return {"error": self.error, "refused": self.refused}
        line = {**self.result.to_dict(), **self.cost_to_json()}
        return {**line, "output": self.output} if self.opening else line

    def cost_to_json(self) -> dict[str, Any]:
        """Return the fields that `Result.to_dict` leaves out."""
        if self.result.error is not None:
            return {}
        return {
            "ending": self.result.ending,
            "logprob": self.result.logprob,
            "tokens": self.tokens,
            "calls": self.result.calls,
            "reused": self.result.reused,
            "seconds": self.seconds,
        }


def _clause_report(fields: Mapping[str, Any]) -> ClauseReport:
    state = ClauseState[fields["state"]]
    by, absent = tuple(fields["by"]), tuple(fields.get("absent", ()))
    return ClauseReport(fields["clause"], bool(fields["satisfied"]), state, by, absent)
