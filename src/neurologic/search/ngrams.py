"""N-gram blocking: the tokens that would repeat an n-gram of the text so far."""

from __future__ import annotations

from collections.abc import Iterator

from neurologic.matching.vocabulary import TokenIds


class Ngrams:
    """The n-grams of the tokens before a text, and those of the text itself as it grows.

    >>> list(Ngrams((1, 2, 3), 2).repeated_after((4, 2)))
    [3]
    >>> list(Ngrams((1, 2), 2).repeated_after((3, 4, 3)))
    [4]
    """

    def __init__(self, earlier: TokenIds, size: int) -> None:
        self._size = size
        self._following: dict[TokenIds, list[int]] = {}
        for start in range(len(earlier) - size + 1 if size else 0):
            *first, last = earlier[start : start + size]
            self._following.setdefault(tuple(first), []).append(last)
        # The n-grams that begin before the text and end in it start here.
        self._overlap = earlier[-(size - 1) :] if size > 1 else ()

    def earlier_after(self, tokens: TokenIds) -> Iterator[int]:
        """Yield the tokens that would repeat an n-gram of the tokens before the text.

        >>> list(Ngrams((1, 2, 3), 2).earlier_after((2, 4, 2)))
        [3]
        """
        size = self._size
        if size and len(tokens) + 1 >= size:
            yield from self._following.get(tokens[len(tokens) - size + 1 :], ())

    def repeated_after(self, tokens: TokenIds) -> Iterator[int]:
        """Yield the tokens that would repeat an n-gram; none for the size 0."""
        size = self._size
        whole = self._overlap + tokens
        if not size or len(whole) + 1 < size:
            return
        last = whole[len(whole) - size + 1 :]
        yield from self._following.get(last, ())
        for start in range(len(whole) - size + 1):
            if whole[start : start + size - 1] == last:
                yield whole[start + size - 1]
