"""Predicates about where phrases stand: one after the other, at the beginning, at the end, near each other.

Each machine follows a set of *threads*, one for every way in which the text so far may become a match; a
state is such a set. A thread may have open conditions (`spelled_phrases`): it dies if the text breaks one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from neurologic.logic.formula import Formula, Phrase
from neurologic.logic.predicates import choices
from neurologic.logic.units import HYPHENS, is_letter
from neurologic.logic.characters import APOSTROPHES
from neurologic.matching.predicates.machine import Fixed, Kind, Machine, State
from neurologic.matching.predicates.spelled_phrases import Alphabet, Context, Spelled, Step, steps_of, still_open


class _Thread(NamedTuple):
    """A way through the parts of an order: the part, and the phrase of it that is being read, if one is."""

    part: int
    phrase: int = -1
    offset: int = 0
    conditions: int = 0

    @property
    def is_waiting(self) -> bool:
        return self.phrase < 0


class _Threads(NamedTuple):
    context: Context
    threads: frozenset[_Thread]


class InOrder(Machine):
    """The parts occur one after the other.

    at_start  the first part begins where the text does
    at_end    the last part ends where the text does
    """

    def __init__(self, parts: Sequence[Formula], *, at_start: bool = False, at_end: bool = False) -> None:
        self._parts = [[Spelled.of(phrase) for phrase in choices(part)] for part in parts]
        self._alphabet = Alphabet(phrase for part in self._parts for phrase in part)
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
        threads = set(self._after(state, step))
        done = _Thread(len(self._parts))
        if not self._at_end and done in threads:
            return Fixed.TRUE
        if self._at_start and not threads:
            return Fixed.FALSE
        return _Threads(state.context.after(step), self._without_dominated(threads))

    def _after(self, state: _Threads, step: Step) -> Iterator[_Thread]:
        for thread in state.threads:
            conditions = still_open(thread.conditions, state.context, step)
            if conditions is None:
                continue
            if thread.is_waiting:
                if self._keeps_waiting(thread, step):
                    yield thread._replace(conditions=conditions)
                if thread.part < len(self._parts):
                    yield from self._begun(thread.part, conditions, state.context, step)
            else:
                phrase = self._parts[thread.part][thread.phrase]
                offset = phrase.advance(thread.offset, step)
                if offset is not None:
                    yield self._read(thread.part, thread.phrase, offset, conditions)

    def _keeps_waiting(self, thread: _Thread, step: Step) -> bool:
        if self._at_start and thread.part == 0:
            return False
        return not self._at_end or thread.part < len(self._parts) or step.folded.character == " "

    def _begun(self, part: int, conditions: int, context: Context, step: Step) -> Iterator[_Thread]:
        for number, phrase in enumerate(self._parts[part]):
            offset = phrase.advance(0, step) if phrase.may_begin(context) else None
            if offset is not None:
                yield self._read(part, number, offset, conditions)

    def _read(self, part: int, number: int, offset: int, conditions: int) -> _Thread:
        phrase = self._parts[part][number]
        if phrase.ends_at(offset):
            return _Thread(part + 1, conditions=conditions | phrase.conditions)
        return _Thread(part, number, offset, conditions)

    def _without_dominated(self, threads: set[_Thread]) -> frozenset[_Thread]:
        """Return the threads without those that are behind one which waits without conditions.

        Only where the last part may end anywhere, or does not count as reached: there more is better.
        """
        reached = max(
            (
                thread.part
                for thread in threads
                if thread.is_waiting and not thread.conditions and thread.part < len(self._parts)
            ),
            default=0,
        )
        return frozenset(
            thread for thread in threads if thread.part > reached or thread.part == reached and (
                not thread.is_waiting or not thread.conditions
            )
        )

    def holds(self, state: State) -> bool:
        return any(thread.part == len(self._parts) for thread in state.threads)

    def kind(self, character: str) -> Kind:
        return self._alphabet.kind(character)

    def samples(self) -> Iterator[str]:
        return self._alphabet.samples()

    def missing(self, state: State) -> Iterator[Phrase]:
        part = max((thread.part for thread in state.threads), default=0)
        if part < len(self._parts):
            yield from (phrase.phrase for phrase in self._parts[part])

    def phrases(self) -> Iterator[Phrase]:
        return (phrase.phrase for part in self._parts for phrase in part)


class _Gap(NamedTuple):
    """The text between two occurrences: its words so far, and how the last of them stands."""

    words: int = 0
    word: str = ""  # "" outside of words, "in" inside of one, "joiner" after an apostrophe or hyphen


class _Pair(NamedTuple):
    """A way to two occurrences.

    reads  the phrases that are being read, with how many symbols are
    next   the side that has not begun; -1 if both have
    gap    the text since the first occurrence; None while that is being read
    """

    reads: tuple[tuple[int, int], ...]
    next: int
    gap: _Gap | None = None
    conditions: int = 0


class _Pairs(NamedTuple):
    context: Context
    pairs: frozenset[_Pair]


class CloseBy(Machine):
    """Two phrases occur with at most so many words between them, in either order."""

    def __init__(self, distance: int, left: Formula, right: Formula) -> None:
        self._distance = distance
        self._sides = [tuple(map(Spelled.of, choices(side))) for side in (left, right)]
        self._spelled = (*self._sides[0], *self._sides[1])
        self._alphabet = Alphabet(self._spelled)

    def start(self) -> State:
        return _Pairs(Context(), frozenset())

    def step(self, state: State, character: str) -> State:
        for number, step in enumerate(steps_of(character)):
            # The words of a gap are those of the text, where "ß" is one character.
            read = character if number == 0 else ""
            if state.context.skips(step):
                continue
            pairs = frozenset(self._after(state, step, read))
            if any(pair.next < 0 and not pair.reads and not pair.conditions for pair in pairs):
                return Fixed.TRUE
            state = _Pairs(state.context.after(step), pairs)
        return state

    def _after(self, state: _Pairs, step: Step, read: str) -> Iterator[_Pair]:
        context = state.context
        begun = [list(self._begun(side, context, step)) for side in (0, 1)]
        for side, reads in enumerate(begun):
            other = 1 - side
            for first in reads:
                yield self._read(_Pair((first,), other))
                # Both begin here: one of them is a beginning of the other.
                yield from (self._read(_Pair((first, second), -1)) for second in begun[other])
        for pair in state.pairs:
            conditions = still_open(pair.conditions, context, step)
            if conditions is None:
                continue
            moved = self._moved(pair, step)
            if moved is None:
                continue
            pair = pair._replace(reads=moved, conditions=conditions)
            if pair.next >= 0:
                for second in begun[pair.next]:
                    yield self._read(_Pair((*moved, second), -1, conditions=conditions))
                if pair.gap is not None:
                    gap = _gap_after(pair.gap, read)
                    if gap.words > self._distance:
                        continue
                    pair = pair._replace(gap=gap)
            yield self._read(pair)

    def _begun(self, side: int, context: Context, step: Step) -> Iterator[tuple[int, int]]:
        first = 0 if side == 0 else len(self._sides[0])
        for number, phrase in enumerate(self._sides[side], first):
            offset = phrase.advance(0, step) if phrase.may_begin(context) else None
            if offset is not None:
                yield number, offset

    def _moved(self, pair: _Pair, step: Step) -> tuple[tuple[int, int], ...] | None:
        moved: list[tuple[int, int]] = []
        for number, offset in pair.reads:
            after = self._spelled[number].advance(offset, step)
            if after is None:
                return None
            moved.append((number, after))
        return tuple(moved)

    def _read(self, pair: _Pair) -> _Pair:
        """Return the pair with readings that are over turned into conditions."""
        over = [number for number, offset in pair.reads if self._spelled[number].ends_at(offset)]
        if not over:
            return pair._replace(reads=tuple(sorted(pair.reads)))
        conditions = pair.conditions
        for number in over:
            conditions |= self._spelled[number].conditions
        left = tuple(sorted(read for read in pair.reads if read[0] not in over))
        gap = _Gap() if pair.next >= 0 else None
        return _Pair(left, pair.next, gap, conditions)

    def holds(self, state: State) -> bool:
        return any(pair.next < 0 and not pair.reads for pair in state.pairs)

    def kind(self, character: str) -> Kind:
        joins = character in APOSTROPHES or character in HYPHENS
        return self._alphabet.kind(character), is_letter(character), joins

    def samples(self) -> Iterator[str]:
        return self._alphabet.samples()

    def missing(self, state: State) -> Iterator[Phrase]:
        begun = {pair.next for pair in state.pairs if pair.gap is not None}
        for side in begun or {0, 1}:
            yield from (phrase.phrase for phrase in self._sides[side])

    def phrases(self) -> Iterator[Phrase]:
        return (phrase.phrase for phrase in self._spelled)


def _gap_after(gap: _Gap, read: str) -> _Gap:
    """Return a gap with the next character."""
    if not read:
        return gap
    if is_letter(read):
        return _Gap(gap.words + (not gap.word), "in")
    joins = gap.word == "in" and (read in APOSTROPHES or read in HYPHENS)
    return _Gap(gap.words, "joiner" if joins else "")
