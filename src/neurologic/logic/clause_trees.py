"""Build the and/or/count trees of clauses, and simplify them on the way.

A tree is a `Node`, or `True` or `False` once its value is fixed. Simplification is local: it removes
constants, duplicates, `a | !a`, `a & !a` and nested joins of one kind; a tree that is constant for deeper
reasons stays as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from neurologic.logic.clauses import Literal, Node, Threshold


def threshold(needed: int, parts: Iterable[Node | bool]) -> Node | bool:
    """Return a tree that says: at least `needed` of `parts` hold."""
    unfixed: list[Node] = []
    for part in parts:
        if part is True:
            needed -= 1
        elif part is not False:
            unfixed.append(part)
    if needed <= 0:
        return True
    if needed > len(unfixed):
        return False
    if needed == 1:
        disjuncts = dict.fromkeys(inner for part in unfixed for inner in alternatives(part))
        return True if _opposed(disjuncts) else _joined(1, tuple(disjuncts))
    if needed == len(unfixed):
        conjuncts = dict.fromkeys(inner for part in unfixed for inner in _conjuncts(part))
        return False if _opposed(conjuncts) else _joined(len(conjuncts), tuple(conjuncts))
    return Threshold(needed, tuple(unfixed))


def either(parts: Iterable[Node | bool]) -> Node | bool:
    """Return a tree that says: at least one of `parts` holds."""
    return threshold(1, parts)


def both(parts: Iterable[Node | bool]) -> Node | bool:
    """Return a tree that says: all of `parts` hold."""
    listed = tuple(parts)
    return threshold(len(listed), listed)


def alternatives(root: Node) -> tuple[Node, ...]:
    """Return the parts of which one is enough: the literals of a plain clause, a compound clause itself."""
    return root.parts if isinstance(root, Threshold) and root.needed == 1 else (root,)


def size(node: Node) -> int:
    """Return how many nodes the tree has."""
    return 1 if isinstance(node, Literal) else 1 + sum([size(part) for part in node.parts])


def _conjuncts(node: Node) -> tuple[Node, ...]:
    """Return the parts that must all hold: those of a conjunction, any other node itself."""
    return node.parts if isinstance(node, Threshold) and node.needed == len(node.parts) else (node,)


def _joined(needed: int, parts: tuple[Node, ...]) -> Node:
    return parts[0] if len(parts) == 1 else Threshold(needed, parts)


def _opposed(parts: Collection[Node]) -> bool:
    """Return whether a literal appears together with its own negation."""
    return any(
        isinstance(part, Literal) and not part.positive and Literal(part.atom) in parts for part in parts
    )
