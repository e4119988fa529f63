"""Partial texts, their possible continuations, and texts that are over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from neurologic.matching.clause_tracker import Status
from neurologic.matching.vocabulary import TokenIds
from neurologic.search.enumerations import NO_PHRASE, PhraseRun

# Why a text is over: an end token, a stop string, the last whole sentence before the length limit, the length
# limit itself, or the time limit.
Ending = Literal["end", "stop", "sentence", "length", "time"]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A partial text.

    tokens   the tokens generated so far
    text     the bytes they add up to
    logprob  cumulative log-likelihood, natural logarithm
    own      the same after the user's own prompt alone; see `search.two_prompts`
    state    the matcher's state
    found    bit set of the phrases that have occurred for certain
    forced   how many of the tokens the payment plan forced
    memory   the decoder's own note on it, such as a partly written phrase
    rows     for every token the row of the beam that it continued
    steps    for every token its log-likelihood after the user's own prompt
    whole    the beginning of it that ends with a sentence and owes nothing, where the text may be cut
    run      the required phrases in a row at its end
    """

    tokens: TokenIds
    text: bytes
    logprob: float
    own: float
    state: int
    found: int
    forced: int = 0
    memory: Any = None
    rows: tuple[int, ...] = ()
    steps: tuple[float, ...] = ()
    whole: Hypothesis | None = None
    run: PhraseRun = NO_PHRASE


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
    closes   whether it ends a sentence that may be the last one, where that matters for its group
    stage    how many sentences, lines or paragraphs it has, where the formula counts them; for its group
    lineage  how its text begins, where texts with different beginnings should go on side by side
    own      the log-likelihood of the token after the user's own prompt; None if `logprob` is that already
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
    closes: bool = False
    stage: tuple[int, ...] = ()
    lineage: TokenIds = ()
    own: float | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """A text that is over.

    satisfied  how many clauses hold at its end
    score      length-normalised log-likelihood; the search ranks by it
    own        log-likelihood after the user's own prompt alone
    own_score  the same, length-normalised
    wished     the weights of the wishes that it meets, length-normalised; the search ranks by the sum of it
               and the score
    rows       for every token the row of the beam that it continued
    steps      for every token its log-likelihood after the user's own prompt; empty if the decoder edits
    memory     the decoder's own note on it
    is_stump   whether it ends without the end of a sentence, though the formula speaks of sentences
    """

    tokens: TokenIds
    text: bytes
    logprob: float
    own: float
    score: float
    own_score: float
    satisfied: int
    present: int
    forced: int
    ending: Ending
    rows: tuple[int, ...] = ()
    steps: tuple[float, ...] = ()
    memory: Any = None
    wished: float = 0.0
    is_stump: bool = False
