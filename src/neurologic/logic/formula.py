"""Formulas: phrases joined by logic, as immutable values.

A formula says what must be true of a text; it knows no tokenizer, clause or search. Write one with
Python's operators (`&` and, `|` or, `~` not, `>>` implies), where a string on either side is a phrase:

>>> from neurologic.logic import phrase
>>> must = "frisbee" | phrase("flying disc")
>>> print(must & ~phrase("cat"))
(frisbee | "flying disc") & !cat

`str(formula)` is formula text, which `neurologic.logic.parser.parse` reads back to an equal formula.
The classes keep what the user wrote; `neurologic.logic.normal_form` simplifies.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from typing import NoReturn

from neurologic.errors import FormulaError
from neurologic.limits import current_limits
from neurologic.logic.characters import is_caseless, is_word_character, normalise, number_goes_on
from neurologic.logic.inflection import inflections, part_of_speech
from neurologic.logic.phrase_validation import (
    CASES,
    MATCHES,
    NUMBERS,
    Case,
    Match,
    Number,
    checked_exception,
    checked_ids,
    checked_option,
    checked_text,
    checked_times,
)
from neurologic.logic.quoting import written

# Functions walk formulas recursively; this keeps them far from Python's recursion limit. Long `&` and `|`
# chains are flat, so only true nesting counts.
MAX_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Formula:
    """Base of all formulas; combine with `&`, `|`, `~` and `>>` (implies)."""

    depth: int = field(default=0, init=False, repr=False, compare=False)  # how deep operators are nested
    binding = 5  # how tightly the outermost operator binds; 5 needs no parentheses anywhere

    def __post_init__(self) -> None:
        depth = 1 + max((part.depth for part in self.operands), default=0)
        object.__setattr__(self, "depth", _checked_depth(depth))

    @property
    def operands(self) -> tuple[Formula, ...]:
        """The formulas that this one joins."""
        return ()

    def holds(self, occurred: Callable[[Atom], bool]) -> bool:
        """Return whether the formula is true, given which of its atoms are."""
        raise NotImplementedError

    def phrases(self) -> Iterator[Phrase]:
        """Yield every phrase of the formula in order, repeats included, inflected forms written out."""
        for part in self.operands:
            yield from part.phrases()

    def __and__(self, other: Formula | str) -> Formula:
        return _join(And, self, other)

    def __rand__(self, other: str) -> Formula:
        return _join(And, other, self)

    def __or__(self, other: Formula | str) -> Formula:
        return _join(Or, self, other)

    def __ror__(self, other: str) -> Formula:
        return _join(Or, other, self)

    def __rshift__(self, other: Formula | str) -> Formula:
        return Implies(self, as_formula(other)) if isinstance(other, (Formula, str)) else NotImplemented

    def __rrshift__(self, other: str) -> Formula:
        return Implies(as_formula(other), self) if isinstance(other, str) else NotImplemented

    def __invert__(self) -> Formula:
        return Not(self)

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "a formula has no truth value of its own; join formulas with & | ~ instead of and, or, not "
            "(and put parentheses around comparisons)"
        )


@dataclass(frozen=True, slots=True)
class Phrase(Formula):
    """A phrase that occurs in the text, once or more often.

    text    as written, but with single spaces and none at the ends, since results have none there
    match   "word" (whole words), "substring" (anywhere), or "tokens" (the paper's match on token ids)
    case    "fold" (neither case nor the kind of apostrophe matters) or "exact"
    ids     the token ids of a "tokens" phrase; without them the tokenizer decides
    times   how often the phrase must occur at least
    number  "whole" (digits at the ends of the phrase are no part of a longer number) or "part" (they may
            be: 450 in 12,450.75); matters only where match is "word"
    unless  a longer phrase, compared with the same options; places inside of it do not count
    """

    text: str
    match: Match = "word"
    case: Case = "fold"
    ids: tuple[int, ...] | None = None
    times: int = 1
    number: Number = "whole"
    unless: str | None = None

    def __post_init__(self) -> None:
        checked_option("match", self.match, MATCHES)
        checked_option("case", self.case, CASES)
        checked_option("number", self.number, NUMBERS)
        text = checked_text(self.text, may_be_blank=self.ids is not None)
        object.__setattr__(self, "text", text)
        if self.ids is not None:
            object.__setattr__(self, "ids", checked_ids(self.ids, self.match))
        checked_times(self.times)
        if self.unless is not None:
            object.__setattr__(self, "unless", checked_exception(self.unless, text, self.match, self.case))

    @property
    def exception(self) -> Phrase | None:
        """Return the phrase inside of which this one does not count."""
        return None if self.unless is None else replace(self, text=self.unless, times=1, unless=None)

    @property
    def key(self) -> Hashable:
        """Return a key that is equal for phrases that occur in exactly the same texts."""
        if self.match == "tokens":
            return ("tokens", self.ids if self.ids is not None else self.text, self.times)
        exact = self.case == "exact"
        text = normalise(self.text, exact_case=exact)
        unless = None if self.unless is None else normalise(self.unless, exact_case=exact)
        exact = exact and not is_caseless(text + (unless or ""))
        return (text, *self.edges, *self.number_edges, exact, self.times, unless)

    @property
    def edges(self) -> tuple[bool, bool]:
        """Return whether the left and the right end of the phrase need a word boundary."""
        text = normalise(self.text, exact_case=self.case == "exact")
        word = self.match == "word"
        return word and is_word_character(text[0]), word and is_word_character(text[-1])

    @property
    def number_edges(self) -> tuple[bool, bool]:
        """Return whether the left and the right end of the phrase belong to a number that must be whole.

        A separator at an end belongs to the number beside it: "3." is not in "3.5", but "," is in "3,5".
        """
        if self.match != "word" or self.number != "whole":
            return False, False
        return number_goes_on("0", self.text), number_goes_on(self.text, "0")

    def holds(self, occurred: Callable[[Atom], bool]) -> bool:
        return occurred(self)

    def phrases(self) -> Iterator[Phrase]:
        yield self

    def __str__(self) -> str:
        options = [f"match={self.match}"] if self.match != "word" else []
        options += [f"case={self.case}"] if self.case != "fold" else []
        options += [f"ids={' '.join(map(str, self.ids))}"] if self.ids is not None else []
        options += [f"times={self.times}"] if self.times != 1 else []
        options += [f"number={self.number}"] if self.number != "whole" else []
        options += [f"unless={written(self.unless)}"] if self.unless is not None else []
        return written(self.text) + (f"[{', '.join(options)}]" if options else "")


@dataclass(frozen=True, slots=True)
class Predicate(Formula):
    """Base of all predicates: Boolean functions of the finished text, beyond "this phrase occurs"."""

    @property
    def key(self) -> Hashable:
        """Return a key that is equal only for predicates that are true of exactly the same texts."""
        return self

    def holds(self, occurred: Callable[[Atom], bool]) -> bool:
        return occurred(self)

    def phrases(self) -> Iterator[Phrase]:
        """Yield nothing: a phrase inside a predicate need not occur."""
        return iter(())


Atom = Phrase | Predicate  # what a formula joins, and what literals are made of


@dataclass(frozen=True, slots=True)
class Inflect(Formula):
    """An inflected form of a word: of its usual parts of speech, or of the one that is named."""

    word: str
    pos: str | None = None
    case: Case = "fold"

    def __post_init__(self) -> None:
        object.__setattr__(self, "word", checked_text(self.word))
        if self.pos is not None:
            object.__setattr__(self, "pos", part_of_speech(self.pos))
        checked_option("case", self.case, CASES)

    @property
    def forms(self) -> tuple[Phrase, ...]:
        """Return the phrases it stands for, the word itself first."""
        return tuple(Phrase(form, case=self.case) for form in inflections(self.word, self.pos))

    def holds(self, occurred: Callable[[Atom], bool]) -> bool:
        return any(occurred(form) for form in self.forms)

    def phrases(self) -> Iterator[Phrase]:
        yield from self.forms

    def __str__(self) -> str:
        pos = f", {self.pos}" if self.pos else ""
        return f"inflect({written(self.word)}{pos})" + ("[case=exact]" if self.case == "exact" else "")


@dataclass(frozen=True, slots=True)
class Not(Formula):
    """The part does not hold."""

    part: Formula
    binding = 4

    @property
    def operands(self) -> tuple[Formula, ...]:
        return (self.part,)

    def holds(self, occurred: Callable[[Atom], bool]) -> bool:
        return not self.part.holds(occurred)

    def __str__(self) -> str:
        return f"!{_inside(self.part, 4)}"


@dataclass(frozen=True, slots=True)
class _Joined(Formula):
    """Parts joined by one operator; nested joins of the same kind are flattened."""

    parts: tuple[Formula, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", _flattened(type(self), self.parts))
        Formula.__post_init__(self)

    @property
    def operands(self) -> tuple[Formula, ...]:
        return self.parts


@dataclass(frozen=True, slots=True)
class And(_Joined):
    """Every part holds; without parts it is trivially true."""

    binding = 3

    def holds(self, occurred: Callable[[Atom], bool]) -> bool:
        return all(part.holds(occurred) for part in self.parts)

    def __str__(self) -> str:
        if len(self.parts) < 2:
            return f"all({', '.join(map(str, self.parts))})"
        return " & ".join([_inside(part, 4) for part in self.parts])


@dataclass(frozen=True, slots=True)
class Or(_Joined):
    """At least one part holds."""

    binding = 2

    def __post_init__(self) -> None:
        if not self.parts:
            raise FormulaError("any() of nothing can never hold; give it at least one phrase")
        _Joined.__post_init__(self)

    def holds(self, occurred: Callable[[Atom], bool]) -> bool:
        return any(part.holds(occurred) for part in self.parts)

    def __str__(self) -> str:
        # An `&` inside binds tighter anyway; the parentheses are for the reader.
        return " | ".join([_inside(part, 4) for part in self.parts])


@dataclass(frozen=True, slots=True)
class Implies(Formula):
    """If the condition holds, so does the consequence, in whatever order they occur."""

    condition: Formula
    consequence: Formula
    binding = 1

    @property
    def operands(self) -> tuple[Formula, ...]:
        return (self.condition, self.consequence)

    def holds(self, occurred: Callable[[Atom], bool]) -> bool:
        return not self.condition.holds(occurred) or self.consequence.holds(occurred)

    def __str__(self) -> str:
        return f"{_inside(self.condition, 2)} -> {_inside(self.consequence, 1)}"


@dataclass(frozen=True, slots=True)
class Iff(Formula):
    """Both sides hold, or neither does."""

    left: Formula
    right: Formula
    binding = 0

    @property
    def operands(self) -> tuple[Formula, ...]:
        return (self.left, self.right)

    def holds(self, occurred: Callable[[Atom], bool]) -> bool:
        return self.left.holds(occurred) == self.right.holds(occurred)

    def __str__(self) -> str:
        return f"{_inside(self.left, 0)} <-> {_inside(self.right, 1)}"


def as_formula(value: Formula | str) -> Formula:
    """Return a formula as it is, and a string as a phrase, without parsing it."""
    if isinstance(value, Formula):
        return value
    if isinstance(value, str):
        return Phrase(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        raise FormulaError(
            "expected a phrase, not a collection; spread it, as in any_of(*words) or all_of(*words)"
        )
    raise FormulaError(f"expected a phrase or a formula, not {type(value).__name__}: {value!r}")


def _join(kind: type[_Joined], left: Formula | str, right: Formula | str) -> Formula:
    if not isinstance(left, (Formula, str)) or not isinstance(right, (Formula, str)):
        return NotImplemented
    left, right = as_formula(left), as_formula(right)
    parts = _flattened(kind, (left, right))
    if len(parts) < 2:  # `x & all_of()`
        return parts[0] if parts else left
    joined = object.__new__(kind)
    object.__setattr__(joined, "parts", parts)
    # Bypass __init__, which looks at every part: `must = must & word` in a loop would be quadratic.
    depth = max(side.depth + (type(side) is not kind) for side in (left, right))
    object.__setattr__(joined, "depth", _checked_depth(depth))
    return joined


def _flattened(kind: type[_Joined], parts: tuple[Formula, ...]) -> tuple[Formula, ...]:
    if not any(isinstance(part, kind) for part in parts):
        return tuple(parts)
    return tuple(inner for part in parts for inner in (part.parts if isinstance(part, kind) else (part,)))


def _checked_depth(depth: int) -> int:
    most = min(MAX_DEPTH, current_limits().nesting)
    if depth > most:
        raise FormulaError(f"the formula is nested more than {most} levels deep; write it flatter")
    return depth


def _inside(part: Formula, weakest: int) -> str:
    """Write `part` as an operand, in parentheses when its operator binds less tightly than `weakest`."""
    needs_none = part.binding >= weakest or (isinstance(part, And) and len(part.parts) < 2)
    return str(part) if needs_none else f"({part})"
