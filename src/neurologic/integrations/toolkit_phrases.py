"""Phrases from the files of translation toolkits, with their subwords joined into plain text.

Sockeye and fairseq look for a phrase among the subwords of their vocabulary, so files for them often hold
pieces: "Apf@@ el" or "▁Apf el". neurologic looks for phrases in the text, so this module joins the pieces. It
does not undo other preprocessing (spaces before full stops, escapes, lower case).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from neurologic.errors import FormulaError
from neurologic.logic.phrase_validation import Case, Match, checked_text

_CONTINUED = "@@"  # subword-nmt and fastBPE: the word continues with the next piece
_WORD_START = "▁"  # SentencePiece: a word begins here
_INSIDE_WORD = re.compile(r"(?<=\S)@@\s+")


@dataclass(frozen=True)
class MatchOptions:
    """Options for comparing the phrases of a file with the text, as in `neurologic.phrase`.

    The toolkits compare subwords, so upper and lower case count by default ("Sie" is not "sie").
    """

    match: Match = "word"
    case: Case = "exact"


def joined(text: str) -> str:
    """Return a text with its subwords joined.

    >>> joined("der Apf@@ el"), joined("▁der ▁Apf el"), joined("der Apfel")
    ('der Apfel', 'der Apfel', 'der Apfel')
    """
    if _WORD_START in text:
        return "".join(text.split()).replace(_WORD_START, " ").strip()
    return _INSIDE_WORD.sub("", text)


def phrase_of(value: object, place: str, matching: MatchOptions) -> str | dict[str, str]:
    """Turn a phrase of a toolkit's file into a phrase of our JSON; errors name the place.

    >>> phrase_of("Apf@@ el", "constraints[0]", MatchOptions())
    {'phrase': 'Apfel', 'case': 'exact'}
    >>> phrase_of("Apf@@ el", "constraints[0]", MatchOptions(case="fold"))
    'Apfel'
    """
    if not isinstance(value, str):
        if isinstance(value, (list, tuple)):
            hint = '; for one of several, use "include" of our own format'
            raise FormulaError(f"{place}: expected a phrase, found a list{hint}")
        raise FormulaError(f"{place}: expected a phrase, found {type(value).__name__}")
    if value.rstrip().endswith(_CONTINUED):
        raise FormulaError(f'{place}: "{value}" is only the beginning of a word; give the rest of it as well')
    try:
        text = checked_text(joined(value))
    except FormulaError as error:
        raise FormulaError(f"{place}: {error}") from error
    options = {} if matching.match == "word" else {"match": str(matching.match)}
    options |= {} if matching.case == "fold" else {"case": str(matching.case)}
    return {"phrase": text, **options} if options else text
