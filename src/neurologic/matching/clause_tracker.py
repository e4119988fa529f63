"""The states of clauses while a text grows: from the phrases that have occurred to S1–S4.

Clauses stay out of the automaton. A hypothesis carries a bit set of phrases; this module turns
it into the paper's states, for clauses of any mix of literals and compound clauses alike.
The tracker looks only at clauses with a present phrase or a predicate, so thousands of other clauses cost
nothing.

A predicate can become true and false again. Its literal is in S4 or S2 where no further text can change its
value, otherwise in S3 or S1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_

from neurologic.bounded_table import BoundedTable
from neurologic.logic.clause_trees import alternatives
from neurologic.logic.clauses import Clause, ClauseState, Literal, Threshold, state_of_tree
from neurologic.logic.formula import Atom, Phrase
from neurologic.matching.predicates.verdict import NO_VERDICT, Verdict

_KEPT = 20_000  # remembered states; a search for one text looks at some thousand


@dataclass(frozen=True, slots=True)
class Status:
    """The states of all clauses for a partial text, summed up.

    satisfied    how many clauses are in S3 or S4
    irreversible bit set of the clauses in S4; decoders group hypotheses by it
    unsatisfied  bit set of the clauses in S1 or S2
    failed       whether some clause is in S2
    wanted       bit set of the phrases still absent that are positive literals of a clause in S1, or bring a
                 predicate of one forward
    """

    satisfied: int
    irreversible: int
    unsatisfied: int
    failed: bool
    wanted: int


def bits(mask: int) -> Iterator[int]:
    """Yield the positions of the bits that are set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class ClauseTracker:
    """States of `clauses` over phrases and predicates; bit i of a set stands for the i-th of them.

    helpers  bit set of phrases inside predicates, which are no literals
    """

    def __init__(
        self,
        clauses: Sequence[Clause],
        phrases: Sequence[Phrase],
        predicates: Sequence[Atom] = (),
        helpers: int = 0,
    ) -> None:
        self.clauses = tuple(clauses)
        self.atoms: tuple[Atom, ...] = (*phrases, *predicates)
        self._index: dict[Atom, int] = {atom: number for number, atom in enumerate(self.atoms)}
        self._first_predicate = len(phrases)
        self.predicates = ((1 << len(predicates)) - 1) << len(phrases)
        self._helpers = helpers
        self._positive: list[int] = []
        self._negative: list[int] = []
        self._touching: dict[int, int] = {}
        self._helped = [0] * len(self.atoms)
        for number, clause in enumerate(self.clauses):
            positive = negative = 0
            for literal in clause.literals:
                phrase = self._index[literal.atom]
                self._touching[phrase] = self._touching.get(phrase, 0) | 1 << number
                if literal.positive:
                    positive |= 1 << phrase
                    self._helped[phrase] |= 1 << number
                else:
                    negative |= 1 << phrase
            self._positive.append(positive)
            self._negative.append(negative)
        self._with_predicates = reduce(or_, map(self._touching_one, bits(self.predicates)), 0)
        # Where one phrase decides a clause, masks do what otherwise takes a walk through its tree.
        self._settles: dict[int, int] = {}
        self._breaks: dict[int, int] = {}
        for number, clause in enumerate(self.clauses):
            for part in alternatives(clause.root):
                if isinstance(part, Literal) and part.positive and isinstance(part.atom, Phrase):
                    phrase = self._index[part.atom]
                    if phrase < self._first_predicate:
                        self._settles[phrase] = self._settles.get(phrase, 0) | 1 << number
            if isinstance(clause.root, Literal) and not clause.root.positive:
                phrase = self._index[clause.root.atom]
                if phrase < self._first_predicate:
                    self._breaks[phrase] = self._breaks.get(phrase, 0) | 1 << number
        self._bans = reduce(or_, self._breaks.values(), 0)
        # Where each clause wants one of some phrases, or forbids all of some, no states are needed to tell
        # whether all hold, or one is broken.
        self._choices = [
            self._positive[number] for number, clause in enumerate(clauses) if _is_choice(clause)
        ]
        bans = [number for number, clause in enumerate(clauses) if _is_ban(clause)]
        self._banned = reduce(or_, (self._negative[number] for number in bans), 0)
        self._is_plain = not predicates and len(self._choices) + len(bans) == len(self.clauses)
        untouched = [self._state(number, 0, 0, NO_VERDICT) for number in range(len(self.clauses))]
        self._initial = _masks(enumerate(untouched))
        self._known: BoundedTable[tuple[int, int, Verdict], Status] = BoundedTable(_KEPT)

    @cached_property
    def wanted(self) -> int:
        """Bit set of the phrases that are a positive literal of some clause, or inside a predicate."""
        return reduce(or_, self._positive, self._helpers) & ~self.predicates

    def status(self, settled: int, provisional: int = 0, verdict: Verdict = NO_VERDICT) -> Status:
        """Return the status after `settled` phrases have occurred for certain and `provisional` ones for now.

        Provisional phrases make positive literals true, but violate no negative ones.
        """
        key = (settled, settled | provisional, verdict)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._work_out(*key)
        return known

    def at_end(self, present: int) -> Status:
        """Return the status of a text that ends with exactly these phrases and predicates true."""
        return self.status(present & ~self.predicates, 0, Verdict(present & self.predicates))

    def is_broken(self, settled: int, verdict: Verdict = NO_VERDICT) -> bool:
        """Return whether some clause is in S2 once these phrases have occurred."""
        if self._is_plain:
            return bool(settled & self._banned)
        return self.status(settled, 0, verdict).failed

    def holds(self, present: int) -> bool:
        """Return whether every clause holds of a text that ends with exactly these atoms true."""
        if self._is_plain:
            return not present & self._banned and all(choice & present for choice in self._choices)
        return not self.at_end(present).unsatisfied

    def states(
        self, settled: int, provisional: int = 0, verdict: Verdict = NO_VERDICT
    ) -> tuple[ClauseState, ...]:
        """Return the state of every clause, for traces and tests."""
        present = settled | provisional
        return tuple(self._state(number, present, settled, verdict) for number in range(len(self.clauses)))

    def helpful(self, clause: int) -> int:
        """Return the bit set of the phrases and predicates that are positive literals of the clause."""
        return self._positive[clause]

    def harmful(self, clause: int) -> int:
        """Return the bit set of the phrases and predicates that are negative literals of the clause."""
        return self._negative[clause]

    def touching(self, atoms: int) -> int:
        """Return the bit set of the clauses that have one of the phrases or predicates."""
        return reduce(or_, map(self._touching_one, bits(atoms)), 0)

    def _touching_one(self, atom: int) -> int:
        return self._touching.get(atom, 0)

    def clauses_helped_by(self, atoms: Iterable[int]) -> int:
        """Return the bit set of the clauses in which one of these atoms is a positive literal."""
        return reduce(or_, map(self._helped.__getitem__, atoms), 0)

    def _state(self, clause: int, present: int, settled: int, verdict: Verdict) -> ClauseState:
        def literal_state(literal: Literal) -> ClauseState:
            bit = self._index[literal.atom]
            if bit >= self._first_predicate:
                is_true = bool(verdict.true >> bit & 1) == literal.positive
                return _VALUES[is_true, bool(verdict.open >> bit & 1)]
            if literal.positive:
                return ClauseState.S4 if present >> bit & 1 else ClauseState.S1
            return ClauseState.S2 if settled >> bit & 1 else ClauseState.S3

        return state_of_tree(self.clauses[clause].root, literal_state)

    def _work_out(self, settled: int, present: int, verdict: Verdict) -> Status:
        touched = self.touching(present) | self._with_predicates
        s1, s2, s4 = (mask & ~touched for mask in self._initial)
        for phrase in bits(present):
            s4 |= self._settles.get(phrase, 0)
        for phrase in bits(settled):
            s2 |= self._breaks.get(phrase, 0)
        trees = touched & ~s4 & ~self._bans
        more = _masks((number, self._state(number, present, settled, verdict)) for number in bits(trees))
        s1, s2, s4 = s1 | more[0], s2 | more[1], s4 | more[2]
        helpful = reduce(or_, (self._positive[number] for number in bits(s1)), 0)
        unsatisfied = s1 | s2
        wanted = helpful & ~self.predicates & ~present
        if verdict.missing:
            for predicate in bits(helpful & self.predicates):
                wanted |= verdict.missing[predicate - self._first_predicate]
        return Status(
            satisfied=len(self.clauses) - unsatisfied.bit_count(),
            irreversible=s4,
            unsatisfied=unsatisfied,
            failed=bool(s2),
            wanted=wanted,
        )


# The state of a literal by whether it is true now and whether that can change.
_VALUES = {
    (True, True): ClauseState.S3,
    (True, False): ClauseState.S4,
    (False, True): ClauseState.S1,
    (False, False): ClauseState.S2,
}


def _is_choice(clause: Clause) -> bool:
    """Return whether a clause wants one of some phrases, and nothing else."""
    return all(isinstance(part, Literal) and part.positive for part in alternatives(clause.root))


def _is_ban(clause: Clause) -> bool:
    """Return whether a clause forbids all of some phrases, and nothing else."""
    root = clause.root
    parts = root.parts if isinstance(root, Threshold) and root.needed == len(root.parts) else (root,)
    return all(isinstance(part, Literal) and not part.positive for part in parts)


def _masks(states: Iterable[tuple[int, ClauseState]]) -> tuple[int, int, int]:
    masks = dict.fromkeys(ClauseState, 0)
    for number, state in states:
        masks[state] |= 1 << number
    return masks[ClauseState.S1], masks[ClauseState.S2], masks[ClauseState.S4]
