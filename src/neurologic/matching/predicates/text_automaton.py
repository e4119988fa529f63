"""A machine made fast: numbered states, remembered steps, and what can still become of each state.

States and steps are made lazily, when a text or a question first needs them.

**Reachability.** `can_change` asks whether some continuation gives the predicate the other truth value. It
searches the graph of states over one sample of every kind of character, so the answer is exact. Only where
the graph is larger than a limit does it answer yes without proof; that is sound, since a value that is
thought reversible only costs the search some foresight.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from threading import RLock

from neurologic.limits import current_limits
from neurologic.logic.formula import Phrase
from neurologic.matching.predicates.machine import Fixed, Kind, Machine, State, value_of

# States that a question about reachability looks at before it assumes the usual answer, and how many once
# that has happened: then the graph is known to be large.
_LOOKED_AT = 6_000
_LOOKED_AT_LATER = 200


class TextAutomaton:
    """The lazy deterministic automaton of one machine. Thread-safe."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._states: list[State] = []
        self._numbers: dict[State, int] = {}
        self._rows: list[dict[int, int]] = []
        self._holds: list[bool] = []
        self._kinds: dict[str, int] = {}
        self._numbered_kinds: dict[Kind, int] = {}
        self._samples: list[tuple[int, str]] | None = None
        self._reaches: tuple[dict[int, bool], dict[int, bool]] = ({}, {})
        self._is_large = False
        self._size = 0
        self._most = current_limits().automaton_states
        self._lock = RLock()
        self.start = self._number(machine.start())

    def __len__(self) -> int:
        """Return how many states are known."""
        return len(self._states)

    @property
    def is_full(self) -> bool:
        """Whether it has as many states as the limit allows; then questions may make no more of them."""
        return self._size > self._most

    def start_after(self, before: str) -> int:
        """Return the state of the empty text directly after another one."""
        return self._number(self.machine.start_after(before))

    def step(self, state: int, character: str) -> int:
        """Return the state after one more character."""
        kind = self._kinds.get(character)
        if kind is None:
            kind = self._classify(character)
        row = self._rows[state]
        after = row.get(kind)
        if after is None:
            made = self._states[state]
            after = state if isinstance(made, Fixed) else self._number(self.machine.step(made, character))
            row[kind] = after
        return after

    def read(self, state: int, characters: str) -> int:
        """Return the state after several characters."""
        for character in characters:
            state = self.step(state, character)
        return state

    def holds(self, state: int) -> bool:
        """Return whether the predicate is true of the text if it ends here."""
        return self._holds[state]

    def can_change(self, state: int) -> bool:
        """Return whether some continuation has the other truth value."""
        return self.reaches(state, not self._holds[state])

    def missing(self, state: int) -> Iterator[Phrase]:
        """Yield phrases that, if written next, bring the predicate forward."""
        made = self._states[state]
        return iter(()) if isinstance(made, Fixed) else self.machine.missing(made)

    def remaining(self, state: int) -> float:
        """Return about how many units or characters the predicate still needs."""
        made = self._states[state]
        return 0.0 if isinstance(made, Fixed) else self.machine.remaining(made)

    def moves_left(self, state: int) -> float | None:
        """Return about how many of the predicate's texts make it true; None if only a search can tell."""
        made = self._states[state]
        return None if isinstance(made, Fixed) else self.machine.moves_left(made)

    def stage(self, state: int) -> int:
        """Return how many units the text has completed, where the predicate counts them; else 0."""
        made = self._states[state]
        return -1 if isinstance(made, Fixed) else self.machine.stage(made)

    def reaches(self, state: int, value: bool) -> bool:
        """Return whether some continuation, the empty one included, makes the predicate `value`."""
        if self._holds[state] == value:
            return True
        if isinstance(self._states[state], Fixed):
            return False
        known = self._reaches[value].get(state)
        return self._search(state, value) if known is None else known

    def way(self, state: int, value: bool) -> str | None:
        """Return a shortest continuation that makes the predicate `value`; None if none is found."""
        written = {state: ""}
        queue = deque([state])
        while queue and len(written) <= _LOOKED_AT and not self.is_full:
            state = queue.popleft()
            if self._holds[state] == value:
                return written[state]
            for _, sample in self._each_sample():
                after = self.step(state, sample)
                if after not in written:
                    written[after] = written[state] + sample
                    queue.append(after)
        return None

    def _search(self, start: int, value: bool) -> bool:
        """Search depth-first for a state with the value; remember the answer for all states on the way."""
        known = self._reaches[value]
        came_from: dict[int, int] = {start: start}
        stack = [start]
        limit = _LOOKED_AT_LATER if self._is_large else _LOOKED_AT
        while stack:
            state = stack.pop()
            if self._holds[state] == value or known.get(state):
                self._mark_path(came_from, state, known)
                return True
            if known.get(state) is False:
                continue
            if len(came_from) > limit or self.is_full:
                self._is_large = True
                known[start] = True
                return True
            for _, sample in reversed(self._each_sample()):
                after = self.step(state, sample)
                if after not in came_from:
                    came_from[after] = state
                    stack.append(after)
        for state in came_from:
            known.setdefault(state, False)
        return False

    def _mark_path(self, came_from: dict[int, int], state: int, known: dict[int, bool]) -> None:
        while True:
            known[state] = True
            if came_from[state] == state:
                return
            state = came_from[state]

    def _each_sample(self) -> list[tuple[int, str]]:
        """Return one character of every kind."""
        if self._samples is None:
            samples: dict[int, str] = {}
            for character in self.machine.samples():
                samples.setdefault(self._classify(character), character)
            self._samples = list(samples.items())
        return self._samples

    def _classify(self, character: str) -> int:
        with self._lock:
            kind = self._numbered_kinds.setdefault(self.machine.kind(character), len(self._numbered_kinds))
        self._kinds[character] = kind
        return kind

    def _number(self, state: State) -> int:
        number = self._numbers.get(state)
        if number is None:
            with self._lock:
                number = self._numbers.get(state)
                if number is None:
                    number = len(self._states)
                    self._size += 1 if isinstance(state, Fixed) else self.machine.size(state)
                    self._holds.append(value_of(self.machine, state))
                    self._rows.append({})
                    self._states.append(state)
                    self._numbers[state] = number
        return number
