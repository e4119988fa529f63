"""Clauses in the form that a SAT solver reads: numbered variables, lists of signed numbers.

Every atom is a variable ("occurs" or not). An inner node of a clause tree gets a variable that *implies* it:
trees have no negation above their literals, so the other direction is never needed. A count becomes a
totaliser. Sums of two counts that share atoms are added as counts of their own: a solver of clauses cannot
add up, and would try out for ever that five of ten and six of the same ten absent is one too many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from neurologic.logic.clauses import Literal, Node, Threshold
from neurologic.logic.formula import Atom

Implications = Mapping[Atom, frozenset[Atom]]
Disjunction = tuple[Literal, ...]

# Pairs of counts are compared up to this many counts, and these sums encoded up to this many parts each.
_COUNTS_COMPARED = 50
_PARTS_ADDED_UP = 2_000
_FEWEST_SHARED = 3  # atoms; with fewer in common the solver needs no help
# A plain totaliser propagates best but grows with the square of its parts; beyond, take a compact one.
_PLAINLY_COUNTED = 200


class Encoding:
    """The clauses of one problem; grows while `add_root` and the others are called.

    clauses  disjunctions of signed variables that must all hold
    atoms    the variable of every atom
    """

    def __init__(self) -> None:
        self.clauses: list[list[int]] = []
        self.atoms: dict[Atom, int] = {}
        self._nodes: dict[Threshold, int] = {}
        self._last = 0

    def add_root(self, root: Node) -> int:
        """Return a literal that implies `root`; assume it to require the root."""
        selector = self.fresh()
        if isinstance(root, Threshold) and root.needed == 1:
            self.clauses.append([-selector, *map(self._literal_of, root.parts)])
        else:
            self.clauses.append([-selector, self._literal_of(root)])
        return selector

    def add_implications(self, implications: Implications) -> None:
        """Say that an atom that occurs brings others with it."""
        for outer, inside in implications.items():
            self.clauses += ([-self.variable(outer), self.variable(inner)] for inner in inside)

    def add_disjunctions(self, disjunctions: Iterable[Disjunction]) -> None:
        """Say that one literal of each disjunction holds, whatever the text."""
        for literals in disjunctions:
            self.clauses.append([self._literal_of(literal) for literal in literals])

    def add_sums(self, roots: Sequence[Node], selectors: Sequence[int]) -> None:
        """Add what two counts of different roots say together.

        Of an atom and its negation exactly one holds. So if one count needs m of its parts, another n of its
        own, and s atoms are in the first and negated in the second, then m + n - s of the rest must hold.
        """
        counts = [
            (selector, count, frozenset(part for part in count.parts if isinstance(part, Literal)))
            for root, selector in zip(roots, selectors, strict=True)
            for count in _required_counts(root)
        ][:_COUNTS_COMPARED]
        negated = [frozenset(Literal(part.atom, not part.positive) for part in own) for _, _, own in counts]
        for one, other in combinations(range(len(counts)), 2):
            if len(counts[one][2] & negated[other]) >= _FEWEST_SHARED:
                self._add_sum(*counts[one][:2], *counts[other][:2])

    def _add_sum(self, first: int, one: Threshold, second: int, other: Threshold) -> None:
        rest, needed = _sum_of(one, other)
        condition = [-first, -second]
        if needed > len(rest):
            self.clauses.append(condition)
        elif needed > 0 and len(rest) <= _PARTS_ADDED_UP:
            self._at_least(needed, [self._literal_of(part) for part in rest], condition)

    def variable(self, atom: Atom) -> int:
        """Return the variable of an atom."""
        known = self.atoms.get(atom)
        if known is None:
            known = self.atoms[atom] = self.fresh()
        return known

    def fresh(self) -> int:
        """Return a new variable."""
        self._last += 1
        return self._last

    def _literal_of(self, node: Node) -> int:
        """Return a literal that implies the node (and is equivalent to it where the node is a literal)."""
        if isinstance(node, Literal):
            return self.variable(node.atom) if node.positive else -self.variable(node.atom)
        known = self._nodes.get(node)
        if known is None:
            known = self._nodes[node] = self.fresh()
            self._at_least(node.needed, [self._literal_of(part) for part in node.parts], [-known])
        return known

    def _at_least(self, needed: int, parts: list[int], condition: list[int]) -> None:
        """Say that `needed` of `parts` hold, or one of `condition` does."""
        if needed == 1:
            self.clauses.append([*condition, *parts])
        elif needed == len(parts):
            self.clauses += ([*condition, part] for part in parts)
        else:
            from pysat.card import CardEnc, EncType  # costs time, and most formulas have no counts

            small = len(parts) <= _PLAINLY_COUNTED
            kind = EncType.totalizer if small else EncType.kmtotalizer
            encoded = CardEnc.atleast(lits=parts, bound=needed, top_id=self._last, encoding=kind)
            self._last = max(self._last, encoded.nv)
            self.clauses += ([*condition, *clause] for clause in encoded.clauses)


def _required_counts(root: Node) -> list[Threshold]:
    """Return the counts that must hold for `root` to hold; a plain clause has none."""
    if isinstance(root, Literal) or root.needed == 1:
        return []
    if root.needed < len(root.parts):
        return [root]
    return [part for part in root.parts if isinstance(part, Threshold) and part.needed > 1]


def _sum_of(one: Threshold, other: Threshold) -> tuple[list[Node], int]:
    """Return the parts of two counts without the atoms that cancel out, and how many of them must hold."""
    left = Counter(one.parts)
    rest: list[Node] = []
    shared = 0
    for part in other.parts:
        opposite = Literal(part.atom, not part.positive) if isinstance(part, Literal) else None
        if opposite is not None and left[opposite] > 0:
            left[opposite] -= 1
            shared += 1
        else:
            rest.append(part)
    return [*left.elements(), *rest], one.needed + other.needed - shared
