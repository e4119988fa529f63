"""Proper ends of sentences, for texts whose length is limited.

A limit invites stumps: "a place that...", a full stop after a full stop, the number of a list item. They end
a sentence by the rule, but no reader takes them for one.
"""

from __future__ import annotations

import re

_WORD_BEFORE = re.compile(r"""[\w%)\]}»”’"']\s*$""")
_ITEM_BEFORE = re.compile(r"(?:^|\n)\W*(?:\d+|[A-Za-z])$")
_OPEN_END = re.compile(r"""\.\s*\.|…|^\s+[.!?]|[^\w\s.!?"'”’»)\]}*_]""")
_LOOKED_AT = 40
_USUAL_SIGNS = frozenset(
    (",", ";", ":", "-", "–", "—", "'", "’", '"', "”", "(", ")", '",', ',"', "),", "%", "&")
)


def closes_a_word(text: bytes, piece: bytes) -> bool:
    """Return whether a token that ends a sentence does so properly.

    >>> (
    ...     closes_a_word(b"We went home", b"."),
    ...     closes_a_word(b"a place that", b"..."),
    ...     closes_a_word(b"1", b"."),
    ... )
    (True, False, False)
    """
    ending = piece.decode(errors="replace")
    if _OPEN_END.search(ending):
        return False
    if any(map(str.isalnum, ending)):
        return True
    before = text[-_LOOKED_AT:].decode(errors="ignore")
    return _WORD_BEFORE.search(before) is not None and _ITEM_BEFORE.search(before) is None


def goes_on(text: bytes, piece: bytes) -> bool:
    """Return whether a token goes on with a sentence: with a word, or with the usual signs after one.

    >>> (
    ...     goes_on(b"We went", b" home"),
    ...     goes_on(b"We went", b","),
    ...     goes_on(b"We went,", b" *"),
    ...     goes_on(b"a", b"  "),
    ... )
    (True, True, False, False)
    """
    more = piece.decode(errors="replace")
    if any(map(str.isalnum, more)) or "\ufffd" in more:
        return True
    before = text[-_LOOKED_AT:].decode(errors="ignore")
    follows_word = _WORD_BEFORE.search(before) is not None
    return more == " " or (follows_word and more.strip() in _USUAL_SIGNS)
