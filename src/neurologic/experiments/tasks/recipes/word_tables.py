"""How tables of words are written: with spaces between them."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a table.

    >>> sorted(word_set("cup ounce pound"))
    ['cup', 'ounce', 'pound']
    """
    return frozenset(text.split())
