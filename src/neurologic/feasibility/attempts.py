"""The token sequences that a search for a plan tries after a partial text, the most promising first.

They come in blocks. What a block holds depends on the phrases present, hardly on the text, so texts share
blocks; and a search that has found a plan skips a whole block in which everything is too long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial, reduce
from operator import or_

from neurologic.bounded_table import BoundedTable
from neurologic.feasibility.residual_solver import ResidualSolver
from neurologic.feasibility.spelling import spellings
from neurologic.matching.clause_tracker import ClauseTracker, bits
from neurologic.matching.matcher import Matcher
from neurologic.matching.vocabulary import TokenIds

# Texts between two phrases, for where the phrases side by side would make a forbidden one.
_SEPARATORS = ("", ",", " and", ".", " a", " the", ";", "\n", " -", " x")

_SPELLINGS_KEPT = 10_000
_WAYS_KEPT = 1_000  # sets of phrases; each holds some hundred sequences for formulas of many clauses

# For every phrase its spellings, the usual one first.
Spelled = Sequence[tuple[TokenIds, ...]]

_Counted = tuple[tuple[int, int], ...]


class Block:
    """Some attempts in order, made when they are needed; how many, and the tokens of the shortest."""

    def __init__(self, count: int, shortest: int, make: Callable[[], Iterable[TokenIds]]) -> None:
        self.count = count
        self.shortest = shortest
        self._make = make

    @classmethod
    def of(cls, attempts: Sequence[TokenIds]) -> Block:
        """Return a block of attempts that are known already."""
        return cls(len(attempts), min(map(len, attempts), default=0), lambda: attempts)

    @cached_property
    def attempts(self) -> tuple[TokenIds, ...]:
        return tuple(self._make())


class Remaining:
    """The attempts after one text that a search has not tried yet."""

    def __init__(self, blocks: Iterator[Block]) -> None:
        self._blocks = blocks
        self._attempts: tuple[TokenIds, ...] = ()
        self._place = 0

    def next(self, below: float) -> tuple[TokenIds | None, int]:
        """Return the next attempt of fewer tokens, None without one, and how many tries that took.

        A longer attempt is a try as well, and so is the end.
        """
        tries = 0
        while True:
            for place in range(self._place, len(self._attempts)):
                tries += 1
                if len(self._attempts[place]) < below:
                    self._place = place + 1
                    return self._attempts[place], tries
            self._attempts, self._place = (), 0
            block = next(self._blocks, None)
            if block is None:
                return None, tries + 1
            if block.shortest < below:
                self._attempts = block.attempts
            else:
                tries += block.count


class Attempts:
    """The attempts for one formula: each brings a missing phrase or escapes a forbidden word."""

    def __init__(
        self,
        matcher: Matcher,
        tracker: ClauseTracker,
        solver: ResidualSolver,
        spelled: Spelled,
        other_cases: Spelled,
    ) -> None:
        self._matcher = matcher
        self._tracker = tracker
        self._solver = solver
        self._spelled = spelled
        self._other_cases = other_cases
        self._known_spellings: BoundedTable[bytes, tuple[TokenIds, ...]] = BoundedTable(_SPELLINGS_KEPT)
        self._ways: BoundedTable[tuple[int, _Counted], _Ways] = BoundedTable(_WAYS_KEPT)

    def after(self, state: int, found: int) -> Remaining:
        """Return the attempts after a text in a state of the matcher with some phrases found."""
        return Remaining(self._blocks(state, found))

    def continuations(self, state: int) -> TokenIds:
        """Return tokens that make another word or number of the last one."""
        vocabulary = self._matcher.vocabulary
        return vocabulary.digits if self._matcher.position(state).waiting else vocabulary.word_continuations

    def _blocks(self, state: int, found: int) -> Iterator[Block]:
        present = found | self._matcher.provisional(state)
        solution = self._solver.solve(present)
        if solution:
            yield Block.of(self._finishing(state, solution))
            yield from self._ways_to_write(present, solution, self._matcher.counted(state)).blocks()
        else:
            # No phrase is missing, or a forbidden word is unfinished: make it another word, or just continue.
            yield Block.of([(token,) for token in self.continuations(state)])
            yield Block.of([way for text in _SEPARATORS[1:] for way in self._spell(text.encode())])
        if self._matcher.position(state).pending:
            yield Block.of([way for byte in range(0x80, 0xC0) for way in self._spell(bytes([byte]))])

    def _finishing(self, state: int, solution: tuple[int, ...]) -> list[TokenIds]:
        """Finish a partly written phrase, the one with the least left to write first."""
        begun = list(self._matcher.partial_matches(state))
        if not begun:
            return []
        pending = self._matcher.position(state).pending
        helped = reduce(or_, map(self._tracker.clauses_helped_by, solution), 0)
        rests: list[TokenIds] = []
        for phrase, matched in begun:
            # Another form of the same clause can replace the one in the solution.
            if not self._tracker.clauses_helped_by(phrase) & helped:
                continue
            rest = self._matcher.rest(phrase, matched)
            if isinstance(rest, tuple):
                rests.append(rest)
            elif rest.startswith(pending):
                rests += self._spell(rest.removeprefix(pending))
        return sorted(filter(None, rests), key=len)

    def _ways_to_write(self, present: int, solution: tuple[int, ...], counted: _Counted) -> _Ways:
        """Return the ways to write the phrases of a solution, and others."""
        known = self._ways.get((present, counted))
        if known is None:
            known = self._ways[present, counted] = _Ways(self, present, solution, dict(counted))
        return known

    def alternatives(self, present: int, solution: tuple[int, ...]) -> tuple[int, ...]:
        """Return other phrases that help an unsatisfied clause, in case the solution cannot be written."""
        unsatisfied = bits(self._tracker.at_end(present).unsatisfied)
        helpful = reduce(or_, map(self._tracker.helpful, unsatisfied), 0)
        return tuple(phrase for phrase in bits(helpful & ~present) if phrase not in solution)

    def written(
        self,
        phrases: tuple[int, ...],
        places: Mapping[int, int],
        separators: Sequence[str] = ("",),
        *,
        in_other_cases: bool = False,
    ) -> tuple[Block, ...]:
        """Return per separator the ways to write each phrase: as often as places are missing, and once."""
        spelled = self._other_cases if in_other_cases else self._spelled
        missing = [self._matcher.phrases[phrase].times - places.get(phrase, 0) for phrase in phrases]
        ways = [(spelled[phrase], times) for phrase, times in zip(phrases, missing, strict=True)]
        count = sum(len(own) * (2 if times > 1 else 1) for own, times in ways)
        if not count:
            return ()
        shortest = min(len(tokens) for own, _ in ways for tokens in own)
        spelt = [self._spell(separator.encode()) if separator else ((),) for separator in separators]
        return tuple(
            Block(count, len(between[0]) + shortest, partial(_sequences, between[0], ways))
            for between in spelt
            if between
        )

    def _spell(self, data: bytes) -> tuple[TokenIds, ...]:
        """Return the spellings of bytes, remembered, since tokenizers are slow."""
        known = self._known_spellings.get(data)
        if known is None:
            known = self._known_spellings[data] = tuple(spellings(data, self._matcher.vocabulary))
        return known


class _Ways:
    """The ways to write the phrases of a solution, worked out as far as somebody asks."""

    def __init__(
        self, attempts: Attempts, present: int, solution: tuple[int, ...], places: Mapping[int, int]
    ) -> None:
        self._attempts = attempts
        self._present = present
        self._solution = solution
        self._places = places

    def blocks(self) -> Iterator[Block]:
        yield from self._usual
        yield from self._alternatives
        yield from self._separated
        yield from self._in_other_cases

    @cached_property
    def _usual(self) -> tuple[Block, ...]:
        return self._attempts.written(self._solution, self._places)

    @cached_property
    def _alternatives(self) -> tuple[Block, ...]:
        others = self._attempts.alternatives(self._present, self._solution)
        return self._attempts.written(others, self._places)

    @cached_property
    def _separated(self) -> tuple[Block, ...]:
        return self._attempts.written(self._solution, self._places, _SEPARATORS[1:])

    @cached_property
    def _in_other_cases(self) -> tuple[Block, ...]:
        return self._attempts.written(self._solution, self._places, _SEPARATORS[:3], in_other_cases=True)


def _sequences(between: TokenIds, ways: Sequence[tuple[tuple[TokenIds, ...], int]]) -> Iterator[TokenIds]:
    for own, times in ways:
        for tokens in own:
            if times > 1:
                yield (between + tokens) * times
            yield between + tokens
