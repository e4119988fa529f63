"""What a comparison is about: inputs, and what a decoder made of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from neurologic.errors import ExpressivityError, NeurologicError
from neurologic.generation.result import Result
from neurologic.logic import Clause


@dataclass(frozen=True)
class Input:
    """One input, the same for all decoders.

    title    what a reader knows it by: its prompt, or the concepts of a task
    clauses  what is asked of the text
    fields   what a record of it starts from
    """

    title: str
    clauses: tuple[Clause, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Attempt:
    """What a decoder made of an input, and the seconds that its share of the batch took."""

    result: Result | NeurologicError
    seconds: float = 0.0

    @property
    def refused(self) -> bool:
        """Whether the decoder cannot express the formula."""
        return isinstance(self.result, ExpressivityError)

    def to_json(self) -> dict[str, Any]:
        """The text with its verdict and cost, or the error."""
        if isinstance(self.result, NeurologicError):
            return {"error": str(self.result), "refused": self.refused}
        return {**self.result.to_dict(), **self.cost_to_json()}

    def cost_to_json(self) -> dict[str, Any]:
        """What `Result.to_json` leaves out and a comparison is about."""
        if isinstance(self.result, NeurologicError):
            return {}
        return {
            "ending": self.result.ending,
            "logprob": self.result.logprob,
            "tokens": len(self.result.tokens),
            "calls": self.result.calls,
            "reused": self.result.reused,
            "seconds": round(self.seconds, 4),
        }
