"""Aho–Corasick: all patterns that end at each position of a stream of symbols.

The automaton knows nothing of words, characters or tokens: a symbol is anything hashable. Failure links are
complete and outputs propagate along them, so that it finds "1,1,2" in "1,1,1,2", and a phrase inside another.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Sequence

ROOT = 0


class AhoCorasick:
    """An immutable automaton; nodes are integers, `ROOT` is the start.

    outputs[node]  bit set of the patterns that end at the node
    symbols[node]  the symbol that leads to the node (None at the root)
    depths[node]   how many symbols the node's path has
    passing[node]  the tracked patterns of which the node's path is a prefix
    """

    def __init__(self, patterns: Iterable[tuple[Sequence[Hashable], int]], tracked: int = 0) -> None:
        """Build from pairs of symbols and a pattern's bit; `tracked` is a bit set of patterns."""
        self.children: list[dict[Hashable, int]] = [{}]
        self.failures: list[int] = [ROOT]
        self.outputs: list[int] = [0]
        self.symbols: list[Hashable] = [None]
        self.depths: list[int] = [0]
        self.passing: list[list[int]] = [[]]
        for symbols, pattern in patterns:
            self._insert(symbols, pattern, bool(tracked >> pattern & 1))
        self._link()

    def _insert(self, symbols: Sequence[Hashable], pattern: int, track: bool) -> None:
        node = ROOT
        for symbol in symbols:
            child = self.children[node].get(symbol)
            if child is None:
                child = len(self.children)
                self.children[node][symbol] = child
                self.children.append({})
                self.failures.append(ROOT)
                self.outputs.append(0)
                self.symbols.append(symbol)
                self.depths.append(self.depths[node] + 1)
                self.passing.append([])
            node = child
            if track:
                self.passing[node].append(pattern)
        self.outputs[node] |= 1 << pattern

    def _link(self) -> None:
        queue = deque(self.children[ROOT].values())
        while queue:
            node = queue.popleft()
            for symbol, child in self.children[node].items():
                self.failures[child] = self.step(self.failures[node], symbol)
                self.outputs[child] |= self.outputs[self.failures[child]]
                queue.append(child)

    def step(self, node: int, symbol: Hashable) -> int:
        """Return the node after one more symbol: the longest path that the stream now ends with."""
        while True:
            child = self.children[node].get(symbol)
            if child is not None:
                return child
            if node == ROOT:
                return ROOT
            node = self.failures[node]

    def suffixes(self, node: int) -> Iterable[int]:
        """Yield the node and every shorter path that the stream ends with, longest first."""
        while node != ROOT:
            yield node
            node = self.failures[node]
