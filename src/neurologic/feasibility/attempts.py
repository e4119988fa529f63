"""The token sequences that a search for a plan tries after a partial text, the most promising first.

They come in blocks. What a block holds depends on the phrases present, hardly on the text, so texts share
blocks; and a search that has found a plan skips a whole block in which everything is too long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, reduce
from itertools import chain
from operator import or_
from weakref import proxy

from neurologic.bounded_table import BoundedTable
from neurologic.feasibility.residual_solver import ResidualSolver
from neurologic.feasibility.spelling import spellings
from neurologic.matching.clause_tracker import ClauseTracker, bits
from neurologic.matching.matcher import Matcher
from neurologic.matching.vocabulary import TokenIds

# Texts between two phrases, for where the phrases side by side would make a forbidden one.
_SEPARATORS = ("", ",", " and", ".", " a", " the", ";", "\n", " -", " x")

_SPELLINGS_KEPT = 10_000
_WAYS_KEPT = 2_000  # sets of phrases; few of them are ever looked at beyond the first block

# For every phrase its spellings, the usual one first.
Spelled = Sequence[tuple[TokenIds, ...]]

_Counted = tuple[tuple[int, int], ...]


class Block:
    """Ways to write some phrases: each as often as its places are too few, and once.

    Nothing is made before somebody needs it: most searches ask for the first way only.
    """

    def __init__(
        self,
        phrases: tuple[int, ...],
        spelled: Spelled,
        missing: Callable[[int], int],
        between: TokenIds = (),
    ) -> None:
        """Take the number of missing places as a function, and what comes before each phrase."""
        self._phrases = phrases
        self._spelled = spelled
        self._missing = missing
        self._between = between

    def __iter__(self) -> Iterator[TokenIds]:
        """Yield the attempts."""
        for phrase in self._phrases:
            missing = self._missing(phrase)
            for tokens in self._spelled[phrase]:
                if missing > 1:
                    yield (self._between + tokens) * missing
                yield self._between + tokens

    @cached_property
    def count(self) -> int:
        """How many attempts it has."""
        spelled, missing = self._spelled, self._missing
        return sum(len(spelled[phrase]) * (2 if missing(phrase) > 1 else 1) for phrase in self._phrases)

    @cached_property
    def shortest(self) -> int:
        """The length of the shortest attempt; 0 without any."""
        lengths = (len(tokens) for phrase in self._phrases for tokens in self._spelled[phrase])
        return min((len(self._between) + length for length in lengths), default=0)


class Remaining:
    """The attempts after one text that a search has not tried yet."""

    def __init__(self, blocks: Iterator[Iterable[TokenIds]]) -> None:
        self._blocks = blocks
        self._attempts: Iterator[TokenIds] = iter(())

    def next(self, below: int | None) -> tuple[TokenIds | None, int]:
        """Return the next attempt of fewer tokens, None without one, and how many tries that took.

        A longer attempt is a try as well, and so is the end. None as the bound is none.
        """
        tries = 0
        while True:
            for attempt in self._attempts:
                tries += 1
                if below is None or len(attempt) < below:
                    return attempt, tries
            block = next(self._blocks, None)
            if block is None:
                return None, tries + 1
            if below is not None and isinstance(block, Block) and block.shortest >= below:
                tries += block.count
            else:
                self._attempts = iter(block)


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
        self._times = tuple(phrase.times for phrase in matcher.phrases)
        self._known_spellings: BoundedTable[bytes, tuple[TokenIds, ...]] = BoundedTable(_SPELLINGS_KEPT)
        self._ways: BoundedTable[tuple[int, _Counted], _Ways] = BoundedTable(_WAYS_KEPT)

    def after(self, state: int, found: int) -> Remaining:
        """Return the attempts after a text in a state of the matcher with some phrases found."""
        return Remaining(self._blocks(state, found))

    def continuations(self, state: int) -> TokenIds:
        """Return tokens that make another word or number of the last one."""
        vocabulary = self._matcher.vocabulary
        return vocabulary.digits if self._matcher.position(state).waiting else vocabulary.word_continuations

    def _blocks(self, state: int, found: int) -> Iterator[Iterable[TokenIds]]:
        present = found | self._matcher.provisional(state)
        solution = self._solver.solve(present)
        if solution:
            yield self._finishing(state, solution)
            yield from self._ways_to_write(present, solution, self._matcher.counted(state)).blocks()
        else:
            # No phrase is missing, or a forbidden word is unfinished: make it another word, or just continue.
            yield [(token,) for token in self.continuations(state)]
            yield chain.from_iterable(self.spell(text.encode()) for text in _SEPARATORS[1:])
        if self._matcher.position(state).pending:
            yield chain.from_iterable(self.spell(bytes([byte])) for byte in range(0x80, 0xC0))

    def _finishing(self, state: int, solution: tuple[int, ...]) -> list[TokenIds]:
        """Finish a partly written phrase, the one with the least left to write first."""
        begun = [
            (phrase, rest)
            for phrase, matched in self._matcher.partial_matches(state)
            if (rest := self._matcher.rest(phrase, matched))
        ]
        if not begun:
            return []
        pending = self._matcher.position(state).pending
        helped = self._tracker.clauses_helped_by(solution)
        rests: list[TokenIds] = []
        for phrase, rest in begun:
            # Another form of the same clause can replace the one in the solution.
            if not self._tracker.clauses_helped_by((phrase,)) & helped:
                continue
            if isinstance(rest, tuple):
                rests.append(rest)
            elif rest.startswith(pending):
                rests += self.spell(rest.removeprefix(pending))
        return sorted(filter(None, rests), key=len)

    def _ways_to_write(self, present: int, solution: tuple[int, ...], counted: _Counted) -> _Ways:
        """Return the ways to write the phrases of a solution, and others."""
        known = self._ways.get((present, counted))
        if known is None:
            known = self._ways[present, counted] = _Ways(self, present, solution, counted)
        return known

    def alternatives(self, present: int, solution: tuple[int, ...]) -> tuple[int, ...]:
        """Return other phrases that help an unsatisfied clause, in case the solution cannot be written."""
        unsatisfied = bits(self._tracker.at_end(present).unsatisfied)
        helpful = reduce(or_, map(self._tracker.helpful, unsatisfied), 0)
        return tuple(phrase for phrase in bits(helpful & ~present) if phrase not in solution)

    def written(
        self,
        phrases: tuple[int, ...],
        counted: _Counted,
        separators: Sequence[str] = ("",),
        *,
        in_other_cases: bool = False,
    ) -> tuple[Block, ...]:
        """Return the ways to write each phrase after each separator; `counted` has the places so far."""
        spelled = self._other_cases if in_other_cases else self._spelled
        places, times = dict(counted), self._times

        def missing(phrase: int) -> int:
            return times[phrase] - places.get(phrase, 0)

        spelt = [self.spell(separator.encode()) if separator else ((),) for separator in separators]
        return tuple(Block(phrases, spelled, missing, between[0]) for between in spelt if between)

    def spell(self, data: bytes) -> tuple[TokenIds, ...]:
        """Return the spellings of bytes, remembered, since tokenizers are slow."""
        known = self._known_spellings.get(data)
        if known is None:
            known = self._known_spellings[data] = tuple(spellings(data, self._matcher.vocabulary))
        return known


class _Ways:
    """The ways to write the phrases of a solution, worked out as far as somebody asks."""

    def __init__(
        self, attempts: Attempts, present: int, solution: tuple[int, ...], counted: _Counted
    ) -> None:
        self._attempts: Attempts = proxy(attempts)  # which remembers this object
        self._present = present
        self._solution = solution
        self._counted = counted

    def blocks(self) -> Iterator[Block]:
        yield from self._usual
        yield from self._alternatives
        yield from self._separated
        yield from self._in_other_cases

    @cached_property
    def _usual(self) -> tuple[Block, ...]:
        return self._attempts.written(self._solution, self._counted)

    @cached_property
    def _alternatives(self) -> tuple[Block, ...]:
        others = self._attempts.alternatives(self._present, self._solution)
        return self._attempts.written(others, self._counted)

    @cached_property
    def _separated(self) -> tuple[Block, ...]:
        return self._attempts.written(self._solution, self._counted, _SEPARATORS[1:])

    @cached_property
    def _in_other_cases(self) -> tuple[Block, ...]:
        return self._attempts.written(self._solution, self._counted, _SEPARATORS[:3], in_other_cases=True)
