"""Searches as the data that the script in `static` draws: a list per field of the nodes.

Columns are half as long as an object per node. A search that still runs is told step by step: what a record
adds to the columns, see `GrowingSearch`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from neurologic.picture.layout import next_lanes
from neurologic.picture.matched_parts import matched_parts
from neurologic.picture.search_tree import Node, SearchTree, Step, TreeBuilder


def search_columns(tree: SearchTree) -> dict[str, Any]:
    """Return a search that is over."""
    fates = list(tree.whys)
    return {
        "label": tree.label,
        "prompt": tree.prompt,
        "clauses": tree.clauses,
        "settings": tree.settings,
        "groups": tree.groups,
        "fates": _fates(tree.whys),
        "lanes": tree.lanes,
        "nodes": _node_columns(tree.nodes, fates, [node.lane for node in tree.nodes]),
        "steps": [_step_fields(step) for step in tree.steps],
        "marks": {str(number): parts for number, parts in matched_parts(tree).items()},
        "texts": [
            {"text": text.text, "node": text.node, "satisfied": text.satisfied, "score": text.score}
            for text in tree.texts
        ],
    }


class GrowingSearch:
    """A search that still runs. Numbers of nodes, groups and fates are those of the whole search later."""

    def __init__(self) -> None:
        self._builder = TreeBuilder()
        self._lanes: list[int] = []
        # Where the nodes of the last step begin, whose plans the next record tells.
        self._last = 0

    def add(self, record: Mapping[str, Any]) -> dict[str, Any] | None:
        """Take a record; return what it adds, or None if it is not a step.

        The first addition has the fields of the whole search, too: its name, clauses and settings.
        """
        known = self._builder
        before = len(known.nodes), len(known.groups), len(known.whys)
        known.add(record)
        if "result" in record:
            return None
        first, groups, fates = before
        next_lanes(known.nodes, first, self._lanes)
        whole = {"label": known.label, "clauses": known.clauses, "settings": known.settings}
        addition = {
            **({} if first else whole),
            "groups": list(known.groups)[groups:],
            "fates": _fates(known.whys)[fates:],
            "lanes": 1 + max(self._lanes),
            "nodes": _node_columns(known.nodes[first:], list(known.whys), self._lanes[first:]),
            "plans": [
                [number, node.plan]
                for number, node in enumerate(known.nodes[self._last : first], self._last)
                if node.plan is not None
            ],
            "steps": [_step_fields(known.steps[-1])],
        }
        self._last = first
        return addition


def _fates(whys: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": fate, "why": why} for fate, why in whys.items()]


def _node_columns(nodes: Sequence[Node], fates: Sequence[str], lanes: Sequence[int]) -> dict[str, Any]:
    return {
        "parent": [node.parent for node in nodes],
        "step": [node.step for node in nodes],
        "piece": [node.piece for node in nodes],
        "chance": _rounded(node.chance for node in nodes),
        "logprob": _rounded(node.logprob for node in nodes),
        "score": _rounded(node.score for node in nodes),
        "group": [node.group for node in nodes],
        "states": [node.states for node in nodes],
        "fate": [fates.index(node.fate) if node.fate in fates else -1 for node in nodes],
        "alive": [int(node.is_alive) for node in nodes],
        "ends": [int(node.fate == "finished") for node in nodes],
        "forced": [int(node.forced) for node in nodes],
        "plan": [node.plan for node in nodes],
        "lane": list(lanes),
    }


def _step_fields(step: Step) -> dict[str, Any]:
    return {
        "rule": step.rule,
        "left": step.left,
        "fates": dict(step.fates),
        "groups": [
            [count.group, count.inside, count.closes, count.survivors, count.selected]
            for count in step.groups
        ],
    }


def _rounded(values: Iterable[float]) -> Sequence[float]:
    """Round to five significant digits; JSON has no infinity."""
    return [float(f"{max(value, -9999.0):.5g}") for value in values]
