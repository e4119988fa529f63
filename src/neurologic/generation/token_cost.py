"""The cost of a constraint in tokens, for people who want to know it before the model runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neurologic.feasibility.compiled_constraint import CompiledConstraint


@dataclass(frozen=True)
class PhraseCost:
    """A required phrase, and the pieces that usually write it; None if the model cannot.

    tokens  the tokens for all its required occurrences
    """

    text: str
    pieces: tuple[str, ...] | None
    times: int = 1

    @property
    def tokens(self) -> int | None:
        return None if self.pieces is None else len(self.pieces) * self.times

    def to_json(self) -> dict[str, Any]:
        return {
            "phrase": self.text,
            "tokens": self.tokens,
            "pieces": None if self.pieces is None else list(self.pieces),
        }


@dataclass(frozen=True)
class Cost:
    """Bounds on the tokens of a satisfying text: how many it needs, and how many are enough, if known."""

    lower_bound: int
    upper_bound: int | None
    phrases: tuple[PhraseCost, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "lower_bound": self.lower_bound,
            "upper_bound": self.upper_bound,
            "phrases": [phrase.to_json() for phrase in self.phrases],
        }


def cost_of(constraint: CompiledConstraint) -> Cost:
    """Return the cost of a constraint for its tokenizer."""
    pieces = constraint.vocabulary.pieces
    phrases = []
    for number, phrase in enumerate(constraint.phrases):
        if constraint.tracker.wanted >> number & 1:
            tokens = constraint.planner.usual_spelling(number)
            written = (
                None
                if tokens is None
                else [(pieces[token] or b"").decode(errors="replace") for token in tokens]
            )
            phrases.append(PhraseCost(str(phrase), None if written is None else tuple(written), phrase.times))
    return Cost(constraint.lower_bound, constraint.upper_bound(), tuple(phrases))
