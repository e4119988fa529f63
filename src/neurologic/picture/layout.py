"""Where to draw the nodes of a search: steps are columns, and every living hypothesis has a lane.

The best text keeps the first lane from its first token to its last. Every other hypothesis goes on in the
lane of the text that it continues, or takes the nearest free one. So at most as many lanes are in use as
texts live at the same time, and a line that goes on straight is a text that goes on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Protocol


class Placed(Protocol):
    """What the layout needs to know of a node."""

    @property
    def parent(self) -> int: ...
    @property
    def step(self) -> int: ...
    @property
    def score(self) -> float: ...
    @property
    def is_alive(self) -> bool: ...


def lanes_of(nodes: Sequence[Placed], best: int = -1) -> list[int]:
    """Return the lane of every node; those that never lived are drawn beside their parent.

    nodes  in the order of their steps, the root first
    best   the node where the best text ends; -1 if nobody knows
    """
    reach = _reach(nodes, best)
    lanes = [0] * len(nodes)
    columns: dict[int, list[int]] = defaultdict(list)
    for number, node in enumerate(nodes):
        if node.is_alive and number:
            columns[node.step].append(number)
    width = max(map(len, columns.values()), default=1)
    for step in sorted(columns):
        _place(columns[step], nodes, reach, lanes, width)
    for number, node in enumerate(nodes):
        if not node.is_alive:
            lanes[number] = lanes[node.parent]
    return lanes


def next_lanes(nodes: Sequence[Placed], first: int, lanes: list[int]) -> None:
    """Give lanes to the nodes of one more step, which begin at `first`; those before keep theirs.

    Nobody knows yet which of them come far, so those with the best scores go on straight.
    """
    new = range(max(1, first), len(nodes))  # the root has the first lane
    column = [number for number in new if nodes[number].is_alive]
    lanes += [0] * (len(nodes) - len(lanes))
    _place(column, nodes, [0.0] * len(nodes), lanes, max(len(column), 1 + max(lanes)))
    for number in new:
        if not nodes[number].is_alive:
            lanes[number] = lanes[nodes[number].parent]


def _reach(nodes: Sequence[Placed], best: int) -> list[float]:
    """Return how far the descendants of every node come; the best text comes further than all others."""
    reach = [float(node.step) if node.is_alive else -1.0 for node in nodes]
    if best >= 0:
        reach[best] = float("inf")
    for number in range(len(nodes) - 1, 0, -1):
        parent = nodes[number].parent
        reach[parent] = max(reach[parent], reach[number])
    return reach


def _place(
    column: list[int], nodes: Sequence[Placed], reach: Sequence[float], lanes: list[int], width: int
) -> None:
    """Give the nodes of a step their lanes: first those that go on straight, then the others.

    No step has more than `width` nodes, so one of as many lanes is always free.
    """
    ranked = sorted(column, key=lambda number: (-reach[number], -nodes[number].score))
    taken: set[int] = set()
    waiting: list[int] = []
    for number in ranked:
        lane = lanes[nodes[number].parent]
        if lane in taken:
            waiting.append(number)
        else:
            lanes[number] = lane
            taken.add(lane)
    for number in waiting:
        wish = lanes[nodes[number].parent]
        lane = min(
            (lane for lane in range(width) if lane not in taken),
            key=lambda lane: (abs(lane - wish), lane),
        )
        lanes[number] = lane
        taken.add(lane)
