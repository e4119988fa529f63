"""The units of a text: words, sentences, lines and paragraphs, by plain rules on characters.

The rules know no language, no abbreviations and no markup: "Dr. Smith left." is two sentences, and
"今天。明天。" is one, because a sentence ends before whitespace or the end of the text only. They are simple
on purpose, so that a person can predict them and an automaton can follow them.

- A *word* is a run of letters, marks, numbers and underscores, with single apostrophes and hyphens inside.
- A *sentence* ends after `. ! ? …` or their full-width forms, with the closing quotes and brackets behind
  them, before whitespace or the end of the text; and at a line break.
- A *line* ends at a line break, a *paragraph* at a blank line.

Units carry no outer whitespace, and blank ones do not count. A unit that a boundary closed counts whatever is
in it; bare text after the last boundary counts if it has a letter, mark, number or underscore.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Literal

from neurologic.logic.characters import APOSTROPHES, composed

Unit = Literal["word", "sentence", "line", "paragraph"]
Measure = Literal["character", "word", "sentence", "line", "paragraph"]
UNITS: tuple[Unit, ...] = ("word", "sentence", "line", "paragraph")
MEASURES: tuple[Measure, ...] = ("character", *UNITS)

Span = tuple[int, int]

LINE_BREAKS = "\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"
HYPHENS = "-\u2010\u2011"
TERMINATORS = ".!?…。．！？"
CLOSERS = "\"'”’»)]}＂＇）］｝」』"

_TERMINATOR = f"[{re.escape(TERMINATORS)}]"
_BOUNDARIES = {
    "sentence": re.compile(
        rf"(?<!{_TERMINATOR}){_TERMINATOR}++[{re.escape(CLOSERS)}]*+(?=\s|\Z)|[{LINE_BREAKS}]"
    ),
    "line": re.compile(f"[{LINE_BREAKS}]"),
    "paragraph": re.compile(rf"[{LINE_BREAKS}]\s*[{LINE_BREAKS}]"),
}


def canonical(text: str) -> str:
    r"""Return a text as predicates read it: in NFC, with "\n" for "\r\n", without outer whitespace.

    >>> canonical(" Good\r\nmorning ")
    'Good\nmorning'
    """
    return composed(text).replace("\r\n", "\n").strip()


@cache
def is_letter(character: str) -> bool:
    """Return whether a character makes words, in any script: a letter, mark, number or underscore."""
    if character in APOSTROPHES:
        return False  # one of them is a letter to Unicode
    return character == "_" or unicodedata.category(character)[0] in "LMN"


def word_spans(text: str) -> list[Span]:
    """Return where each word of a text starts and ends.

    >>> text = "Don't re-read 3.5 pages -- please"
    >>> [text[start:end] for start, end in word_spans(text)]
    ["Don't", 're-read', '3', '5', 'pages', 'please']
    """
    spans: list[Span] = []
    start = 0
    while start < len(text):
        end = start
        while end < len(text) and (is_letter(text[end]) or (end > start and _joins(text, end))):
            end += 1
        if end > start:
            spans.append((start, end))
        start = end + 1
    return spans


def _joins(text: str, place: int) -> bool:
    """Return whether an apostrophe or hyphen stands there, directly between two letters."""
    between = text[place] in APOSTROPHES or text[place] in HYPHENS
    return between and is_letter(text[place - 1]) and place + 1 < len(text) and is_letter(text[place + 1])


def unit_spans(unit: Unit, text: str) -> list[Span]:
    """Return where each unit of a canonical text starts and ends.

    >>> text = 'She said "No!" twice. Then'
    >>> [text[start:end] for start, end in unit_spans("sentence", text)]
    ['She said "No!"', 'twice.', 'Then']
    """
    if unit == "word":
        return word_spans(text)
    spans: list[Span] = []
    start = 0
    for boundary in _BOUNDARIES[unit].finditer(text):
        spans += _stripped(text, start, boundary.end())
        start = boundary.end()
    if any(map(is_letter, text[start:])):
        spans += _stripped(text, start, len(text))
    return spans


def _stripped(text: str, start: int, end: int) -> list[Span]:
    """Return the stretch without outer whitespace; nothing if it is blank."""
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    length = len(piece.strip())
    return [(start, start + length)] if length else []


def units(unit: Unit, text: str) -> list[str]:
    """Return the units of a text, each as a canonical text of its own.

    >>> units("word", "A cat's   dinner"), units("paragraph", "One.\\n \\nTwo.\\nThree.")
    (['A', "cat's", 'dinner'], ['One.', 'Two.\\nThree.'])
    """
    text = canonical(text)
    return [text[start:end] for start, end in unit_spans(unit, text)]


def length(measure: Measure, text: str) -> int:
    """Return how many characters, words, sentences, lines or paragraphs a text has.

    >>> length("character", " naïve\\n"), length("sentence", "One. Two! Three")
    (5, 3)
    """
    return len(canonical(text)) if measure == "character" else len(units(measure, text))
