"""Tables of words and phrases, written as plain text."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text.

    >>> sorted(word_set("cup ounce pound"))
    ['cup', 'ounce', 'pound']
    """
    return frozenset(text.split())


def phrase_list(text: str) -> tuple[str, ...]:
    """Return the phrases of a text with commas between them.

    >>> phrase_list("there are, there's")
    ('there are', "there's")
    """
    return tuple(" ".join(phrase.split()) for phrase in text.split(","))
