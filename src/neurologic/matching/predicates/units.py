"""Predicates over the units of a text: counts, quantifiers and places of words, sentences, lines, paragraphs.

A unit is judged as a text of its own: the machine of the inner formula starts anew at every unit, and its
verdict at the unit's end goes to a *tally*, which knows how many units, or which, must make it true. The
rules of `neurologic.logic.units` decide where units end; here they are followed one character at a time.
Lengths in units are counts of units of which nothing is asked.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple

from neurologic.errors import FormulaError
from neurologic.logic.characters import APOSTROPHES
from neurologic.logic.formula import Phrase
from neurologic.logic.predicates import Range, Unit
from neurologic.logic.units import CLOSERS, HYPHENS, LINE_BREAKS, TERMINATORS, is_letter
from neurologic.matching.predicates.machine import Fixed, Kind, Machine, State, fixed, stepped, value_of
from neurologic.matching.predicates.spelled_phrases import OTHER_CHARACTERS

# Places from the end that a machine remembers: its states are all the ways in which so many units can turn
# out.
MOST_FROM_THE_END = 40


class Tally(ABC):
    """What the verdicts of the units add up to; states are `Fixed` once further units cannot matter."""

    @abstractmethod
    def start(self) -> State:
        """Return the state without units."""

    @abstractmethod
    def add(self, state: State, value: bool) -> State:
        """Return the state after one more unit."""

    @abstractmethod
    def holds(self, state: State) -> bool:
        """Return the truth value if there are no further units."""

    def remaining(self, state: State) -> float:
        """Return how many more units are needed at least; guidance only."""
        return 0.0

    def units(self, state: State) -> int:
        """Return how many units there were, as far as the tally tells them apart; for groups of texts."""
        return 0

    @abstractmethod
    def wants(self, state: State) -> bool | None:
        """Return the verdict that the next unit should have; None if it does not matter. Guidance only."""


class CountTally(Tally):
    """Between so and so many units are true; counts beyond what matters are not told apart."""

    def __init__(self, number: Range) -> None:
        self._range = number

    def start(self) -> State:
        return self._settled(0)

    def add(self, state: State, value: bool) -> State:
        return self._settled(state + value)

    def _settled(self, count: int) -> State:
        if self._range.high is None:
            return Fixed.TRUE if count >= self._range.low else count
        return Fixed.FALSE if count > self._range.high else count

    def holds(self, state: State) -> bool:
        return state in self._range

    def remaining(self, state: State) -> float:
        return float(max(0, self._range.low - state))

    def units(self, state: State) -> int:
        return int(state)

    def wants(self, state: State) -> bool | None:
        if state < self._range.low:
            return True
        return False if state == self._range.high else None


class PlaceTally(Tally):
    """The unit at a place from the beginning is true."""

    def __init__(self, place: int) -> None:
        self._place = place

    def start(self) -> State:
        return 0

    def add(self, state: State, value: bool) -> State:
        return fixed(value) if state + 1 == self._place else state + 1

    def holds(self, state: State) -> bool:
        return False

    def remaining(self, state: State) -> float:
        return float(self._place - state)

    def units(self, state: State) -> int:
        return int(state)

    def wants(self, state: State) -> bool | None:
        return True if state + 1 == self._place else None


class PlaceFromEndTally(Tally):
    """The unit at a place from the end is true; 1 is the last.

    A state has the verdicts of the last units as binary digits, behind a leading 1.
    """

    def __init__(self, place: int) -> None:
        if place > MOST_FROM_THE_END:
            raise FormulaError(
                f"nth(-{place}, …) is too far from the end; at most -{MOST_FROM_THE_END} can be followed"
            )
        self._place = place

    def start(self) -> State:
        return 1

    def add(self, state: State, value: bool) -> State:
        more = state << 1 | value
        full = 1 << self._place
        return more if more < 2 * full else more & full - 1 | full

    def holds(self, state: State) -> bool:
        return bool(state >> self._place & 1 and state >> self._place - 1 & 1)

    def wants(self, state: State) -> bool | None:
        return True


class _Open(NamedTuple):
    """A partial text, seen as units.

    tally    the verdicts of the units that are over
    inner    the state of the inner machine in the unit that is open
    is_text  whether the open unit has anything but whitespace
    counts   whether it counts if the text ends here, for what is in it so far: it has a letter
    ends     whether it ends with what ends a sentence
    gap      the whitespace since: `_NONE`, `_SPACE`, `_BREAK` (one line break) or `_OVER` (the unit is over)
    """

    tally: State
    inner: State
    is_text: bool = False
    counts: bool = False
    ends: bool = False
    gap: int = 0


_NONE, _SPACE, _BREAK, _OVER = range(4)


class Quantifier(Machine):
    """A tally over the sentences, lines or paragraphs of a text."""

    def __init__(self, unit: Unit, inner: Machine, tally: Tally) -> None:
        self._unit = unit
        self._inner = inner
        self._tally = tally

    def start(self) -> State:
        return self._opened(self._tally.start())

    def _opened(self, tally: State) -> State:
        return tally if isinstance(tally, Fixed) else _Open(tally, self._inner.start())

    def step(self, state: State, character: str) -> State:
        if character.isspace():
            return self._after_space(state, character) if state.is_text else state
        if state.gap == _OVER:
            value = value_of(self._inner, state.inner)
            state = self._opened(self._tally.add(state.tally, value))
            if isinstance(state, Fixed):
                return state
        is_closed = state.ends and state.gap == _NONE and character in CLOSERS
        return state._replace(
            inner=stepped(self._inner, state.inner, character),
            is_text=True,
            counts=state.counts or is_letter(character),
            ends=self._unit == "sentence" and (character in TERMINATORS or is_closed),
            gap=_NONE,
        )

    def _after_space(self, state: _Open, character: str) -> State:
        """Return the state after whitespace, which becomes a boundary once something follows."""
        gap = state.gap
        breaks = character in LINE_BREAKS
        if self._unit == "sentence":
            gap = _OVER if breaks or state.ends else max(gap, _SPACE)
        elif self._unit == "line":
            gap = _OVER if breaks else max(gap, _SPACE)
        elif breaks:
            gap = _OVER if gap >= _BREAK else _BREAK
        else:
            gap = max(gap, _SPACE)
        if gap == _OVER:
            return state._replace(gap=gap)
        return state._replace(inner=stepped(self._inner, state.inner, character), gap=gap)

    def holds(self, state: State) -> bool:
        tally = state.tally
        if state.is_text and (state.counts or state.ends):
            tally = self._tally.add(tally, value_of(self._inner, state.inner))
        return tally.value if isinstance(tally, Fixed) else self._tally.holds(tally)

    def kind(self, character: str) -> Kind:
        return (
            character.isspace(),
            character in LINE_BREAKS,
            is_letter(character),
            self._unit == "sentence" and (character in TERMINATORS, character in CLOSERS),
            self._inner.kind(character),
        )

    def samples(self) -> Iterator[str]:
        yield from "x. \n"
        yield from self._inner.samples()
        yield from OTHER_CHARACTERS

    def missing(self, state: State) -> Iterator[Phrase]:
        inner = self._inner.start() if state.gap == _OVER else state.inner
        return _missing_in_unit(self._inner, inner, self._tally.wants(state.tally))

    def remaining(self, state: State) -> float:
        return self._tally.remaining(state.tally)

    def stage(self, state: State) -> int:
        is_over = state.is_text and (state.ends or state.gap == _OVER)
        return int(self._tally.units(state.tally) + is_over)

    def phrases(self) -> Iterator[Phrase]:
        return self._inner.phrases()

    def texts(self) -> Iterator[str]:
        yield {"sentence": ".", "line": "\n", "paragraph": "\n\n"}.get(self._unit, " ")
        yield from self._inner.texts()


def _missing_in_unit(inner: Machine, state: State, wanted: bool | None) -> Iterator[Phrase]:
    if wanted and not isinstance(state, Fixed) and not inner.holds(state):
        return inner.missing(state)
    return iter(())


class _Word(NamedTuple):
    """A partial text, seen as words.

    tally   the verdicts of the words that are over
    inner   the state of the inner machine in the open word; None between words
    joiner  the apostrophe or hyphen after it, which belongs to the word only if a letter follows
    """

    tally: State
    inner: State = None
    joiner: str = ""


class WordQuantifier(Machine):
    """A tally over the words of a text."""

    def __init__(self, inner: Machine, tally: Tally) -> None:
        self._inner = inner
        self._tally = tally

    def start(self) -> State:
        tally = self._tally.start()
        return tally if isinstance(tally, Fixed) else _Word(tally)

    def step(self, state: State, character: str) -> State:
        if is_letter(character):
            inner = self._inner.start() if state.inner is None else state.inner
            for read in state.joiner + character:
                inner = stepped(self._inner, inner, read)
            return _Word(state.tally, inner)
        if state.inner is None:
            return state
        if not state.joiner and (character in APOSTROPHES or character in HYPHENS):
            return state._replace(joiner=character)
        tally = self._tally.add(state.tally, value_of(self._inner, state.inner))
        return tally if isinstance(tally, Fixed) else _Word(tally)

    def holds(self, state: State) -> bool:
        tally = state.tally
        if state.inner is not None:
            tally = self._tally.add(tally, value_of(self._inner, state.inner))
        return tally.value if isinstance(tally, Fixed) else self._tally.holds(tally)

    def kind(self, character: str) -> Kind:
        joins = character in APOSTROPHES or character in HYPHENS
        return (
            is_letter(character),
            joins,
            self._inner.kind(character) if joins or is_letter(character) else None,
        )

    def samples(self) -> Iterator[str]:
        yield from "x "
        yield from self._inner.samples()
        yield from OTHER_CHARACTERS

    def missing(self, state: State) -> Iterator[Phrase]:
        inner = self._inner.start() if state.inner is None else state.inner
        return _missing_in_unit(self._inner, inner, self._tally.wants(state.tally))

    def remaining(self, state: State) -> float:
        return self._tally.remaining(state.tally)

    def phrases(self) -> Iterator[Phrase]:
        return self._inner.phrases()

    def texts(self) -> Iterator[str]:
        return self._inner.texts()


class Anything(Machine):
    """The inner machine of a plain length: every unit counts."""

    def start(self) -> State:
        return Fixed.TRUE

    def step(self, state: State, character: str) -> State:
        return state

    def holds(self, state: State) -> bool:
        return True

    def kind(self, character: str) -> Kind:
        return None

    def samples(self) -> Iterator[str]:
        return iter(())


# A word of one token in most vocabularies: plans for many characters need few tokens with it.
_LONG_WORD = " everything"
_SHORT_WORD = 3  # characters of a filler such as " it"


class _Characters(NamedTuple):
    """So many characters, and so many of whitespace that will count once something follows."""

    written: int = 0
    spaces: int = 0


class CharacterCount(Machine):
    """The text has so many characters, outer whitespace aside."""

    def __init__(self, number: Range) -> None:
        self._range = number
        self._most = number.low if number.high is None else number.high + 1

    def start(self) -> State:
        return self._settled(_Characters())

    def step(self, state: State, character: str) -> State:
        if not character.isspace():
            return self._settled(_Characters(min(state.written + state.spaces + 1, self._most)))
        if not state.written:
            return state
        return state._replace(spaces=min(state.spaces + 1, self._most))

    def _settled(self, state: _Characters) -> State:
        if self._range.high is None:
            return Fixed.TRUE if state.written >= self._range.low else state
        return Fixed.FALSE if state.written > self._range.high else state

    def holds(self, state: State) -> bool:
        return state.written in self._range

    def remaining(self, state: State) -> float:
        return float(max(0, self._range.low - state.written))

    def moves_left(self, state: State) -> float:
        missing = max(0, self._range.low - state.written - state.spaces)
        long_words, rest = divmod(missing, len(_LONG_WORD))
        return float(long_words + math.ceil(rest / _SHORT_WORD) + (not rest and state.spaces > 0))

    def texts(self) -> Iterator[str]:
        yield from "x "
        if self._range.low >= len(_LONG_WORD):
            yield _LONG_WORD

    def kind(self, character: str) -> Kind:
        return character.isspace()

    def samples(self) -> Iterator[str]:
        yield from "x "
