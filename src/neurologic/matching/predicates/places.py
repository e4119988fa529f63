"""A phrase inside a predicate, or one with an exception: it occurs at so many places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from neurologic.logic.formula import Phrase
from neurologic.matching.predicates.machine import Fixed, Kind, Machine, State
from neurologic.matching.predicates.spelled_phrases import (
    Context,
    Others,
    Phrasebook,
    Reading,
    Step,
    context_of,
    steps_of,
)


class _Seen(NamedTuple):
    """A partial text: the places that count for certain, and the readings that may become others.

    Readings are a sorted tuple and no set: two places may look alike and still be two.
    """

    context: Context
    places: int = 0
    readings: tuple[Reading, ...] = ()
    others: Others = frozenset()


class Places(Machine):
    """The phrase occurs at `times` places or more."""

    def __init__(self, phrase: Phrase) -> None:
        self._phrase = phrase
        self._book = Phrasebook([phrase])

    def start(self) -> State:
        return _Seen(Context())

    def start_after(self, before: str) -> State:
        """Return the start after a text that may deny the phrase a boundary, as in `occurs`."""
        return _Seen(context_of(before))

    def step(self, state: State, character: str) -> State:
        for step in steps_of(character):
            if not state.context.skips(step):
                state = self._stepped(state, step)
                if isinstance(state, Fixed):
                    break
        return state

    def _stepped(self, state: _Seen, step: Step) -> State:
        context, book = state.context, self._book
        others = book.others_after(state.others, context, step)
        moved = [book.advanced(reading, context, step) for reading in state.readings]
        moved.append(book.begun(0, context, step, others))
        readings = [reading for reading in moved if reading is not None]
        places = state.places + sum(reading.is_certain for reading in readings)
        if places >= self._phrase.times:
            return Fixed.TRUE
        uncertain = (reading for reading in readings if not reading.is_certain)
        return _Seen(context.after(step), places, tuple(sorted(uncertain, key=_order)), others)

    def holds(self, state: State) -> bool:
        ending = sum(reading.counts_at_end for reading in state.readings)
        return bool(state.places + ending >= self._phrase.times)

    def kind(self, character: str) -> Kind:
        return self._book.alphabet.kind(character)

    def samples(self) -> Iterator[str]:
        return self._book.alphabet.samples()

    def missing(self, state: State) -> Iterator[Phrase]:
        yield self._phrase

    def phrases(self) -> Iterator[Phrase]:
        yield self._phrase


def _order(reading: Reading) -> tuple[object, ...]:
    return reading.progress, sorted(reading.covers)
