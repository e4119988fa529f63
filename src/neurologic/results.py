"""What a caller gets back: the text, its score, and a verdict per clause."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from neurologic.logic.report import ClauseReport
from neurologic.search.hypothesis import Ending


@dataclass(frozen=True)
class Result:
    """A generated text with its verdict.

    score      length-normalised log-likelihood, by which finished texts are ranked
    forced     how many tokens were forced by the payment plan (see `neurologic.feasibility`)
    ending     why the text is over: "end" token, "stop" string, "length" limit or "time" limit
    tokens     the generated token ids, end token included
    before     the character directly before the text, where it continues a raw prompt
    reduced    by which rule the formula was reduced to what the decoder can express, "" if it was not
    calls      model calls: texts that the model read one token further, for all texts of this input; for
               editing methods sentences that it judged
    reused     roll-out steps that needed no model call, for a decoder that looks ahead
    others     further results when `num_return_sequences` > 1, best first
    """

    text: str
    score: float
    clauses: tuple[ClauseReport, ...] = ()
    forced: int = 0
    ending: Ending = "end"
    tokens: tuple[int, ...] = ()
    logprob: float = 0.0
    before: str = ""
    reduced: str = ""
    calls: int = 0
    reused: int = 0
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
        line = {
            "text": self.text,
            "score": self.score,
            "satisfied": self.satisfied,
            "unmet": list(self.unmet),
            "clauses": [clause.to_json() for clause in self.clauses],
            "forced": self.forced,
        }
        optional = {"before": self.before, "reduced": self.reduced}
        return line | {name: value for name, value in optional.items() if value}
