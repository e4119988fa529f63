"""Limits: how large formulas and searches may be, in one place, each with a name.

The defaults are generous: a program of one's own runs into them by mistake only, such as a list of words that
became one phrase. `Limits.for_server()` is for formulas from strangers. What goes beyond a limit is refused
at once, with a `LimitError` that says which limit, how much there was, and how much is allowed.

The limits in force are those of the context: `with limits_of(Limits.for_server()): …`. A limit is looked at
where the thing is made: phrases when a formula is read, states when it is compiled, rows when a search
starts. `check_time` is called in every loop that may take long.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Self

from neurologic.errors import LimitError, suggestion


def _limit(default: float, server: float, help: str) -> Any:
    return dataclasses.field(default=default, metadata={"server": server, "help": help})


@dataclass(frozen=True)
class Limits:
    """The most of everything. Every field has its meaning in `metadata["help"]`."""

    formula_characters: int = _limit(2_000_000, 50_000, "characters of a formula, or of its JSON form")
    phrase_characters: int = _limit(20_000, 500, "characters of a phrase")
    phrases: int = _limit(50_000, 1_000, "phrases of a formula, with all forms of inflect(…)")
    clauses: int = _limit(50_000, 1_000, "clauses of a formula")
    nesting: int = _limit(100, 50, "levels of parentheses, or of JSON, in a formula")
    times: int = _limit(10_000, 50, "places that a phrase must have, as in dog[times=2]")
    occurrences: int = _limit(10_000, 200, "places of all phrases together beyond the first of each")
    automaton_states: int = _limit(5_000_000, 100_000, "states of the automata that follow a formula")
    expression_size: int = _limit(10_000, 1_000, "states of a regular expression")
    compile_seconds: float = _limit(120.0, 10.0, "time to read, check, compile and plan a formula")
    max_new_tokens: int = _limit(100_000, 4_096, "the setting of this name")
    num_beams: int = _limit(4_096, 32, "the setting of this name")
    num_return_sequences: int = _limit(4_096, 32, "the setting of this name")
    alpha: int = _limit(1_000_000, 5_000, "the setting of this name")
    rows: int = _limit(16_384, 256, "the setting of this name, and the rows that gbs and cbs need")
    look_ahead: int = _limit(1_000, 16, "the setting of this name")
    edit_steps: int = _limit(1_000_000, 1_000, "the setting of this name")

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
                raise ValueError(f"the limit {field.name} must be a number above 0, not {value!r}")

    @classmethod
    def for_server(cls) -> Self:
        """Return the limits for formulas and settings from strangers."""
        fields = dataclasses.fields(cls)
        return cls(**{field.name: field.metadata.get("server", field.default) for field in fields})

    def changed(self, **values: float) -> Self:
        """Return limits with some of them set anew.

        >>> Limits().changed(phrases=10).phrases
        10
        """
        known = [field.name for field in dataclasses.fields(self)]
        for name in values:
            if name not in known:
                raise ValueError(f"there is no limit {name}{suggestion(name, known)}")
        return dataclasses.replace(self, **values)  # type: ignore[arg-type]

    def require(self, name: str, found: float, what: str) -> None:
        """Raise if there is more of something than the limit of this name allows.

        >>> Limits().require("times", 20_000, "the phrase dog")
        Traceback (most recent call last):
        neurologic.errors.LimitError: the phrase dog: times is 20,000, and the limit is 10,000
        """
        most = getattr(self, name)
        if found > most:
            raise LimitError(f"{what}: {name} is {_number(found)}, and the limit is {_number(most)}", name)


_limits: ContextVar[Limits] = ContextVar("limits", default=Limits())  # noqa: B039 (it is frozen)
_deadline: ContextVar[tuple[float, float, str] | None] = ContextVar("deadline", default=None)


def current_limits() -> Limits:
    """Return the limits in force."""
    return _limits.get()


@contextmanager
def limits_of(limits: Limits) -> Iterator[None]:
    """Put limits in force for a block."""
    token = _limits.set(limits)
    try:
        yield
    finally:
        _limits.reset(token)


@contextmanager
def time_limit(seconds: float | None = None, name: str = "compile_seconds") -> Iterator[None]:
    """Let `check_time` raise after so many seconds; by default the limit `compile_seconds`.

    A block inside of another one keeps the earlier end.
    """
    allowed = current_limits().compile_seconds if seconds is None else seconds
    outer = _deadline.get()
    ends = time.monotonic() + allowed
    token = _deadline.set(outer if outer is not None and outer[0] <= ends else (ends, allowed, name))
    try:
        yield
    finally:
        _deadline.reset(token)


def check_time() -> None:
    """Raise if the time for what is being done is over."""
    deadline = _deadline.get()
    if deadline is not None and time.monotonic() > deadline[0]:
        _, allowed, name = deadline
        raise LimitError(
            f"compiling and planning the formula takes longer than {allowed:g} s ({name}); "
            "make the formula smaller, or allow more time",
            name,
        )


def markdown_table() -> str:
    """Return the table of all limits for the documentation."""
    rows = ["| limit | program | server | of |", "| --- | ---: | ---: | --- |"]
    for field in dataclasses.fields(Limits):
        server, help = field.metadata["server"], field.metadata["help"]
        rows.append(f"| `{field.name}` | {_number(field.default)} | {_number(server)} | {help} |")
    return "\n".join(rows) + "\n"


def _number(value: Any) -> str:
    """Write a number for people; one of many digits by its length, since writing it may take long."""
    if isinstance(value, int) and value.bit_length() > 64:
        return f"a number of {value.bit_length()} bits"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"
