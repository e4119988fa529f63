"""Phrases as a machine reads them: symbol by symbol, with the boundaries that they need at both ends.

A reading of a phrase that has come to its end may still be undone by the next character or two: "dog" by the
"s" of "dogs", "450" by the ".7" of "450.75". So a reading leaves *conditions* behind, which hold until further
symbols settle them; the end of the text settles all of them in favour of the phrase.

Phrases that fold case and phrases that do not read two streams of symbols. They are in step, except where a
character folds to several ("ß"): then phrases with case wait for the next character.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from neurologic.logic.characters import folded, is_digit, is_word_character, normalise, number_goes_on, separates_digits
from neurologic.logic.formula import Phrase
from neurologic.matching.predicates.machine import Kind

# Conditions of a reading in the folded stream; those of the exact stream are `_EXACT` bits higher.
_WORD, _NUMBER, _NO_DIGIT = 1, 2, 4
_EXACT = 3
_ALL = _WORD | _NUMBER | _NO_DIGIT

_NO_NUMBER, _DIGIT, _SEPARATOR = range(3)


class Symbol(NamedTuple):
    """A normalised character of one stream, and its part in words and numbers."""

    character: str
    is_word: bool
    is_digit: bool
    separates: bool


class Step(NamedTuple):
    """The next symbols of both streams; `exact` is None while a character folds to further symbols."""

    folded: Symbol
    exact: Symbol | None


class Context(NamedTuple):
    """What stands before the next symbol, in both streams."""

    folded_word: bool = False
    folded_number: int = _NO_NUMBER
    exact_word: bool = False
    exact_number: int = _NO_NUMBER
    space: bool = True  # leading whitespace changes nothing, as if a space stood before it

    def after(self, step: Step) -> Context:
        """Return the context after a step."""
        low, exact = step
        if exact is None:
            return self._replace(
                folded_word=low.is_word, folded_number=_number_after(self.folded_number, low), space=False
            )
        return Context(
            low.is_word,
            _number_after(self.folded_number, low),
            exact.is_word,
            _number_after(self.exact_number, exact),
            low.character == " ",
        )

    def skips(self, step: Step) -> bool:
        """Return whether a step is one more space of a run, which counts as one."""
        return self.space and step.folded.character == " "


def _number_after(number: int, symbol: Symbol) -> int:
    if symbol.is_digit:
        return _DIGIT
    return _SEPARATOR if number == _DIGIT and symbol.separates else _NO_NUMBER


@cache
def steps_of(character: str) -> tuple[Step, ...]:
    """Return the steps that a character makes."""
    if character.isspace():
        space = _symbol(" ")
        return (Step(space, space),)
    first, *more = (_symbol(symbol) for symbol in folded(character))
    return (Step(first, _symbol(character)), *(Step(symbol, None) for symbol in more))


def _symbol(character: str) -> Symbol:
    return Symbol(
        character, is_word_character(character), is_digit(character), separates_digits(character)
    )


@dataclass(frozen=True)
class Spelled:
    """A phrase as the symbols to read.

    conditions  what the symbols after it must still confirm
    """

    phrase: Phrase
    text: str
    is_exact: bool
    conditions: int

    @classmethod
    def of(cls, phrase: Phrase) -> Spelled:
        is_exact = phrase.case == "exact"
        conditions = _WORD * phrase.edges[1] | _NUMBER * phrase.number_edges[1]
        text = normalise(phrase.text, exact_case=is_exact)
        return cls(phrase, text, is_exact, conditions << _EXACT if is_exact else conditions)

    def may_begin(self, context: Context) -> bool:
        """Return whether the phrase may begin here, as far as the symbols before it decide."""
        word = context.exact_word if self.is_exact else context.folded_word
        number = context.exact_number if self.is_exact else context.folded_number
        if word and self.phrase.edges[0]:
            return False
        left = ("", "0", "0.")[number]
        return not (self.phrase.number_edges[0] and number_goes_on(left, self.text))

    def advance(self, offset: int, step: Step) -> int | None:
        """Return how many symbols are read after a step; None if the reading fails."""
        symbol = step.exact if self.is_exact else step.folded
        if symbol is None:
            return offset if offset else None  # no phrase begins inside of a character
        return offset + 1 if self.text[offset] == symbol.character else None

    def ends_at(self, offset: int) -> bool:
        return offset == len(self.text)


def still_open(conditions: int, context: Context, step: Step) -> int | None:
    """Return the conditions left after a step; None if the step breaks one of them."""
    if not conditions:
        return 0
    low = _open_in_stream(conditions & _ALL, context.folded_word, context.folded_number, step.folded)
    if low is None:
        return None
    if step.exact is None:
        return low | conditions >> _EXACT << _EXACT
    exact = _open_in_stream(conditions >> _EXACT, context.exact_word, context.exact_number, step.exact)
    return None if exact is None else low | exact << _EXACT


def _open_in_stream(conditions: int, word: bool, number: int, symbol: Symbol) -> int | None:
    if conditions & _WORD and word and symbol.is_word:
        return None
    if symbol.is_digit and (conditions & _NO_DIGIT or (conditions & _NUMBER and number != _NO_NUMBER)):
        return None
    return _NO_DIGIT if conditions & _NUMBER and number == _DIGIT and symbol.separates else 0


class Alphabet:
    """The characters that some phrases tell apart."""

    def __init__(self, phrases: Iterable[Spelled]) -> None:
        listed = tuple(phrases)
        self._folded = frozenset("".join(phrase.text for phrase in listed if not phrase.is_exact))
        self._exact = frozenset("".join(phrase.text for phrase in listed if phrase.is_exact))

    def kind(self, character: str) -> Kind:
        """Return what the phrases see of a character."""
        return tuple(
            (
                _seen(step.folded, self._folded),
                _seen(step.exact, self._exact) if step.exact is not None else None,
                step.folded.character == " ",
            )
            for step in steps_of(character)
        )

    def samples(self) -> Iterator[str]:
        """Yield characters of all kinds: those of the phrases, and others of every class."""
        for character in sorted(self._folded | self._exact):
            yield from (character, character.upper()[:1], character.lower()[:1])
        yield from OTHER_CHARACTERS


def _seen(symbol: Symbol, alphabet: frozenset[str]) -> Kind:
    return (symbol.character if symbol.character in alphabet else None, *symbol[1:])


# At least two of every class that rules distinguish, so that one is left beside those of the phrases: letters
# with and without case, digits, what joins words, separates digits, ends and closes sentences, and the rest.
OTHER_CHARACTERS = "xyzqjXYZQJ_ \n\t\x85" + "0123456789" + "-\u2010'’,:.!?…" + ')"»' + "#*+;/" + "漢字ก" + "éñ" + "ʼ"
