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
        """Search breadth-first for the nearest state that is done; remember all states on the way to it.

        A state whose distance is known is not searched again, and the search stops where nothing nearer can
        be found any more.
        """
        automaton, known = self._automaton, self._known[value]
        if not automaton.reaches(start, value):
            return math.inf
        if value and (counted := automaton.moves_left(start)) is not None:
            return max(1.0, counted)
        came_from, depths = {start: start}, {start: 0}
        queue = deque([start])
        nearest, best, left_there = start, _FAR, 0.0
        visited = _VISITED_LATER if self._is_large else _VISITED
        while queue and len(came_from) <= visited and not automaton.is_full:
            state = queue.popleft()
            if depths[state] + 1 >= best:
                break
            for move in self._moves:
                after = automaton.read(state, move)
                if after in came_from:
                    continue
                came_from[after], depths[after] = state, depths[state] + 1
                left = 0.0 if automaton.holds(after) == value else known.get(after, math.inf)
                if depths[after] + left < best:
                    nearest, best, left_there = after, depths[after] + left, left
                if math.isinf(left):
                    queue.append(after)
        if best < _FAR:
            return self._mark(came_from, nearest, left_there, known)
        self._is_large = True
        return _FAR + automaton.remaining(start)

    def _mark(self, came_from: dict[int, int], state: int, left: float, known: dict[int, float]) -> float:
        while came_from[state] != state:
            known[state] = left
            state, left = came_from[state], left + 1
        known[state] = left
        return left
