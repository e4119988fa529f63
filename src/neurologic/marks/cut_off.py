"""Find texts that are cut off: by a limit, or in the middle of a sentence.

A text that ended by itself is cut off only if its last word or sign demands another one: closings, headlines,
items of lists and quotations are proper ends. If nobody knows how it ended, its last line must look like one.
"""

from __future__ import annotations

import re

from neurologic.marks.function_words import OPENERS
from neurologic.marks.reading import Reading

_FINAL = re.compile(r"[.!?…。！？‽](?:[^\w,;:([{–—-]|_)*\Z")
_DANGLING = re.compile(r"(?:[,;:(\[{–—&+=]|\s-|[^\w\s]-)\Z")
_CLOSING = re.compile(
    r"(?:best|kind|warm|many|all)?[ \t]*(?:regards|wishes|thanks|love|cheers|best)|(?:yours|sincerely)[ \w]*|"
    r"[\w ]*\b(?:sincerely|truly|faithfully|respectfully|cordially)|thank you|see you soon|take care|"
    r"with (?:love|best|kind|warm|many|all)[ \w]*|"
    r"(?:viele|liebe|beste|herzliche|mit \w+) grüßen?|cordialement|bien à vous|saludos",
    re.IGNORECASE,
)
_ITEM = re.compile(r"[ \t]*(?:[-*•·–—]|\d+[.)])[ \t]*\S")
_LAST_WORD = re.compile(r"[\w'’-]+\Z")
_END = 40  # characters that show how a line ends
_TITLE_WORDS = 16  # a longer line is no headline


def find(reading: Reading) -> str | None:
    """Return "" for a text that is cut off.

    >>> find(Reading("She opened the letter and", ())), find(Reading("She opened the letter.", ()))
    ('', None)
    """
    return "" if _is_cut_off(reading) else None


def _is_cut_off(reading: Reading) -> bool:
    if reading.truncated:
        return True
    lines = [reading.text[start:end].strip() for start, end in reading.lines[-2:]]
    if not lines or _is_closing(lines):
        return False
    last = lines[-1][-_END:]
    if _FINAL.search(last):
        return False
    if _DANGLING.search(last) or _opens(last):
        return True
    return reading.truncated is None and not (_ITEM.match(lines[-1]) or _is_headline(lines[-1]))


def _is_closing(lines: list[str]) -> bool:
    """Return whether the last lines are "Best regards," and perhaps a name."""
    if _CLOSING.fullmatch(lines[-1].rstrip(",.!")):
        return True
    return len(lines) == 2 and bool(_CLOSING.fullmatch(lines[0].rstrip(",.!"))) and _is_headline(lines[1])


def _opens(line: str) -> bool:
    """Return whether the last word needs another one after it: "the", "and", "of"."""
    word = _LAST_WORD.search(line)
    return word is not None and word[0] in OPENERS


def _is_headline(line: str) -> bool:
    """Return whether most long words of a short line have a capital."""
    words = [word for word in line.split() if len(word) > 3] or line.split()
    capitals = sum(not word.lstrip("\"'“‘([#*")[:1].islower() for word in words)
    return len(words) <= _TITLE_WORDS and capitals > len(words) / 2
