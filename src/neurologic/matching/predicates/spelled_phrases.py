"""Phrases as a machine reads them: symbol by symbol, with the boundaries that they need at both ends.

A reading of a phrase that has come to its end may still be undone by the next character or two: "dog" by the
"s" of "dogs", "450" by the ".7" of "450.75". So a reading leaves *conditions* behind, which hold until
further symbols settle them; the end of the text settles all of them in favour of the phrase.

Phrases that fold case and phrases that do not read two streams of symbols. They are in step, except where a
character folds to several ("ß"): then phrases with case wait for the next character.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from neurologic.logic.characters import (
    folded,
    is_digit,
    is_word_character,
    normalise,
    number_goes_on,
    separates_digits,
)
from neurologic.logic.formula import Phrase
from neurologic.matching.predicates.machine import Kind

# Conditions of a reading in the folded stream; those of the exact stream are `_EXACT` bits higher.
_WORD, _NUMBER, _NO_DIGIT = 1, 2, 4
_EXACT = 3
_ALL = _WORD | _NUMBER | _NO_DIGIT

_NO_NUMBER, _DIGIT, _SEPARATOR = range(3)

DONE = -1  # the offset of a reading that has come to the end of its phrase


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


def context_of(before: str) -> Context:
    """Return the context directly after a text."""
    context = Context()
    for character in before[-2:]:
        for step in steps_of(character):
            context = context.after(step)
    return context


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
    return Symbol(character, is_word_character(character), is_digit(character), separates_digits(character))


@dataclass(frozen=True)
class Spelled:
    """A phrase as the symbols to read.

    conditions  what the symbols after it must still confirm
    exception   the phrase inside of which it does not count
    """

    phrase: Phrase
    text: str
    is_exact: bool
    conditions: int
    exception: Spelled | None = None

    @classmethod
    def of(cls, phrase: Phrase) -> Spelled:
        """Prepare a phrase, and its exception, for reading."""
        is_exact = phrase.case == "exact"
        conditions = _WORD * phrase.edges[1] | _NUMBER * phrase.number_edges[1]
        text = normalise(phrase.text, exact_case=is_exact)
        exception = None if phrase.exception is None else cls.of(phrase.exception)
        return cls(phrase, text, is_exact, conditions << _EXACT if is_exact else conditions, exception)

    def may_begin(self, context: Context) -> bool:
        """Return whether the phrase may begin here, as far as the symbols before it decide."""
        word = context.exact_word if self.is_exact else context.folded_word
        number = context.exact_number if self.is_exact else context.folded_number
        if word and self.phrase.edges[0]:
            return False
        left = ("", "0", "0.")[number]
        return not (self.phrase.number_edges[0] and number_goes_on(left, self.text))

    def begun(self, context: Context, step: Step) -> Progress | None:
        """Return the progress of a reading that begins with this step; None if the phrase does not."""
        return self._read(0, step) if self.may_begin(context) else None

    def advanced(self, progress: Progress, context: Context, step: Step) -> Progress | None:
        """Return the progress after a step; None if the reading fails."""
        if progress.offset != DONE:
            return self._read(progress.offset, step)
        conditions = still_open(progress.conditions, context, step)
        return None if conditions is None else Progress(DONE, conditions)

    def _read(self, offset: int, step: Step) -> Progress | None:
        symbol = step.exact if self.is_exact else step.folded
        if symbol is None:
            return Progress(offset) if offset else None  # no phrase begins inside of a character
        if self.text[offset] != symbol.character:
            return None
        return Progress(DONE, self.conditions) if offset + 1 == len(self.text) else Progress(offset + 1)


class Progress(NamedTuple):
    """How many symbols of a phrase are read, or `DONE` with the conditions that are open."""

    offset: int
    conditions: int = 0


CERTAIN = Progress(DONE, 0)


class Reading(NamedTuple):
    """A way to an occurrence of the phrase with a number.

    covers  readings of its exception that began no later: the occurrence does not count if one of them comes
            to a good end no earlier
    """

    number: int
    progress: Progress
    covers: frozenset[Progress] = frozenset()

    @property
    def is_done(self) -> bool:
        return self.progress.offset == DONE

    @property
    def is_certain(self) -> bool:
        """Whether no further symbol can undo the occurrence."""
        return self.progress == CERTAIN and not self.covers

    @property
    def counts_at_end(self) -> bool:
        """Whether it is an occurrence if the text ends here."""
        return self.is_done and not any(cover.offset == DONE for cover in self.covers)


Others = frozenset[tuple[int, Progress]]  # the readings of exceptions, by the number of their phrase


class Phrasebook:
    """Some phrases that a machine reads at the same time."""

    def __init__(self, phrases: Iterable[Phrase]) -> None:
        self.spelled = tuple(map(Spelled.of, phrases))
        self.alphabet = Alphabet(self.spelled)
        self._with_exception = [number for number, phrase in enumerate(self.spelled) if phrase.exception]

    def others_after(self, others: Others, context: Context, step: Step) -> Others:
        """Return the readings of exceptions after a step, those that begin with it included."""
        if not self._with_exception:
            return others
        after: set[tuple[int, Progress]] = set()
        for number in self._with_exception:
            exception = self.spelled[number].exception
            assert exception is not None
            # One that has ended before covers nothing that begins now.
            under_way = (progress for of, progress in others if of == number and progress.offset != DONE)
            moved = {exception.advanced(progress, context, step) for progress in under_way}
            moved.add(exception.begun(context, step))
            after.update((number, progress) for progress in moved if progress is not None)
        return frozenset(after)

    def begun(self, number: int, context: Context, step: Step, others: Others) -> Reading | None:
        """Return the reading that begins with this step, after which exceptions are at `others`."""
        progress = self.spelled[number].begun(context, step)
        if progress is None:
            return None
        return _uncovered(number, progress, (cover for of, cover in others if of == number))

    def advanced(self, reading: Reading, context: Context, step: Step) -> Reading | None:
        """Return a reading after a step; None if it fails."""
        phrase = self.spelled[reading.number]
        progress = phrase.advanced(reading.progress, context, step)
        if progress is None:
            return None
        if not reading.covers:
            return Reading(reading.number, progress)
        assert phrase.exception is not None
        covers = (phrase.exception.advanced(cover, context, step) for cover in reading.covers)
        return _uncovered(reading.number, progress, filter(None, covers))


def _uncovered(number: int, progress: Progress, covers: Iterable[Progress]) -> Reading | None:
    """Return a reading with the covers that still matter; None if one of them covers it for certain."""
    open_: set[Progress] = set()
    for cover in covers:
        if cover.offset == DONE and progress.offset != DONE:
            continue  # it ends before the phrase does
        if cover == CERTAIN:
            return None
        open_.add(cover)
    return Reading(number, progress, frozenset(open_))


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
        listed = [part for phrase in phrases for part in (phrase, phrase.exception) if part is not None]
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
OTHER_CHARACTERS = (
    "xyzqjXYZQJ_ \n\t\x85" + "0123456789" + "-\u2010'’,:.!?…" + ')"»' + "#*+;/" + "漢字ก" + "éñ" + "ʼ"
)
