"""What it means that a phrase occurs in a text: the specification of everything else.

`occurs` is deliberately plain. Checking finished texts, the final verification of every
generated text, and the oracles of the tests all call it; the automaton in
`neurologic.matching` is fast and must agree with it on every text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from neurologic.errors import FormulaError
from neurologic.logic.characters import is_word_character, normalise

if TYPE_CHECKING:
    from neurologic.logic.formula import Phrase


def occurs(phrase: Phrase | str, text: str, *, before: str = "") -> bool:
    """D(a, y): does `phrase` occur in `text`?

    `before` is what stands directly before the text (the end of a raw prompt). It can deny a
    word boundary at the text's start, but nothing is ever found in it.

    >>> occurs("dog", "The dog's bone"), occurs("car", "a carpet")
    (True, False)
    """
    if isinstance(phrase, str):
        from neurologic.logic.formula import Phrase

        phrase = Phrase(phrase)
    if phrase.match == "tokens":
        raise FormulaError(
            f'{phrase} is matched on token ids (match="tokens"), so it cannot be looked up in a text; '
            'use match="word" or match="substring"'
        )
    exact = phrase.case == "exact"
    wanted = normalise(phrase.text, exact_case=exact)
    searched = normalise(text, exact_case=exact)
    left = phrase.match == "word" and is_word_character(wanted[0])
    right = phrase.match == "word" and is_word_character(wanted[-1])
    word_before = bool(before) and is_word_character(before[-1])
    start = searched.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        open_left = is_word_character(searched[start - 1]) if start else word_before
        open_right = end < len(searched) and is_word_character(searched[end])
        if not (left and open_left) and not (right and open_right):
            return True
        start = searched.find(wanted, start + 1)
    return False
