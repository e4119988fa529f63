"""Predicates about where phrases stand: one after the other, at the beginning, at the end, near each other.

Each machine follows a set of *threads*, one for every way in which the text so far may become a match; a
state is such a set. An occurrence that a thread has passed may still be uncertain (`spelled_phrases`): the
thread dies if the text undoes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from neurologic.logic.characters import APOSTROPHES
from neurologic.logic.formula import Formula, Phrase
from neurologic.logic.predicates import choices
from neurologic.logic.units import HYPHENS, is_letter
from neurologic.matching.predicates.machine import Fixed, Kind, Machine, State
from neurologic.matching.predicates.spelled_phrases import (
    Context,
    Others,
    Phrasebook,
    Reading,
    Step,
    steps_of,
)


class _Thread(NamedTuple):
    """A way through the parts of an order.

    part     the part that comes next, or is being read
    reading  its reading; None while the thread waits for it
    passed   the uncertain occurrences of parts before it
    """

    part: int
    reading: Reading | None = None
    passed: frozenset[Reading] = frozenset()


class _Threads(NamedTuple):
    context: Context
    threads: frozenset[_Thread]
    others: Others = frozenset()


class InOrder(Machine):
    """The parts occur one after the other.

    at_start  the first part begins where the text does
    at_end    the last part ends where the text does
    """

    def __init__(self, parts: Sequence[Formula], *, at_start: bool = False, at_end: bool = False) -> None:
        self._book = Phrasebook(phrase for part in parts for phrase in choices(part))
        numbers = iter(range(len(self._book.spelled)))
        self._parts = [[next(numbers) for _ in choices(part)] for part in parts]
        self._at_start = at_start
        self._at_end = at_end

    def start(self) -> State:
        return _Threads(Context(), frozenset({_Thread(0)}))

    def step(self, state: State, character: str) -> State:
        for step in steps_of(character):
            if not state.context.skips(step):
                state = self._stepped(state, step)
                if isinstance(state, Fixed):
                    break
        return state

    def _stepped(self, state: _Threads, step: Step) -> State:
        others = self._book.others_after(state.others, state.context, step)
        threads = frozenset(self._after(state, step, others))
        if not self._at_end and _Thread(len(self._parts)) in threads:
            return Fixed.TRUE
        if not threads:
            return Fixed.FALSE
        return _Threads(state.context.after(step), self._without_dominated(threads), others)

    def _after(self, state: _Threads, step: Step, others: Others) -> Iterator[_Thread]:
        for thread in state.threads:
            passed = passed_after(self._book, thread.passed, state.context, step)
            if passed is None:
                continue
            if thread.reading is not None:
                reading = self._book.advanced(thread.reading, state.context, step)
                if reading is not None:
                    yield _moved_on(thread.part, reading, passed)
                continue
            if self._keeps_waiting(thread, step):
                yield thread._replace(passed=passed)
            for number in self._parts[thread.part] if thread.part < len(self._parts) else ():
                reading = self._book.begun(number, state.context, step, others)
                if reading is not None:
                    yield _moved_on(thread.part, reading, passed)

    def _keeps_waiting(self, thread: _Thread, step: Step) -> bool:
        if self._at_start and thread.part == 0:
            return False
        return not self._at_end or thread.part < len(self._parts) or step.folded.character == " "

    def _without_dominated(self, threads: frozenset[_Thread]) -> frozenset[_Thread]:
        """Return the threads without those that are behind one which waits for a later part for certain."""
        reached = max(
            (t.part for t in threads if t.reading is None and not t.passed and t.part < len(self._parts)),
            default=0,
        )
        certain = _Thread(reached)
        return frozenset(
            t
            for t in threads
            if t.part > reached
            or t == certain
            or (t.part == reached and (t.reading or certain not in threads))
        )

    def holds(self, state: State) -> bool:
        return any(
            thread.part == len(self._parts) and all(passed.counts_at_end for passed in thread.passed)
            for thread in state.threads
        )

    def kind(self, character: str) -> Kind:
        return self._book.alphabet.kind(character)

    def samples(self) -> Iterator[str]:
        return self._book.alphabet.samples()

    def missing(self, state: State) -> Iterator[Phrase]:
        part = max((thread.part for thread in state.threads), default=0)
        if part < len(self._parts):
            yield from (self._book.spelled[number].phrase for number in self._parts[part])

    def phrases(self) -> Iterator[Phrase]:
        return (spelled.phrase for spelled in self._book.spelled)


def _moved_on(part: int, reading: Reading, passed: frozenset[Reading]) -> _Thread:
    """Return the thread with a reading, which it has passed if the reading is done."""
    if not reading.is_done:
        return _Thread(part, reading, passed)
    return _Thread(part + 1, None, passed if reading.is_certain else passed | {reading})


def passed_after(
    book: Phrasebook, passed: Iterable[Reading], context: Context, step: Step
) -> frozenset[Reading] | None:
    """Return the occurrences that are still uncertain after a step; None if it undoes one of them."""
    after: set[Reading] = set()
    for reading in passed:
        moved = book.advanced(reading, context, step)
        if moved is None:
            return None
        if not moved.is_certain:
            after.add(moved)
    return frozenset(after)


class _Gap(NamedTuple):
    """The text between two occurrences: its words so far, and how the last of them stands."""

    words: int = 0
    word: str = ""  # "" outside of words, "in" inside of one, "joiner" after an apostrophe or hyphen


class _Pair(NamedTuple):
    """A way to two occurrences.

    reads   the readings that are not done
    next    the side that has not begun; -1 if both have
    gap     the text since the first occurrence; None while that is being read
    passed  the uncertain occurrences
    """

    reads: frozenset[Reading]
    next: int
    gap: _Gap | None = None
    passed: frozenset[Reading] = frozenset()


class _Pairs(NamedTuple):
    context: Context
    pairs: frozenset[_Pair] = frozenset()
    others: Others = frozenset()


class CloseBy(Machine):
    """Two phrases occur with at most so many words between them, in either order."""

    def __init__(self, distance: int, left: Formula, right: Formula) -> None:
        self._distance = distance
        self._book = Phrasebook((*choices(left), *choices(right)))
        middle = len(choices(left))
        self._sides = (range(middle), range(middle, len(self._book.spelled)))

    def start(self) -> State:
        return _Pairs(Context())

    def step(self, state: State, character: str) -> State:
        for number, step in enumerate(steps_of(character)):
            # The words of a gap are those of the text, where "ß" is one character.
            read = character if number == 0 else ""
            if state.context.skips(step):
                continue
            others = self._book.others_after(state.others, state.context, step)
            pairs = _without_longer_gaps(self._after(state, step, read, others))
            if _Pair(frozenset(), -1) in pairs:
                return Fixed.TRUE
            state = _Pairs(state.context.after(step), pairs, others)
        return state

    def _after(self, state: _Pairs, step: Step, read: str, others: Others) -> Iterator[_Pair]:
        context = state.context
        begun = [
            [r for number in side if (r := self._book.begun(number, context, step, others)) is not None]
            for side in self._sides
        ]
        for side, firsts in enumerate(begun):
            for first in firsts:
                yield _sorted_out([first], 1 - side)
                # Both begin here: one of them is a beginning of the other.
                yield from (_sorted_out([first, second], -1) for second in begun[1 - side])
        for pair in state.pairs:
            passed = passed_after(self._book, pair.passed, context, step)
            reads = [self._book.advanced(reading, context, step) for reading in pair.reads]
            moved = [reading for reading in reads if reading is not None]
            if passed is None or len(moved) < len(reads):
                continue
            for second in begun[pair.next] if pair.next >= 0 else ():
                yield _sorted_out([*moved, second], -1, passed)
            gap = None if pair.gap is None else _gap_after(pair.gap, read)
            if gap is None or gap.words <= self._distance:
                yield _sorted_out(moved, pair.next, passed, gap)

    def holds(self, state: State) -> bool:
        return any(
            pair.next < 0 and not pair.reads and all(reading.counts_at_end for reading in pair.passed)
            for pair in state.pairs
        )

    def kind(self, character: str) -> Kind:
        joins = character in APOSTROPHES or character in HYPHENS
        return self._book.alphabet.kind(character), is_letter(character), joins

    def samples(self) -> Iterator[str]:
        return self._book.alphabet.samples()

    def missing(self, state: State) -> Iterator[Phrase]:
        begun = {pair.next for pair in state.pairs if pair.gap is not None}
        for side in begun or {0, 1}:
            yield from (self._book.spelled[number].phrase for number in self._sides[side])

    def phrases(self) -> Iterator[Phrase]:
        return (spelled.phrase for spelled in self._book.spelled)


def _sorted_out(
    readings: Iterable[Reading],
    next_: int,
    passed: frozenset[Reading] = frozenset(),
    gap: _Gap | None = None,
) -> _Pair:
    """Return the pair with readings that are done among the passed ones."""
    listed = frozenset(readings)
    done = {reading for reading in listed if reading.is_done}
    if done and next_ >= 0:
        gap = _Gap()
    return _Pair(listed - done, next_, gap, passed | {reading for reading in done if not reading.is_certain})


def _without_longer_gaps(pairs: Iterable[_Pair]) -> frozenset[_Pair]:
    """Return the pairs without those that wait for the same side behind more words than another."""
    listed = frozenset(pairs)
    shortest: dict[int, int] = {}
    for pair in listed:
        if pair.gap is not None and not pair.reads and not pair.passed:
            shortest[pair.next] = min(pair.gap.words, shortest.get(pair.next, pair.gap.words))
    return frozenset(
        pair
        for pair in listed
        if pair.gap is None or pair.reads or pair.gap.words <= shortest.get(pair.next, pair.gap.words)
    )


def _gap_after(gap: _Gap, read: str) -> _Gap:
    """Return a gap with the next character."""
    if not read:
        return gap
    if is_letter(read):
        return _Gap(gap.words + (not gap.word), "in")
    joins = gap.word == "in" and (read in APOSTROPHES or read in HYPHENS)
    return _Gap(gap.words, "joiner" if joins else "")
