"""Formulas to clauses: the conjunctive normal form that decoding works with.

`to_clauses` moves negations inwards and distributes disjunctions, as long as that stays small. Three things
stay whole, as one compound clause each: cardinalities, `!inflect(x)` (one requirement to the user), and a
disjunction that would become more than `MAX_CLAUSES` clauses or `MAX_LITERALS` literals. Duplicates,
tautologies and subsumed clauses are dropped.

A clause keeps the user's notation where it comes from just one part of the formula: `a -> b` stays `a -> b`;
`(a & b) | c` becomes `a | c` and `b | c`. This module notices a clause that is false by itself;
`contradictions` finds out whether the clauses can hold together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import product
from math import prod

from neurologic.errors import ContradictionError, FormulaError
from neurologic.limits import current_limits
from neurologic.logic.cardinality import AtLeast, AtMost, Count, Exactly
from neurologic.logic.clause_trees import alternatives, both, either, size, threshold
from neurologic.logic.clauses import Clause, Literal, Node
from neurologic.logic.constructors import any_of
from neurologic.logic.formula import And, Atom, Formula, Iff, Implies, Inflect, Not, Or, Phrase, Predicate
from neurologic.logic.wishes import split_wishes

MAX_CLAUSES = 64
MAX_LITERALS = 4096
MAX_NODES = 50_000  # in one compound clause; only nested `<->` and `exactly`, which double, come near it


def to_clauses(formula: Formula) -> tuple[Clause, ...]:
    """Return the clauses that hold together exactly when `formula` holds; wishes make none.

    >>> [clause.text for clause in to_clauses("dog" & ("frisbee" | Phrase("flying disc")) & ~Inflect("cat"))]
    ['dog', 'frisbee | "flying disc"', '!inflect(cat)']
    """
    _require_few_phrases(formula)
    clauses: list[Clause] = []
    required, _ = split_wishes(formula)
    for draft in () if required is None else _Distribution().drafts(required, True):
        root = either(draft.nodes)
        if root is False:
            text = str(formula if draft.notation is None else draft.notation)
            raise ContradictionError(f"{text} can never hold, whatever the text", (text,))
        if root is not True:
            clauses.append(Clause(root, str(draft.notation)))
        current_limits().require("clauses", len(clauses), "the formula")
    return _without_subsumed(clauses)


def _require_few_phrases(formula: Formula) -> None:
    limits = current_limits()
    different: set[Phrase] = set()
    for phrase in formula.phrases():
        different.add(phrase)
        limits.require("phrases", len(different), "the formula")


@dataclass(frozen=True, slots=True)
class _Draft:
    """A clause in the making: alternatives, and how the user wrote them."""

    nodes: tuple[Node | bool, ...]
    notations: tuple[Formula, ...]

    @property
    def notation(self) -> Formula | None:
        return any_of(*dict.fromkeys(self.notations)) if self.notations else None


_Drafts = list[_Draft]  # all of them hold together


class _Distribution:
    """One formula on its way to CNF."""

    def __init__(self) -> None:
        self.spelling: dict[Hashable, Atom] = {}
        # A side of `<->` is needed in both polarities, again and again when nested.
        self.done: dict[tuple[int, bool], _Drafts] = {}

    def drafts(self, formula: Formula, positive: bool) -> _Drafts:
        """Return the CNF of `formula`, or of its negation."""
        known = self.done.get((id(formula), positive))
        if known is None:
            known = self.done[id(formula), positive] = self.fresh_drafts(formula, positive)
        return known

    def fresh_drafts(self, formula: Formula, positive: bool) -> _Drafts:
        match formula:
            case Not(part):
                return self.drafts(part, not positive)
            case Phrase() | Predicate():
                return self.atom(formula, positive, self.literal(formula, positive))
            case Inflect():
                forms = [self.literal(form, positive) for form in formula.forms]
                return self.atom(formula, positive, either(forms) if positive else both(forms))
            case And(parts) if positive:
                return [draft for part in parts for draft in self.drafts(part, True)]
            case Or(parts) if not positive:
                return [draft for part in parts for draft in self.drafts(part, False)]
            case And(parts) | Or(parts):
                return self.disjunction(formula, positive, [self.drafts(part, positive) for part in parts])
            case Implies(left, right) if positive:
                return self.disjunction(formula, True, [self.drafts(left, False), self.drafts(right, True)])
            case Implies(left, right):
                return self.drafts(left, True) + self.drafts(right, False)
            case Iff(left, right):
                # l <-> r is (!l | r) & (l | !r); its negation is (l | r) & (!l | !r).
                first = [self.drafts(left, not positive), self.drafts(right, True)]
                second = [self.drafts(left, positive), self.drafts(right, False)]
                return self.disjunction(None, True, first) + self.disjunction(None, True, second)
            case Count():
                return self.count(formula, positive)
        raise FormulaError(f"expected a formula, not {type(formula).__name__}")

    def literal(self, atom: Atom, positive: bool) -> Literal:
        """Make a literal; "Dog" and "dog" are one phrase, under the first spelling."""
        return Literal(self.spelling.setdefault(atom.key, atom), positive)

    def atom(self, formula: Formula, positive: bool, node: Node | bool) -> _Drafts:
        return [_Draft((node,), (formula if positive else Not(formula),))]

    def disjunction(self, formula: Formula | None, positive: bool, sides: list[_Drafts]) -> _Drafts:
        """Say that one of `sides` holds; `formula` is the user's own notation of that, if there is one."""
        notation = () if formula is None else (formula if positive else Not(formula),)
        if not all(sides):
            return []  # one side is trivially true
        clauses = prod(map(len, sides))
        literals = sum(len(draft.nodes) * clauses // len(side) for side in sides for draft in side)
        if clauses > 1 and (clauses > MAX_CLAUSES or literals > MAX_LITERALS):
            return [self.compound(notation, sides)]
        return [
            _Draft(
                tuple(node for draft in choice for node in draft.nodes),
                notation
                if notation and clauses == 1
                else tuple(n for draft in choice for n in draft.notations),
            )
            for choice in product(*sides)
        ]

    def compound(self, notation: tuple[Formula, ...], sides: list[_Drafts]) -> _Draft:
        """Say the same as one clause, undistributed."""
        nodes = (node for side in sides for draft in side for node in draft.nodes)
        expected = sum(size(node) for node in nodes if not isinstance(node, bool))
        if expected > MAX_NODES:
            raise FormulaError(
                f"a part of the formula becomes larger than {MAX_NODES} literals; nested <-> and exactly(…) "
                "double with every level, so write it with fewer of them"
            )
        node = either(both(either(draft.nodes) for draft in side) for side in sides)
        if not notation:
            written = [And(tuple(d.notation for d in side if d.notation is not None)) for side in sides]
            notation = tuple(part.parts[0] if len(part.parts) == 1 else part for part in written)
        return _Draft((node,), notation)

    def count(self, formula: Count, positive: bool) -> _Drafts:
        """Turn a cardinality into one clause, unless it requires all or none of its parts."""
        n, of = formula.n, len(formula.parts)
        low = n if isinstance(formula, (AtLeast, Exactly)) else 0
        high = n if isinstance(formula, (AtMost, Exactly)) else of
        if positive and low == of:
            return [draft for part in formula.parts for draft in self.drafts(part, True)]
        if positive and high == 0:
            return [draft for part in formula.parts for draft in self.drafts(part, False)]
        # Between `low` and `high` parts hold: at least `low`, and at least `of - high` of their negations.
        if positive:
            node = both([self.counted(formula, low, True), self.counted(formula, of - high, False)])
        else:
            node = either([self.counted(formula, of - low + 1, False), self.counted(formula, high + 1, True)])
        return self.atom(formula, positive, node)

    def counted(self, formula: Count, needed: int, positive: bool) -> Node | bool:
        """Say that at least `needed` parts hold, or do not hold."""
        if not 0 < needed <= len(formula.parts):
            return needed <= 0
        trees = [both(either(draft.nodes) for draft in self.drafts(part, positive)) for part in formula.parts]
        if sum(size(tree) for tree in trees if not isinstance(tree, bool)) > MAX_NODES:
            raise FormulaError(
                f"{formula.name}({formula.n}, …) becomes larger than {MAX_NODES} literals; write it flatter"
            )
        return threshold(needed, trees)


def _without_subsumed(clauses: list[Clause]) -> tuple[Clause, ...]:
    """Drop every clause that another one, with fewer alternatives, already implies.

    File each clause under the rarest of its alternatives only, so that 5,000 forbidden words, or a word
    that appears in every clause, cost no more than a look-up each.
    """
    sets = [frozenset(alternatives(clause.root)) for clause in clauses]
    frequency = Counter(node for nodes in sets for node in nodes)
    filed: dict[Node, list[frozenset[Node]]] = {}
    kept: list[int] = []
    for index in sorted(range(len(clauses)), key=lambda index: len(sets[index])):
        nodes = sets[index]
        if not any(other <= nodes for node in nodes for other in filed.get(node, ())):
            filed.setdefault(min(nodes, key=frequency.__getitem__), []).append(nodes)
            kept.append(index)
    return tuple(clauses[index] for index in sorted(kept))
