"""Building the and/or/count trees of clauses, simplified as they are built.

A tree is a `Node`, or `True` or `False` once its value is fixed. Simplification is local: constants,
duplicates, `a | !a`, `a & !a` and nested joins of one kind go away; a tree that is constant for deeper
reasons stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable

from neurologic.logic.clauses import Literal, Node, Threshold


def threshold(needed: int, parts: Iterable[Node | bool]) -> Node | bool:
    """At least `needed` of `parts` hold."""
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
        return _either(unfixed)
    if needed == len(unfixed):
        return _both(unfixed)
    return Threshold(needed, tuple(unfixed))


def either(parts: Iterable[Node | bool]) -> Node | bool:
    """At least one of `parts` holds."""
    return threshold(1, parts)


def both(parts: Iterable[Node | bool]) -> Node | bool:
    """All of `parts` hold."""
    listed = tuple(parts)
    return threshold(len(listed), listed)


def alternatives(root: Node) -> tuple[Node, ...]:
    """The parts of which one is enough: the literals of a plain clause, a compound clause itself."""
    return root.parts if isinstance(root, Threshold) and root.needed == 1 else (root,)


def size(node: Node) -> int:
    """How many nodes the tree has."""
    return 1 if isinstance(node, Literal) else 1 + sum([size(part) for part in node.parts])


def _either(parts: list[Node]) -> Node | bool:
    flat = dict.fromkeys(inner for part in parts for inner in alternatives(part))
    return True if _opposed(flat) else _joined(1, tuple(flat))


def _both(parts: list[Node]) -> Node | bool:
    flat: dict[Node, None] = {}
    for part in parts:
        whole = isinstance(part, Threshold) and part.needed == len(part.parts)
        flat.update(dict.fromkeys(part.parts if whole and isinstance(part, Threshold) else (part,)))
    return False if _opposed(flat) else _joined(len(flat), tuple(flat))


def _joined(needed: int, parts: tuple[Node, ...]) -> Node:
    return parts[0] if len(parts) == 1 else Threshold(needed, parts)


def _opposed(parts: dict[Node, None]) -> bool:
    """Whether a literal stands beside its own negation."""
    return any(
        isinstance(part, Literal) and not part.positive and Literal(part.phrase) in parts for part in parts
    )
