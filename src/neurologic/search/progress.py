"""Tell a caller the beginning of a text while the search goes on.

What all hypotheses of a beam share is certain, long before the text is over. `Beam.certain_text` finds it,
and `Progress` hands it on as whole characters. Editing decoders have no such beginning and tell nothing.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence


class Progress:
    """Calls `tell` with the beginning of a text whenever more of it is certain.

    It runs in the thread of the search, so `tell` must be quick. If it raises, the request fails.
    """

    def __init__(self, tell: Callable[[str], object], *, strip: bool) -> None:
        """`strip` leaves out whitespace at both ends, as results do unless they continue a raw prompt."""
        self._tell = tell
        self._strip = strip
        self._told = 0

    def update(self, certain: bytes) -> None:
        """Take the bytes that are certain now; a search that starts again may repeat some."""
        text = _whole_characters(certain)
        if self._strip:
            text = text.strip()
        if len(text) > self._told:
            self._told = len(text)
            self._tell(text)


def common_beginning(texts: Sequence[bytes]) -> bytes:
    """Return the longest beginning that all texts have.

    >>> common_beginning([b"a dog runs", b"a dog", b"a door"])
    b'a do'
    """
    least, greatest = min(texts), max(texts)  # all others are between them, so they share what these share
    end = next((place for place, byte in enumerate(least) if greatest[place] != byte), len(least))
    return least[:end]


def _whole_characters(text: bytes) -> str:
    """Decode up to the first byte that is not part of a whole character; more bytes may complete it."""
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(text)
    except UnicodeDecodeError as error:
        return text[: error.start].decode()
