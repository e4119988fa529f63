"""Required phrases one after the other: how many stand in a row with little more than commas between them.

Copying a list is the likeliest way to write all required phrases, and nobody wants to read it. The beam
counts the row and drops a candidate that makes it too long; honest enumerations ("bread, butter and milk")
stay possible. An article, "with" or a number after a comma changes nothing, nor does another item of one or
two words between commas. Any other word ends the row, and so does an article without a comma ("a soldier
guards a city").

A row with commas that opens a sentence, or follows a colon, is a list even if it is short: "Shelf, homework,
and retired are just a few of …", "Subject: farewell, Thursday, noon". Limit: these words are English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_SEPARATORS = r"(?:[\s,;:&/+*•\"'“”‘’()\-–—]|\b(?:and|or)\b)*"
_COMMA = r"\s*(?:[,;:&]|\b(?:and|or)\b)\s+"
_BEFORE_ITEMS = r"(?:\b(?:with|an?|the|my|our|your|some|\d+)\b%?[\s\"'“‘]*)"
_WORD = r"(?!and\b|or\b)[\w'’-]+"
_ITEM = rf"{_COMMA}{_BEFORE_ITEMS}?{_WORD}(?:[ ]{_WORD})?(?=[,;]|\s(?:and|or)\b)"
_BETWEEN = re.compile(rf"(?:{_ITEM})*{_SEPARATORS}(?:{_COMMA}{_BEFORE_ITEMS}+)?", re.IGNORECASE)
# What may stand between the start of a sentence, or a colon, and the first phrase of a row.
_OPENING = re.compile(rf"(?:^|[.!?…:][\"'”’)]*\s|\n)[\s\"'“‘*#•–-]*{_BEFORE_ITEMS}{{0,2}}$", re.IGNORECASE)
_COMMAS = re.compile(r"[,;:/&]")
_FURTHEST = 60  # characters between two phrases of a row
_TRAILING = "\t\n\r ,;:.!?\"'“”’)"


class PhraseRun(NamedTuple):
    """Required phrases in a row.

    length  how many stand in a row, the last one included
    clump   how many of these stand side by side, with nothing but spaces and hyphens between them
    end     the number of bytes of the text up to the end of the last one
    opens   whether the first one opens a sentence
    commas  how many of the gaps between them have a comma
    """

    length: int = 0
    clump: int = 0
    end: int = 0
    opens: bool = False
    commas: int = 0

    @property
    def heads_sentence(self) -> bool:
        """Whether a sentence opens with an enumeration, as in "Lighthouse, piano"."""
        return self.opens and self.commas > 0

    def with_phrase(self, text: bytes, phrases: Iterable[str]) -> PhraseRun:
        """Return the row after a text that ends with one of the phrases, a mark or space maybe after it.

        >>> run = PhraseRun().with_phrase(b"I saw a mug", ["mug"])
        >>> run.with_phrase(b"I saw a mug, lid", ["lid"])
        PhraseRun(length=2, clump=1, end=16, opens=False, commas=1)
        >>> run.with_phrase(b"I saw a mug and a lid", ["lid"])
        PhraseRun(length=2, clump=1, end=21, opens=False, commas=0)
        >>> run.with_phrase(b"I saw a mug with a lid", ["lid"])
        PhraseRun(length=1, clump=1, end=22, opens=False, commas=0)

        A phrase that grew out of the last one takes its place ("mug", then "mugs"), and a mark after the last
        one, which the matcher may have waited for ("450,"), makes no new one.

        >>> run.with_phrase(b"I saw a mugs", ["mugs"])
        PhraseRun(length=1, clump=1, end=12, opens=False, commas=0)
        """
        before = text[: self.end].decode(errors="ignore")
        whole = text.decode(errors="ignore").rstrip(_TRAILING)
        since = whole[len(before) :]
        end, opens = len(text), False
        for phrase in phrases:
            overlaps = self.length and len(whole) - len(phrase) < len(before)
            if overlaps and whole.casefold().endswith(phrase.casefold()):
                return self._replace(end=end) if len(whole) > len(before) else self
            if not since.casefold().endswith(phrase.casefold()):
                continue
            between = since[: len(since) - len(phrase)]
            if self.length and len(between) <= _FURTHEST and _BETWEEN.fullmatch(between):
                clump = self.clump + 1 if not between.strip(" -") else 1
                commas = self.commas + (_COMMAS.search(between) is not None)
                return PhraseRun(self.length + 1, clump, end, self.opens, commas)
            opens = opens or _OPENING.search(whole[-len(phrase) - _FURTHEST : -len(phrase)]) is not None
        return PhraseRun(1, 1, end, opens)


NO_PHRASE = PhraseRun()
