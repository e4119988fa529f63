"""Proper ends of sentences, for texts whose length is limited.

A limit invites stumps: "a place that...", a full stop after a full stop, the number of a list item. They end
a sentence by the rule, but no reader takes them for one.
"""

from __future__ import annotations

import re

from neurologic.marks.function_words import OPENERS

# Words that end no sentence, however short the room is.
_UNFINISHED = OPENERS | {
    "as",
    "if",
    "very",
    "its",
    "his",
    "i'm",
    "i've",
    "you're",
    "we're",
    "it's",
    "when",
    "while",
}
_LAST_WORD = re.compile(r"[\w'’]+\Z")
_WORD_BEFORE = re.compile(r"""[\w%)\]}»”’"']\s*$""")
_ITEM_BEFORE = re.compile(r"(?:^|\n)\W*(?:\d+|[A-Za-z])$")
_OPEN_END = re.compile(r"""\.\s*\.|…|^\s+[.!?]|[^\w\s.!?"'”’»)\]}*_]""")
_JOINED = re.compile(r"\w[-_\u2010\u2011]")
_CHAIN = re.compile(r"\w[-_\u2010\u2011]\w+\Z")
_LONG_WORD = re.compile(rb"[A-Za-z]{21}\Z")
_LOOKED_AT = 40
_LOOSE = frozenset((b",", b";", b":", b"-", b"*", b"#", b"\xe2"))
_USUAL_SIGNS = frozenset(
    (",", ";", ":", "-", "–", "—", "'", "’", '"', "”", "(", ")", '",', ',"', "),", "%", "&")
)


def closes_a_word(text: bytes, piece: bytes) -> bool:
    """Return whether a token that ends a sentence does so properly.

    >>> (
    ...     closes_a_word(b"We went home", b"."),
    ...     closes_a_word(b"a place that", b"..."),
    ...     closes_a_word(b"1", b"."),
    ...     closes_a_word(b"We saw a", b"."),
    ... )
    (True, False, False, False)
    """
    ending = piece.decode(errors="replace")
    if _OPEN_END.search(ending):
        return False
    if any(map(str.isalnum, ending)):
        return True
    before = text[-_LOOKED_AT:].decode(errors="ignore")
    last = _LAST_WORD.search(before)
    if last is not None and last[0].lower().replace("’", "'") in _UNFINISHED:
        return False
    return _WORD_BEFORE.search(before) is not None and _ITEM_BEFORE.search(before) is None


def joins(text: bytes, piece: bytes) -> bool:
    """Return whether a token begins with a hyphen or an underscore directly after a word, or has one inside.

    >>> joins(b"home", b"-by"), joins(b"the", b"_old"), joins(b"We left ", b"- and"), joins(b"We", b" well-")
    (True, True, False, True)
    """
    if b"-" not in piece and b"_" not in piece and b"\xe2\x80" not in piece:
        return False
    return _JOINED.search(text[-1:].decode(errors="ignore") + piece.decode(errors="ignore")) is not None


def widens_gap(text: bytes, piece: bytes) -> bool:
    """Return whether a token adds a space to a space.

    >>> widens_gap(b"We ", b" left"), widens_gap(b"We", b"   left"), widens_gap(b"We left.", b" Then")
    (True, True, False)
    """
    return piece[:2] == b"  " or (piece[:1] == b" " and text[-1:].isspace())


def is_loose_sign(text: bytes, piece: bytes) -> bool:
    """Return whether a token begins with a comma or a dash that follows no word, bracket or quotation mark.

    >>> is_loose_sign(b"We left", b" -"), is_loose_sign(b"We left -", b" -"), is_loose_sign(b"We left,", b",")
    (False, True, True)
    """
    if piece.strip()[:1] not in _LOOSE:
        return False
    before = text[-_LOOKED_AT:].decode(errors="ignore")
    return bool(before.strip()) and _WORD_BEFORE.search(before) is None


def is_chain(text: bytes) -> bool:
    """Return whether the last word of a text has a hyphen already.

    >>> is_chain(b"a mother-in"), is_chain(b"a mother-in-law of")
    (True, False)
    """
    return _CHAIN.search(text[-_LOOKED_AT:].decode(errors="ignore")) is not None


def glues(text: bytes, piece: bytes) -> bool:
    """Return whether a token makes one long word of several, such as "NightPeople".

    >>> glues(b"Night", b"People"), glues(b"NASA", b"S"), glues(b"unbe", b"lievable"), glues(b"a" * 20, b"ha")
    (True, False, False, True)
    """
    if not piece[:1].isalpha() or not text[-1:].isalpha():
        return False
    after_small = text[-1:].islower() and piece[:1].isupper()
    return after_small or _LONG_WORD.search(text[-_LOOKED_AT:] + piece) is not None


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
    if any(map(str.isalnum, more)):
        return True
    before = text[-_LOOKED_AT:].decode(errors="ignore")
    follows_word = _WORD_BEFORE.search(before) is not None
    return more == " " or (follows_word and more.strip() in _USUAL_SIGNS)
