"""Regular expressions: Thompson's construction, and the set of its nodes that a text has reached.

`TextAutomaton` makes deterministic states of the sets, only those that a text or a question meets. So an
expression costs time in proportion to its size and to the text, whatever it is; one whose repetitions make
it larger than a limit is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from neurologic.errors import FormulaError
from neurologic.logic.character_sets import CharacterSet, contains
from neurologic.logic.expressions import Anchor, Characters, Choice, Concatenation, Expression, Repeat, size
from neurologic.matching.predicates.machine import Fixed, Kind, Machine, State
from neurologic.matching.predicates.spelled_phrases import OTHER_CHARACTERS

# Characters and anchors of an expression, repetitions written out.
MOST = 5000
# So many nodes of a set take the room of one state of another machine.
_NODES_PER_STATE = 8
# Ranges of a set that give samples: classes like \w have hundreds, which all look alike.
_SAMPLED_RANGES = 100
_READABLE = "aeiotsn0123456789AEIOTSN-./:@,_!?'\"()%$€&+= "


class _Node(NamedTuple):
    """A node: it reads a character of set `reads` (-1: none), or asks for an anchor, and leads to others."""

    reads: int = -1
    anchor: Literal["start", "end"] | None = None
    to: tuple[int, ...] = ()


class _Network:
    """The nodes of an expression; node 0 accepts."""

    def __init__(self, expression: Expression) -> None:
        self.nodes: list[_Node] = [_Node()]
        self.sets: dict[CharacterSet, int] = {}
        self.start = self._before(expression, 0)
        self._following: list[frozenset[int] | None] = [None] * len(self.nodes)
        self._accepting: list[bool | None] = [None] * len(self.nodes)
        self.again = self.reached({self.start})

    def _add(self, node: _Node) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _before(self, expression: Expression, after: int) -> int:
        """Return a node from which the expression leads to the node `after`."""
        match expression:
            case Characters(ranges):
                number = self.sets.setdefault(ranges, len(self.sets))
                return self._add(_Node(reads=number, to=(after,)))
            case Anchor(at):
                return self._add(_Node(anchor=at, to=(after,)))
            case Concatenation(parts):
                for part in reversed(parts):
                    after = self._before(part, after)
                return after
            case Choice(parts):
                return self._add(_Node(to=tuple(self._before(part, after) for part in parts)))
            case Repeat(part, low, high):
                if high is None:
                    again = self._add(_Node())
                    self.nodes[again] = _Node(to=(self._before(part, again), after))
                    after = again
                else:
                    last = after
                    for _ in range(high - low):
                        after = self._add(_Node(to=(self._before(part, after), last)))
                for _ in range(low):
                    after = self._before(part, after)
                return after

    def following(self, number: int) -> frozenset[int]:
        """Return what is reached, inside of a text, once a node has read its character."""
        known = self._following[number]
        if known is None:
            known = self._following[number] = self.reached(set(self.nodes[number].to))
        return known

    def accepts_at_end(self, number: int) -> bool:
        """Return whether a node leads to the accepting one at the end of a text that is not empty."""
        known = self._accepting[number]
        if known is None:
            known = self._accepting[number] = 0 in self.reached({number}, at_end=True)
        return known

    def reached(self, nodes: set[int], *, at_start: bool = False, at_end: bool = False) -> frozenset[int]:
        """Return what the nodes lead to without reading, and keep only what reads, waits or accepts."""
        seen: set[int] = set()
        stack = list(nodes)
        while stack:
            number = stack.pop()
            if number in seen:
                continue
            seen.add(number)
            node = self.nodes[number]
            opens = node.anchor is None or (at_start if node.anchor == "start" else at_end)
            if node.reads < 0 and opens:
                stack.extend(node.to)
        return frozenset(
            number
            for number in seen
            if number == 0 or self.nodes[number].reads >= 0 or self.nodes[number].anchor == "end"
        )


class _Matched(NamedTuple):
    """A partial text: the nodes reached at its last character, and with the whitespace since.

    A match for certain is `Fixed.TRUE`; that one which rests on trailing whitespace may still be stripped.
    """

    stripped: frozenset[int] | Fixed
    running: frozenset[int] | Fixed
    is_empty: bool = False


class Matches(Machine):
    """The expression matches somewhere or, if `whole`, the whole text."""

    def __init__(self, expression: Expression, *, whole: bool = False) -> None:
        if size(expression) > MOST:
            raise FormulaError(
                f"the expression has {size(expression)} characters once its repetitions are written out, "
                f"more than {MOST}; use * or + instead of large numbers"
            )
        self._network = _Network(expression)
        self._sets = tuple(self._network.sets)
        self._whole = whole

    def start(self) -> State:
        reached = self._settled(self._network.reached({self._network.start}, at_start=True))
        return reached if isinstance(reached, Fixed) else _Matched(reached, reached, is_empty=True)

    def _settled(self, nodes: frozenset[int]) -> frozenset[int] | Fixed:
        return Fixed.TRUE if not self._whole and 0 in nodes else nodes

    def step(self, state: State, character: str) -> State:
        if character.isspace():
            return state if state.is_empty else state._replace(running=self._read(state.running, character))
        running = self._read(state.running, character)
        if isinstance(running, Fixed):
            return running
        if self._whole and not running:
            return Fixed.FALSE
        return _Matched(running, running)

    def _read(self, nodes: frozenset[int] | Fixed, character: str) -> frozenset[int] | Fixed:
        if isinstance(nodes, Fixed):
            return nodes
        network = self._network
        after: set[int] = set() if self._whole else set(network.again)
        allowed: dict[int, bool] = {}
        for number in nodes:
            node = network.nodes[number]
            if node.reads < 0:
                continue
            if node.reads not in allowed:
                allowed[node.reads] = contains(self._sets[node.reads], character)
            if allowed[node.reads]:
                after |= network.following(number)
        return self._settled(frozenset(after))

    def holds(self, state: State) -> bool:
        if isinstance(state.stripped, Fixed):
            return bool(state.stripped.value)
        if state.is_empty:
            return 0 in self._network.reached(set(state.stripped), at_start=True, at_end=True)
        return any(map(self._network.accepts_at_end, state.stripped))

    def size(self, state: State) -> int:
        return 1 if isinstance(state.running, Fixed) else 1 + len(state.running) // _NODES_PER_STATE

    def kind(self, character: str) -> Kind:
        return (character.isspace(), *(contains(characters, character) for characters in self._sets))

    def samples(self) -> Iterator[str]:
        yield from self.texts()
        for characters in self._sets:
            for low, high in characters[:_SAMPLED_RANGES]:
                for code in (low, high, low - 1, high + 1):
                    if 0 <= code <= 0x10FFFF and not 0xD800 <= code < 0xE000:  # no half characters
                        yield chr(code)
        yield from OTHER_CHARACTERS

    def texts(self) -> Iterator[str]:
        """Yield a readable character of every set, each by itself."""
        for characters in self._sets:
            readable = next((c for c in _READABLE if contains(characters, c)), None)
            if readable is not None:
                yield readable
            elif characters and not 0xD800 <= characters[0][0] < 0xE000:
                yield chr(characters[0][0])
