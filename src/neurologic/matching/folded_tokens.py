"""The tokens of a vocabulary in small letters, to look up which of them spell a given text.

All pieces stand in one string, so a look-up is a search of that string. Only ASCII is folded: this is for
word lists of the library's own. Phrases of users go through `aho_corasick`, which folds all of Unicode.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from neurologic.bounded_table import BoundedTable

# Small letters, and white space as a space; lengths stay.
_FOLDED = bytes.maketrans(b"\t\n\v\f\r", b"     ")
_KEPT = 2_000  # texts that were looked up
# Stands between pieces. A piece that has it itself finds no neighbour, since no text to look up has it.
_BETWEEN = b"\0"


def folded(text: bytes) -> bytes:
    r"""Return a text in small letters, with spaces for all white space.

    >>> folded(b"An AI\nmodel")
    b'an ai model'
    """
    return text.lower().translate(_FOLDED)


class FoldedTokens:
    """The folded pieces of a vocabulary."""

    def __init__(self, pieces: Sequence[bytes | None]) -> None:
        self._joined = _BETWEEN + folded(_BETWEEN.join(piece or b"" for piece in pieces)) + _BETWEEN
        lengths = np.array([len(piece or b"") + 1 for piece in pieces], dtype=np.int64)
        self._starts = np.cumsum(lengths) - lengths + 1
        self._containing: BoundedTable[bytes, tuple[tuple[int, bytes, bytes], ...]] = BoundedTable(_KEPT)

    def containing(self, text: bytes) -> tuple[tuple[int, bytes, bytes], ...]:
        """Return every token that contains a folded text, with what stands before and after it in the piece.

        A token that contains it several times comes several times.
        """
        known = self._containing.get(text)
        if known is None:
            known = self._containing[text] = tuple(self._found(text, skip=0))
        return known

    def beginning_with(self, text: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield every token that begins with a folded text, with the rest of the piece."""
        for token, before, after in self._found(_BETWEEN + text, skip=1):
            if not before:
                yield token, after

    def _found(self, text: bytes, skip: int) -> Iterator[tuple[int, bytes, bytes]]:
        place = self._joined.find(text)
        while place >= 0:
            begin, end = place + skip, place + len(text)
            token = int(np.searchsorted(self._starts, begin, side="right")) - 1
            start = int(self._starts[token])
            yield token, self._joined[start:begin], self._joined[end : self._joined.index(_BETWEEN, end)]
            place = self._joined.find(text, place + 1)
