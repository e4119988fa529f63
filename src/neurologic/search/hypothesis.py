"""Partial texts, their possible continuations, and texts that are over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from neurologic.matching.clause_tracker import Status
from neurologic.matching.vocabulary import TokenIds

# Why a text is over: an end token, a stop string, the length limit or the time limit.
Ending = Literal["end", "stop", "length", "time"]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A partial text.

    tokens   the tokens generated so far
    text     the bytes they add up to
    logprob  cumulative log-likelihood, natural logarithm
    state    the matcher's state
    found    bit set of the phrases that have occurred for certain
    forced   how many of the tokens the payment plan forced
    memory   the decoder's own note on it, such as a partly written phrase
    rows     for every token the row of the beam that it continued
    """

    tokens: TokenIds
    text: bytes
    logprob: float
    state: int
    found: int
    forced: int = 0
    memory: Any = None
    rows: tuple[int, ...] = ()


@dataclass(slots=True, eq=False)
class Candidate:
    """A hypothesis and a token that may continue it.

    row      the place of the hypothesis in its beam
    logprob  cumulative log-likelihood, token included
    status   the clauses' status after the token
    ends     whether the token ends the text
    score    the decoder's ranking
    fate     the reason why the search dropped it, or "selected" or "finished"; for traces
    memory   the decoder's note for the hypothesis that it becomes
    inside   whether it is inside a wanted phrase, where that matters for its group
    """

    row: int
    token: int
    logprob: float
    state: int
    found: int
    status: Status
    ends: bool = False
    score: float = 0.0
    fate: str = ""
    memory: Any = None
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """A text that is over.

    satisfied  how many clauses hold at its end
    score      length-normalised log-likelihood
    rows       for every token the row of the beam that it continued
    """

    tokens: TokenIds
    text: bytes
    logprob: float
    score: float
    satisfied: int
    present: int
    forced: int
    ending: Ending
    rows: tuple[int, ...] = ()
