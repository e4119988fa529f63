"""Check that a phrase is well formed: its text, its options and its token ids.

`neurologic.feasibility` finds out whether a model can spell the phrase.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Literal

from neurologic.errors import FormulaError, suggestion
from neurologic.limits import current_limits
from neurologic.logic.characters import is_visible, normalise
from neurologic.logic.quoting import quoted

Match = Literal["word", "substring", "tokens"]
Case = Literal["fold", "exact"]
Number = Literal["whole", "part"]
MATCHES: tuple[Match, ...] = ("word", "substring", "tokens")
CASES: tuple[Case, ...] = ("fold", "exact")
NUMBERS: tuple[Number, ...] = ("whole", "part")

MOST_MARKS = 32  # Unicode's "stream-safe" texts have 30 at most
_SHOWN = 40  # characters of a phrase in a message

_WHITESPACE_RUN = re.compile(r"\s+")
_SURROGATE = re.compile("[\ud800-\udfff]")


def checked_text(text: object, *, may_be_blank: bool = False) -> str:
    """Return `text` in NFC with single spaces and none at its ends; refuse text that nobody can see.

    >>> checked_text("flying  disc ")
    'flying disc'
    """
    if not isinstance(text, str):
        raise FormulaError(f"a phrase must be a string, not {type(text).__name__}: {text!r}")
    current_limits().require("phrase_characters", len(text), f"the phrase {_beginning(text)}")
    if _SURROGATE.search(text):
        raise FormulaError(
            f"the phrase {text!a} holds half a character (a lone surrogate), so it is not text"
        )
    if may_be_blank:
        return text  # a phrase of given token ids: the text only names it
    if not any(map(is_visible, text)):
        what = f"the phrase {quoted(text)} holds nothing that can be seen" if text else "a phrase is empty"
        raise FormulaError(f"{what}; a phrase needs at least one visible character")
    if not text.isascii():
        _require_few_marks(text)
    return unicodedata.normalize("NFC", _WHITESPACE_RUN.sub(" ", text).strip())


def _require_few_marks(text: str) -> None:
    """Refuse a letter under a tower of combining marks: nobody can read it, and it takes long to compare."""
    run = 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run > MOST_MARKS:
            raise FormulaError(
                f"the phrase {_beginning(text)} has more than {MOST_MARKS} combining marks in a row"
            )


def _beginning(text: str) -> str:
    return ascii(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!a}…"


def checked_option(name: str, value: object, choices: Sequence[str]) -> None:
    """Refuse a value that is not one of `choices`."""
    if value not in choices:
        close = suggestion(str(value), choices)
        raise FormulaError(f"{name} must be {' or '.join(choices)}, not {value!r}{close}")


def checked_ids(ids: Iterable[int], match: Match) -> tuple[int, ...]:
    """Return token ids as a tuple; refuse all but whole numbers from 0 on."""
    if match != "tokens":
        raise FormulaError('token ids only go with match="tokens"')
    checked = tuple(ids)
    if not checked or not all(isinstance(i, int) and not isinstance(i, bool) and i >= 0 for i in checked):
        raise FormulaError(f"token ids must be whole numbers from 0 on, and at least one, not {ids!r}")
    return checked


def checked_times(times: object) -> None:
    """Refuse a number of times below one, or beyond what a text could hold."""
    limits = current_limits()
    if not isinstance(times, int) or isinstance(times, bool) or times < 1:
        raise FormulaError(f"times must be a whole number from 1 to {limits.times:,}, not {times!r}")
    limits.require("times", times, "a phrase")


def checked_exception(unless: object, text: str, match: Match, case: Case) -> str:
    """Return the longer phrase of `unless`; refuse one that excludes nothing, or everything."""
    if match == "tokens":
        raise FormulaError("unless does not go with match=tokens")
    longer = checked_text(unless)
    inner, outer = (normalise(part, exact_case=case == "exact") for part in (text, longer))
    if inner == outer or inner not in outer:
        raise FormulaError(
            f"unless needs a longer phrase that has {quoted(text)} in it, not {quoted(longer)}"
        )
    return longer
