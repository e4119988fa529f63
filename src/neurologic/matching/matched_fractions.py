"""The matched fraction of a phrase, for the paper's partial reward (section 2.3).

The unit is the word: after "an apple", half of "apple tree" is matched. Inside a word the unit
is the piece of its usual segmentation, so that a lone first letter, which any text is full of,
earns nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from neurologic.logic.characters import is_word_character, normalise
from neurologic.logic.formula import Phrase
from neurologic.matching.patterns import SPACE, Pattern
from neurologic.matching.vocabulary import Vocabulary

_IN_PIECES = 256  # characters of a phrase whose pieces count


def matched_fractions(phrase: Phrase, pattern: Pattern, vocabulary: Vocabulary) -> tuple[float, ...]:
    """Return the matched fraction of the phrase for every prefix of the pattern's symbols."""
    text = normalise(phrase.text, exact_case=phrase.case == "exact")
    words = _word_spans(text)
    # Pieces matter inside of words; of a long text the words are fine enough.
    ends = _piece_ends(phrase, text, vocabulary) if len(text) <= _IN_PIECES else []
    inside = [[piece for piece in ends if start < piece < end] for start, end in words]
    fraction_at = [0.0] * (len(text) + 1)
    whole = 0
    for done in range(1, len(text) + 1):
        while whole < len(words) and words[whole][1] <= done:
            whole += 1
        partial = 0.0
        if whole < len(words):
            partial = bisect_right(inside[whole], done) / (len(inside[whole]) + 1)
        fraction_at[done] = (whole + partial) / len(words)
    if len(text) > 1 and is_word_character(text[0]) and words[0][1] > 1:
        fraction_at[1] = 0.0
    return tuple(fraction_at[count] for count in pattern.characters)


def _word_spans(text: str) -> list[tuple[int, int]]:
    """Return where the words of a phrase begin and end, split at spaces."""
    return [word.span() for word in re.finditer(f"[^{SPACE}]+", text)]


def _piece_ends(phrase: Phrase, text: str, vocabulary: Vocabulary) -> list[int]:
    """Return the character offsets in `text` at which pieces of the usual segmentation end."""
    written = b""
    ends: list[int] = []
    for token in vocabulary.segment(" " + phrase.text):
        written += vocabulary.pieces[token] or b""
        # Normalisation can change lengths, so measure the normalised piece.
        so_far = written.decode(errors="ignore").lstrip()
        ends.append(len(normalise(so_far, exact_case=phrase.case == "exact")))
    return [end for end in ends if 0 < end < len(text)]
