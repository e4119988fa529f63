"""The notation of words and phrases in formula text, which the printer and the parser share.

This module knows which characters make a bare word, which words are reserved, and how to quote and escape.
`neurologic.logic.parser` reads back everything that it writes.
"""

from __future__ import annotations

import unicodedata
from functools import cache

OPERATOR_WORDS = {"and": "&", "or": "|", "not": "!", "implies": "->", "iff": "<->"}
FUNCTION_WORDS = ("all", "any", "none", "at_least", "at_most", "exactly", "inflect")
# These are functions only before a parenthesis, so that they stay words of a formula: `order & no`.
PREDICATE_WORDS = (
    "order", "near", "starts", "ends", "characters", "words", "sentences", "lines", "paragraphs", "fully",
    "every", "some", "no", "first", "last", "nth", "count", "prefer",
)  # fmt: skip
RESERVED_WORDS = frozenset(OPERATOR_WORDS) | frozenset(FUNCTION_WORDS)

# Opening quotation marks and the marks that may close them.
QUOTES = {'"': '"', "'": "'", "“": "”", "„": "“”", "«": "»"}

# Allowed between two characters of a word only: hyphens, apostrophes, the dots of Catalan and Japanese,
# Hebrew's maqaf, geresh and gershayim, and the joiners that tie letters or emoji together.
_INNER = frozenset("-\u2010\u2011'\u2019\u00b7\u30fb\u05be\u05f3\u05f4\u200c\u200d")

_SHORT_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


@cache
def is_bare_character(character: str) -> bool:
    """Return whether a character is a letter, mark, number, underscore, or symbol such as emoji."""
    code = ord(character)
    if character == "_" or 0x1F3FB <= code <= 0x1F3FF or 0xE0020 <= code <= 0xE007F:
        return True  # skin tones and flag tags continue an emoji
    category = unicodedata.category(character)
    # Emoji newer than this Python's Unicode tables have no category yet.
    return category[0] in "LMN" or category == "So" or (category == "Cn" and 0x1F000 <= code <= 0x1FFFF)


def end_of_bare_word(text: str, start: int) -> int:
    """Return where the bare word that starts at `start` ends; `start` itself if there is none.

    >>> end_of_bare_word("well-being->joy", 0)
    10
    """
    end = start
    length = len(text)
    while end < length:
        if is_bare_character(text[end]):
            end += 1
        elif end > start and text[end] in _INNER and end + 1 < length and is_bare_character(text[end + 1]):
            end += 2
        else:
            break
    return end


def is_bare_word(text: str) -> bool:
    """Return whether `text` can appear in a formula without quotes."""
    return bool(text) and end_of_bare_word(text, 0) == len(text) and text.lower() not in RESERVED_WORDS


def quoted(text: str) -> str:
    """Return `text` in double quotes, with invisible characters written as escapes.

    >>> print(quoted('say "hi"'))
    "say \\"hi\\""
    """
    return '"' + "".join(map(_escaped, text)) + '"'


def written(text: str) -> str:
    """Return `text` as a bare word if it can be one, in quotes otherwise.

    >>> print(written("dog"), written("flying disc"), written("not"))
    dog "flying disc" "not"
    """
    return text if is_bare_word(text) else quoted(text)


def _escaped(character: str) -> str:
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    if character == " " or unicodedata.category(character) not in ("Zs", "Zl", "Zp", "Cc", "Cf"):
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
