"""Boolean combinations of machines, for formulas inside quantifiers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from neurologic.logic.clauses import Literal, Node
from neurologic.logic.formula import Atom, Phrase
from neurologic.matching.predicates.machine import Fixed, Kind, Machine, State, fixed, stepped, value_of


class Combination(Machine):
    """All of some trees of literals hold; `machines` has one for every atom."""

    def __init__(self, roots: Sequence[Node], machines: dict[Atom, Machine]) -> None:
        self._roots = tuple(roots)
        self._machines = tuple(machines.values())
        self._index = {atom: number for number, atom in enumerate(machines)}

    def start(self) -> State:
        return self._settled(tuple(machine.start() for machine in self._machines))

    def step(self, state: State, character: str) -> State:
        return self._settled(
            tuple(
                stepped(machine, inner, character)
                for machine, inner in zip(self._machines, state, strict=True)
            )
        )

    def _settled(self, states: tuple[State, ...]) -> State:
        """Return `Fixed` where the atoms whose value is fixed decide; other fixed atoms stay as they are."""
        verdicts = [self._verdict(root, states) for root in self._roots]
        if None not in verdicts:
            return fixed(all(verdicts))
        return Fixed.FALSE if False in verdicts else states

    def _verdict(self, node: Node, states: tuple[State, ...]) -> bool | None:
        if isinstance(node, Literal):
            state = states[self._index[node.atom]]
            return state.value == node.positive if isinstance(state, Fixed) else None
        verdicts = [self._verdict(part, states) for part in node.parts]
        if verdicts.count(True) >= node.needed:
            return True
        return None if len(verdicts) - verdicts.count(False) >= node.needed else False

    def holds(self, state: State) -> bool:
        return all(self._value(root, state) for root in self._roots)

    def _value(self, node: Node, states: tuple[State, ...]) -> bool:
        if isinstance(node, Literal):
            number = self._index[node.atom]
            return value_of(self._machines[number], states[number]) == node.positive
        return sum(self._value(part, states) for part in node.parts) >= node.needed

    def kind(self, character: str) -> Kind:
        return tuple(machine.kind(character) for machine in self._machines)

    def samples(self) -> Iterator[str]:
        for machine in self._machines:
            yield from machine.samples()

    def missing(self, state: State) -> Iterator[Phrase]:
        for root in self._roots:
            if not self._value(root, state):
                yield from self._missing(root, state)

    def _missing(self, node: Node, states: tuple[State, ...]) -> Iterator[Phrase]:
        if not isinstance(node, Literal):
            for part in node.parts:
                if not self._value(part, states):
                    yield from self._missing(part, states)
        elif node.positive:
            number = self._index[node.atom]
            if not isinstance(states[number], Fixed):
                yield from self._machines[number].missing(states[number])

    def phrases(self) -> Iterator[Phrase]:
        for machine in self._machines:
            yield from machine.phrases()

    def texts(self) -> Iterator[str]:
        for machine in self._machines:
            yield from machine.texts()
