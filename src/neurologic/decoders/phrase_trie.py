"""A trie of token sequences, and the nodes in it at which a partial text may be.

VDBA and CBS track phrases with it, so that phrases with a common beginning part only where they differ: with
"New York" and "New Zealand" required, "New" is a step towards both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from neurologic.decoders.required_phrases import Progress
from neurologic.matching.vocabulary import TokenIds

# Nodes of the trie that the last tokens of a text lead to; a phrase can always start anew from the root.
Places = tuple[int, ...]
ROOT = 0


class PhraseTrie:
    """The spellings of phrases; every node knows the phrases below it."""

    def __init__(self, spellings: Mapping[int, TokenIds]) -> None:
        self._children: list[dict[int, int]] = [{}]
        self._below: list[set[int]] = [set()]
        self._depth = [0]
        for phrase, tokens in spellings.items():
            node = ROOT
            self._below[node].add(phrase)
            for token in tokens:
                if token not in self._children[node]:
                    self._children[node][token] = len(self._children)
                    self._children.append({})
                    self._below.append(set())
                    self._depth.append(self._depth[node] + 1)
                node = self._children[node][token]
                self._below[node].add(phrase)

    def __len__(self) -> int:
        """Return the number of nodes, the root apart, at which a phrase is partly written."""
        return sum(bool(children) for children in self._children[1:])

    def next_tokens(self, places: Places, unmet: Iterable[int]) -> set[int]:
        """Return tokens that continue an unmet phrase, or begin one."""
        open_ = set(unmet)
        return {
            token
            for node in (ROOT, *places)
            for token, child in self._children[node].items()
            if self._below[child] & open_
        }

    def advance(self, places: Places, token: int, unmet: Iterable[int]) -> Places:
        """Return where a token leads to; places at which nothing is left to write are given up."""
        open_ = set(unmet)
        reached = {self._children[node].get(token, ROOT) for node in (ROOT, *places)} - {ROOT}
        return tuple(
            sorted(
                node
                for node in reached
                if any(self._below[child] & open_ for child in self._children[node].values())
            )
        )

    def progress(self, places: Places) -> Iterable[Progress]:
        """Yield the partly written phrases and how many of their tokens are written."""
        for node in places:
            for child in self._children[node].values():
                for phrase in self._below[child]:
                    yield phrase, self._depth[node]
