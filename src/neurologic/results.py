"""What a caller gets back: the text, its score, and a verdict per clause."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from neurologic.logic.clauses import ClauseState

Ending = Literal["end", "stop", "length", "time"]


@dataclass(frozen=True)
class ClauseReport:
    """One clause of the formula, judged on the finished text.

    text       the clause as the user wrote it
    satisfied  whether the text satisfies it
    state      S1–S4 of the paper, at the end of the text
    by         the phrases that satisfy it: those found, or the forbidden ones that stayed away
    """

    text: str
    satisfied: bool
    state: ClauseState
    by: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "clause": self.text,
            "satisfied": self.satisfied,
            "state": self.state.name,
            "by": list(self.by),
        }


@dataclass(frozen=True)
class Result:
    """A generated text with its verdict.

    score      length-normalised log-likelihood, by which finished texts are ranked
    forced     how many tokens were forced by the payment plan (see `neurologic.feasibility`)
    ending     why the text is over: "end" token, "stop" string, "length" limit or "time" limit
    tokens     the generated token ids, end token included
    others     further results when `num_return_sequences` > 1, best first
    """

    text: str
    score: float
    clauses: tuple[ClauseReport, ...] = ()
    forced: int = 0
    ending: Ending = "end"
    tokens: tuple[int, ...] = ()
    logprob: float = 0.0
    others: tuple[Result, ...] = field(default=(), repr=False)

    @property
    def satisfied(self) -> bool:
        """Whether every clause holds on the text."""
        return all(clause.satisfied for clause in self.clauses)

    @property
    def unmet(self) -> tuple[str, ...]:
        """The clauses that do not hold, as the user wrote them."""
        return tuple(clause.text for clause in self.clauses if not clause.satisfied)

    def to_json(self) -> dict[str, Any]:
        """The fields that an output line adds to its input line."""
        return {
            "text": self.text,
            "score": self.score,
            "satisfied": self.satisfied,
            "unmet": list(self.unmet),
            "clauses": [clause.to_json() for clause in self.clauses],
            "forced": self.forced,
        }
