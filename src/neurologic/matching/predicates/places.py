"""A phrase inside a predicate: it occurs at so many places, maybe only outside of another phrase.

Each beginning that may become an occurrence is a candidate. One of a phrase with `unless` carries the
readings of the other phrase that began no later, and fails if one of them comes to a good end behind it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from neurologic.logic.formula import Phrase
from neurologic.matching.predicates.machine import Fixed, Kind, Machine, State
from neurologic.matching.predicates.spelled_phrases import Alphabet, Context, Spelled, Step, steps_of, still_open

_DONE = -1


class Reading(NamedTuple):
    """A phrase that is being read: how many symbols are, or `_DONE` with open conditions."""

    offset: int
    conditions: int = 0


class _Candidate(NamedTuple):
    """A reading of the phrase, and the readings of the other phrase that may still cover it."""

    reading: Reading
    covers: frozenset[Reading] = frozenset()


class _Seen(NamedTuple):
    """A partial text: the places that count for certain, the candidates, and readings of the other phrase."""

    context: Context
    places: int = 0
    candidates: tuple[_Candidate, ...] = ()
    others: frozenset[Reading] = frozenset()


class Places(Machine):
    """The phrase occurs at `times` places or more."""

    def __init__(self, phrase: Phrase, unless: Phrase | None = None) -> None:
        self._phrase = Spelled.of(phrase)
        self._unless = None if unless is None else Spelled.of(unless)
        self._alphabet = Alphabet(filter(None, (self._phrase, self._unless)))

    def start(self) -> State:
        return _Seen(Context())

    def step(self, state: State, character: str) -> State:
        for step in steps_of(character):
            if state.context.skips(step):
                continue
            state = self._stepped(state, step)
            if isinstance(state, Fixed):
                break
        return state

    def _stepped(self, state: _Seen, step: Step) -> State:
        context = state.context
        others = self._others_after(state.others, context, step)
        places = state.places
        candidates: list[_Candidate] = []
        for candidate in state.candidates:
            reading = _advanced(self._phrase, candidate.reading, context, step)
            covers = self._covers_after(candidate, reading, context, step)
            if reading is None or covers is None:
                continue
            if reading == (_DONE, 0) and not covers:
                places += 1
            else:
                candidates.append(_Candidate(reading, covers))
        begun = _begun(self._phrase, context, step)
        if begun is not None:
            covers = others if not self._is_covered(begun, others) else None
            if covers is None:
                pass
            elif begun == (_DONE, 0) and not covers:
                places += 1
            else:
                candidates.append(_Candidate(begun, covers))
        if places >= self._phrase.phrase.times:
            return Fixed.TRUE
        still_reading = frozenset(reading for reading in others if reading.offset != _DONE)
        return _Seen(context.after(step), places, tuple(sorted(candidates, key=_order)), still_reading)

    def _others_after(self, others: frozenset[Reading], context: Context, step: Step) -> frozenset[Reading]:
        if self._unless is None:
            return others
        after = {_advanced(self._unless, reading, context, step) for reading in others}
        after.add(_begun(self._unless, context, step))
        return frozenset(reading for reading in after if reading is not None)

    def _covers_after(
        self, candidate: _Candidate, reading: Reading | None, context: Context, step: Step
    ) -> frozenset[Reading] | None:
        """Return the readings that may still cover a candidate; None if one does for certain."""
        if self._unless is None or reading is None or not candidate.covers:
            return frozenset()
        ended_before = candidate.reading.offset == _DONE
        after: set[Reading] = set()
        for cover in candidate.covers:
            moved = _advanced(self._unless, cover, context, step)
            if moved is None:
                continue
            if moved.offset == _DONE and not ended_before and reading.offset != _DONE:
                continue  # it ends before the candidate does
            if moved == (_DONE, 0):
                return None
            after.add(moved)
        return frozenset(after)

    def _is_covered(self, begun: Reading, others: frozenset[Reading]) -> bool:
        return begun.offset == _DONE and Reading(_DONE, 0) in others

    def holds(self, state: State) -> bool:
        ending = sum(
            candidate.reading.offset == _DONE and not any(cover.offset == _DONE for cover in candidate.covers)
            for candidate in state.candidates
        )
        return bool(state.places + ending >= self._phrase.phrase.times)

    def kind(self, character: str) -> Kind:
        return self._alphabet.kind(character)

    def samples(self) -> Iterator[str]:
        return self._alphabet.samples()

    def missing(self, state: State) -> Iterator[Phrase]:
        yield self._phrase.phrase

    def phrases(self) -> Iterator[Phrase]:
        yield self._phrase.phrase


def _advanced(phrase: Spelled, reading: Reading, context: Context, step: Step) -> Reading | None:
    """Return a reading after a step; None if it fails."""
    if reading.offset == _DONE:
        conditions = still_open(reading.conditions, context, step)
        return None if conditions is None else Reading(_DONE, conditions)
    offset = phrase.advance(reading.offset, step)
    return None if offset is None else _at(phrase, offset)


def _begun(phrase: Spelled, context: Context, step: Step) -> Reading | None:
    """Return the reading that begins with this step; None if the phrase does not begin here."""
    offset = phrase.advance(0, step) if phrase.may_begin(context) else None
    return None if offset is None else _at(phrase, offset)


def _at(phrase: Spelled, offset: int) -> Reading:
    return Reading(_DONE, phrase.conditions) if phrase.ends_at(offset) else Reading(offset)


def _order(candidate: _Candidate) -> tuple[Reading, list[Reading]]:
    return candidate.reading, sorted(candidate.covers)
