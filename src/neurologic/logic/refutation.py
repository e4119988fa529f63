"""Prove that clauses cannot hold together, by propagation and a bounded search.

The variables are phrases ("occurs" or not); clauses and containment tie them together. `refute` either finds
the clauses of a refutation, or gives up: on an assignment that satisfies everything, or after a fixed
amount of work. It never refutes clauses that some text satisfies; on the other hand, an assignment need not
belong to any text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from neurologic.logic.clauses import Literal, Node, Threshold, leaves
from neurologic.logic.formula import Atom

MAX_WORK = 400_000  # tree nodes looked at, about half a second
_COUNTS_COMPARED = 50

Core = frozenset[int]
Containment = Mapping[Atom, frozenset[Atom]]


def refute(roots: Sequence[Node], contains: Containment) -> Core | None:
    """Return the indices of clauses that cannot hold together, or None if it finds none."""
    try:
        return _Refutation(roots, contains).core()
    except _OutOfWork:
        return None


class _OutOfWork(Exception):
    pass


@dataclass(frozen=True, slots=True)
class _Reason:
    """Why a phrase has its value: a clause (None for containment), given the values of other phrases."""

    clause: int | None
    given: tuple[Atom, ...]


class _Refutation:
    def __init__(self, roots: Sequence[Node], contains: Containment) -> None:
        self.roots = roots
        self.phrases = [tuple(dict.fromkeys(literal.atom for literal in leaves(root))) for root in roots]
        self.used_in: dict[Atom, list[int]] = {}
        for index, phrases in enumerate(self.phrases):
            for phrase in phrases:
                self.used_in.setdefault(phrase, []).append(index)
        self.contains = contains
        self.contained_in: dict[Atom, list[Atom]] = {}
        for outer, inside in contains.items():
            for inner in inside:
                self.contained_in.setdefault(inner, []).append(outer)
        self.values: dict[Atom, bool] = {}
        self.reasons: dict[Atom, _Reason | None] = {}  # None: a decision of the search
        self.work = 0

    def core(self) -> Core | None:
        conflict = self.propagate(range(len(self.roots)))
        if conflict is not None:
            return self.explain(conflict)[0]
        counted = self.counting_conflict()
        if counted is not None:
            return counted
        components = self.components()
        self.work = 0  # propagation is quick and always done in full
        for component in components:
            core = self.search(component, 0)
            if core is not None:
                return core
        return None

    # -- propagation ---------------------------------------------------------------------------------

    def propagate(self, clauses: Iterable[int]) -> _Reason | None:
        """Draw all forced conclusions; return the reason of a conflict if there is one.

        Visit clauses in rounds, each once a round however many of its phrases changed, so that no clause of
        thousands of alternatives takes thousands of walks.
        """
        changed = set(clauses)
        while changed:
            forced: list[tuple[Literal, _Reason]] = []
            for index in sorted(changed):
                value = self.value(self.roots[index])
                if value is False:
                    return self.reason(index)
                if value is None:
                    literals: list[Literal] = []
                    self.force(self.roots[index], literals)
                    if literals:
                        reason = self.reason(index)
                        forced += [(literal, reason) for literal in literals]
            changed = set()
            for literal, reason in forced:
                conflict = self.assign(literal.atom, literal.positive, reason, changed)
                if conflict is not None:
                    return conflict
        return None

    def assign(self, phrase: Atom, value: bool, reason: _Reason | None, changed: set[int]) -> _Reason | None:
        """Set a phrase and all that follows from containment; collect the clauses that this touches."""
        waiting = [(phrase, value, reason)]
        while waiting:
            phrase, value, reason = waiting.pop()
            if phrase in self.values:
                if self.values[phrase] == value:
                    continue
                return _Reason(reason.clause, (*reason.given, phrase)) if reason else _Reason(None, (phrase,))
            self.values[phrase] = value
            self.reasons[phrase] = reason
            changed.update(self.used_in.get(phrase, ()))
            # If a phrase occurs, so do the phrases inside it;
            # if it is absent, so are the phrases that contain it.
            others = self.contains.get(phrase, ()) if value else self.contained_in.get(phrase, ())
            waiting += [(other, value, _Reason(None, (phrase,))) for other in others]
        return None

    def value(self, node: Node) -> bool | None:
        """Return True, False, or None while the node is open."""
        self.work += 1
        if isinstance(node, Literal):
            known = self.values.get(node.atom)
            return None if known is None else known == node.positive
        true = undecided = 0
        for part in node.parts:
            known = self.value(part)
            true += known is True
            undecided += known is None
        if true >= node.needed:
            return True
        return None if true + undecided >= node.needed else False

    def force(self, node: Node, literals: list[Literal]) -> None:
        """Collect the open literals without which `node`, itself open, cannot be true."""
        if isinstance(node, Literal):
            literals.append(node)
            return
        values = [self.value(part) for part in node.parts]
        if len(node.parts) - values.count(False) == node.needed:
            for part, value in zip(node.parts, values, strict=True):
                if value is None:
                    self.force(part, literals)

    def reason(self, clause: int) -> _Reason:
        return _Reason(clause, tuple(phrase for phrase in self.phrases[clause] if phrase in self.values))

    def explain(self, conflict: _Reason) -> tuple[Core, bool]:
        """Return the clauses behind a conflict, and whether any decision had a part in it."""
        clauses: set[int] = set()
        seen: set[Atom] = set()
        waiting: list[_Reason] = [conflict]
        decisions: set[Atom] = set()
        while waiting:
            reason = waiting.pop()
            if reason.clause is not None:
                clauses.add(reason.clause)
            for phrase in reason.given:
                if phrase not in seen:
                    seen.add(phrase)
                    behind = self.reasons[phrase]
                    if behind is None:
                        decisions.add(phrase)
                    else:
                        waiting.append(behind)
        return frozenset(clauses), bool(decisions)

    def counting_conflict(self) -> Core | None:
        """Find two counts that clash, such as at least 5 and at most 4 of the same ten.

        Of a phrase and its negation exactly one holds. So at most (all parts − shared pairs) can hold, and
        two counts that need more clash. Trying out values would take exponentially long to see that.
        """
        counts = [
            (index, *self.residue(node)) for index, root in enumerate(self.roots) for node in _counts(root)
        ]
        for (index, needed, parts), (other, also_needed, others) in combinations(
            counts[:_COUNTS_COMPARED], 2
        ):
            shared = sum(
                min(times, others[Literal(part.atom, not part.positive)])
                for part, times in parts.items()
                if isinstance(part, Literal)
            )
            if needed + also_needed > parts.total() + others.total() - shared:
                return self.explain(self.reason(index))[0] | self.explain(self.reason(other))[0]
        return None

    def residue(self, count: Threshold) -> tuple[int, Counter[Node]]:
        """Return how much a count still needs, and the open parts it may come from."""
        values = [(part, self.value(part)) for part in count.parts]
        reached = sum(value is True for _, value in values)
        return count.needed - reached, Counter(part for part, value in values if value is None)

    # -- search --------------------------------------------------------------------------------------

    def search(self, component: list[int], depth: int) -> Core | None:
        """Refute the open clauses of a component by trying both values of a phrase."""
        open_clauses = [index for index in component if self.value(self.roots[index]) is None]
        if not open_clauses or self.satisfied_by_default(open_clauses):
            return None
        if self.work > MAX_WORK or depth == 200:  # the depth stays below Python's recursion limit
            raise _OutOfWork
        phrase = self.most_used_phrase(open_clauses)
        core: Core = frozenset()
        for value in (True, False):
            before = len(self.values)
            changed: set[int] = set()
            conflict = self.assign(phrase, value, None, changed) or self.propagate(changed)
            if conflict is not None:
                branch, decided = self.explain(conflict)
            else:
                found = self.search(open_clauses, depth + 1)
                if found is None:
                    return None
                branch, decided = found, True
            self.forget(before)
            if not decided:
                return branch
            core |= branch
        return core

    def satisfied_by_default(self, clauses: list[int]) -> bool:
        """Return whether making all open phrases occur, or none of them, satisfies the clauses.

        Both respect containment, since propagation has already dealt with the phrases that have a value.
        """
        return any(all(self.holds(self.roots[index], value) for index in clauses) for value in (True, False))

    def holds(self, node: Node, default: bool) -> bool:
        self.work += 1
        if isinstance(node, Literal):
            return self.values.get(node.atom, default) == node.positive
        count = 0
        for part in node.parts:
            count += self.holds(part, default)
            if count >= node.needed:
                return True
        return False

    def most_used_phrase(self, clauses: list[int]) -> Atom:
        """Return the open phrase that appears in most of the shortest open clauses."""
        open_phrases = [[p for p in self.phrases[index] if p not in self.values] for index in clauses]
        shortest = min(map(len, open_phrases))
        counts: dict[Atom, int] = {}
        for phrases in open_phrases:
            for phrase in phrases if len(phrases) == shortest else ():
                counts[phrase] = counts.get(phrase, 0) + 1
        return max(counts, key=counts.__getitem__)

    def forget(self, keep: int) -> None:
        while len(self.values) > keep:
            phrase, _ = self.values.popitem()
            del self.reasons[phrase]

    def components(self) -> list[list[int]]:
        """Split the open clauses into groups that share no open phrase; each can be decided alone."""
        unseen = dict.fromkeys(index for index, root in enumerate(self.roots) if self.value(root) is None)
        visited: set[Atom] = set(self.values)
        groups: list[list[int]] = []
        while unseen:
            waiting = [unseen.popitem()[0]]
            group: list[int] = []
            while waiting:
                index = waiting.pop()
                group.append(index)
                phrases = [phrase for phrase in self.phrases[index] if phrase not in visited]
                while phrases:
                    phrase = phrases.pop()
                    if phrase in visited:
                        continue
                    visited.add(phrase)
                    near = [other for other in self.used_in.get(phrase, ()) if other in unseen]
                    for other in near:
                        del unseen[other]
                    waiting += near
                    phrases += [*self.contains.get(phrase, ()), *self.contained_in.get(phrase, ())]
            groups.append(sorted(group))
        return groups


def _counts(root: Node) -> list[Threshold]:
    """Return the counts that must hold for `root` to hold; a plain clause has none."""
    if isinstance(root, Literal) or root.needed == 1:
        return []
    if root.needed < len(root.parts):
        return [root]
    return [part for part in root.parts if isinstance(part, Threshold)]
