"""The knobs of a search, under Hugging Face's names where it has them and the paper's where it has not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class SearchSettings:
    """How to search.

    num_beams             k: hypotheses kept per input and step
    max_new_tokens        no text is longer than this
    min_new_tokens        no end token before so many tokens
    alpha                 candidates kept per step by likelihood
    beta                  tiers kept per step by the number of satisfied clauses
    lambda_               weight of the partial reward for a phrase under way
    doubt                 what a forbidden word under way costs in the ranking, in nats: it seldom becomes
                          another word well; 0 for the paper's ranking
    reserve               the last part of the budget, before which all is paid, so that forced words leave
                          time for a proper end; 0 for paying at the last moment
    length_penalty        finished texts are ranked by log-likelihood / length ** length_penalty
    no_repeat_ngram_size  no n-gram of generated tokens comes twice, 0 for off
    early_stopping        Hugging Face's rules: False (heuristic), True (k texts are enough), "never" (safe)
    num_return_sequences  how many different texts to return per input, best first
    stop_strings          a text ends where one of them appears
    max_time              seconds after which the best text so far is returned
    """

    num_beams: int = 8
    max_new_tokens: int = 64
    min_new_tokens: int = 0
    alpha: int = 500
    beta: int = 3
    lambda_: float = 0.5
    doubt: float = 4.0
    reserve: float = 0.25
    length_penalty: float = 1.0
    no_repeat_ngram_size: int = 0
    early_stopping: bool | Literal["never"] = False
    num_return_sequences: int = 1
    stop_strings: tuple[str, ...] = ()
    max_time: float | None = None

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}")
        if self.num_return_sequences > self.num_beams:
            raise ValueError(
                f"num_return_sequences={self.num_return_sequences} needs at least as many beams, "
                f"but num_beams={self.num_beams}"
            )
        if self.min_new_tokens > self.max_new_tokens:
            raise ValueError(
                f"min_new_tokens={self.min_new_tokens} is above max_new_tokens={self.max_new_tokens}"
            )
        for name in ("lambda_", "doubt", "reserve", "length_penalty", "max_time"):
            _require_number(name, getattr(self, name), may_be_negative=name == "length_penalty")
        if abs(self.length_penalty) > _MOST_LENGTH_PENALTY:
            raise ValueError(
                f"length_penalty must be between -{_MOST_LENGTH_PENALTY} and {_MOST_LENGTH_PENALTY}, "
                f"not {self.length_penalty!r}"
            )
        if self.reserve >= 1:
            raise ValueError(f"reserve must be below 1, not {self.reserve!r}")
        if not isinstance(self.early_stopping, bool) and self.early_stopping != "never":
            raise ValueError(f'early_stopping must be True, False or "never", not {self.early_stopping!r}')
        if any(not isinstance(stop, str) or not stop for stop in self.stop_strings):
            raise ValueError("stop_strings must be non-empty strings")


def _require_number(name: str, value: object, *, may_be_negative: bool) -> None:
    if value is None and name == "max_time":
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"{name} must be a number, not {value!r}")
    if value < 0 and not may_be_negative:
        raise ValueError(f"{name} must not be negative, not {value!r}")


_MOST_LENGTH_PENALTY = 20  # beyond it, lengths to that power leave the range of numbers
_LEAST = {
    "num_beams": 1,
    "max_new_tokens": 1,
    "min_new_tokens": 0,
    "alpha": 1,
    "beta": 1,
    "no_repeat_ngram_size": 0,
    "num_return_sequences": 1,
}
