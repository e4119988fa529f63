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
    dominance             whether a text waits for a place while one that has satisfied more ranks before it;
                          False for the paper's plain rotation over the groups
    phrase_groups         whether texts inside of a wanted phrase form groups of their own, so that long and
                          unlikely phrases get a place; False for the paper's groups
    length_penalty        finished texts are ranked by log-likelihood / length ** length_penalty
    no_repeat_ngram_size  no n-gram of generated tokens comes twice, 0 for off
    early_stopping        Hugging Face's rules: False (heuristic), True (k texts are enough), "never" (safe)
    num_return_sequences  how many different texts to return per input, best first
    stop_strings          a text ends where one of them appears
    max_time              seconds after which the best text so far is returned
    seed                  for decoders that draw random numbers: the same seed gives the same texts

    For sampling (top-k, top-p, and neurologic with do_sample):
    do_sample             neurologic takes candidates by drawing them instead of the likeliest
    temperature           above 1 flattens the distribution that is drawn from, below 1 sharpens it
    top_k                 only so many of the likeliest tokens are drawn from, 0 for all
    top_p                 only the likeliest tokens that together have this probability are drawn from

    For astar:
    look_ahead            how many tokens a roll-out looks ahead
    look_ahead_kind       "greedy", "beam" or "sample"
    look_ahead_width      roll-outs per candidate, for the latter two
    look_ahead_weight     what the best log-probability of an unmet literal in the roll-out weighs

    For gbs and cbs:
    rows                  hypotheses per step, shared by the banks or states; without it each gets num_beams

    For cgmh and gradient:
    edit_steps            how many edits are tried; each decoder has its own default
    """

    num_beams: int = 8
    max_new_tokens: int = 64
    min_new_tokens: int = 0
    alpha: int = 500
    beta: int = 3
    lambda_: float = 0.5
    doubt: float = 4.0
    reserve: float = 0.25
    dominance: bool = True
    phrase_groups: bool = True
    length_penalty: float = 1.0
    no_repeat_ngram_size: int = 0
    early_stopping: bool | Literal["never"] = False
    num_return_sequences: int = 1
    stop_strings: tuple[str, ...] = ()
    max_time: float | None = None
    seed: int = 0
    do_sample: bool = False
    temperature: float = 1.0
    top_k: int = 50
    top_p: float = 1.0
    look_ahead: int = 5
    look_ahead_kind: Literal["greedy", "beam", "sample"] = "greedy"
    look_ahead_width: int = 4
    look_ahead_weight: float = 0.25
    rows: int | None = None
    edit_steps: int = 100

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is None and name == "rows":
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}")
        if self.num_return_sequences > self.num_beams and not self.do_sample:
            raise ValueError(
                f"num_return_sequences={self.num_return_sequences} needs at least as many beams, "
                f"but num_beams={self.num_beams}"
            )
        if self.min_new_tokens > self.max_new_tokens:
            raise ValueError(
                f"min_new_tokens={self.min_new_tokens} is above max_new_tokens={self.max_new_tokens}"
            )
        for name in _NUMBERS:
            _require_number(name, getattr(self, name), may_be_negative=name == "length_penalty")
        if not self.temperature:
            raise ValueError("temperature must be above 0; for the likeliest tokens use a decoder without it")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p must be above 0 and at most 1, not {self.top_p!r}")
        if self.look_ahead_kind not in ("greedy", "beam", "sample"):
            raise ValueError(
                f'look_ahead_kind must be "greedy", "beam" or "sample", not {self.look_ahead_kind!r}'
            )
        if abs(self.length_penalty) > _MOST_LENGTH_PENALTY:
            raise ValueError(
                f"length_penalty must be between -{_MOST_LENGTH_PENALTY} and {_MOST_LENGTH_PENALTY}, "
                f"not {self.length_penalty!r}"
            )
        for name in ("dominance", "phrase_groups"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} must be True or False, not {getattr(self, name)!r}")
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
_NUMBERS = (
    "lambda_",
    "doubt",
    "reserve",
    "length_penalty",
    "max_time",
    "temperature",
    "top_p",
    "look_ahead_weight",
)
_LEAST = {
    "num_beams": 1,
    "max_new_tokens": 1,
    "min_new_tokens": 0,
    "alpha": 1,
    "beta": 1,
    "no_repeat_ngram_size": 0,
    "num_return_sequences": 1,
    "seed": 0,
    "top_k": 0,
    "look_ahead": 1,
    "look_ahead_width": 1,
    "rows": 1,
    "edit_steps": 1,
}
