"""How far a predicate is from a truth value, counted in pieces of text that a plan may write.

The guide of a predicate explores the graph of its automaton over a few *moves*: filler words, punctuation,
line breaks, the phrases inside the predicate, single characters of an expression. The distances only put a
planner's attempts into a good order; whether a plan works is checked elsewhere, token by token.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

from neurologic.matching.predicates.text_automaton import TextAutomaton

# States that one exploration visits, and later ones once that was not enough. Longer ways are estimated:
# every counter says what it still needs.
_VISITED = 2500
_VISITED_LATER = 60
_FAR = 1000.0


class Guide:
    """Distances of one automaton's states, remembered."""

    def __init__(self, automaton: TextAutomaton, moves: Sequence[str]) -> None:
        self._automaton = automaton
        self._moves = tuple(moves)
        self._is_large = False
        self._known: tuple[dict[int, float], dict[int, float]] = ({}, {})

    def distance(self, state: int, value: bool) -> float:
        """Return about how many moves make the predicate `value`; infinite if no text does."""
        if self._automaton.holds(state) == value:
            return 0.0
        known = self._known[value].get(state)
        if known is None:
            known = self._known[value][state] = self._find(state, value)
        return known

    def _find(self, start: int, value: bool) -> float:
        """Search breadth-first, up to a state that is done or known; remember all states on the way to it."""
        automaton, known = self._automaton, self._known[value]
        if not automaton.reaches(start, value):
            return math.inf
        if value and (counted := automaton.moves_left(start)) is not None:
            return max(1.0, counted)
        came_from = {start: start}
        queue = deque([start])
        visited = _VISITED_LATER if self._is_large else _VISITED
        while queue and len(came_from) <= visited and not automaton.is_full:
            state = queue.popleft()
            for move in self._moves:
                after = automaton.read(state, move)
                if after in came_from:
                    continue
                came_from[after] = state
                left = 0.0 if automaton.holds(after) == value else known.get(after, math.inf)
                if left < _FAR:
                    return self._mark(came_from, after, left, known)
                queue.append(after)
        self._is_large = True
        return _FAR + automaton.remaining(start)

    def _mark(self, came_from: dict[int, int], state: int, left: float, known: dict[int, float]) -> float:
        while came_from[state] != state:
            known[state] = left
            state, left = came_from[state], left + 1
        known[state] = left
        return left
