"""What holds of the lengths of every text: how many characters, words and units come with each other.

Lengths are compared by `Reaches` atoms ("the text has n words or more"), which no formula has itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from neurologic.logic.characters import folded, normalise
from neurologic.logic.clauses import Literal
from neurologic.logic.formula import Phrase, Predicate
from neurologic.logic.predicates import Length
from neurologic.logic.units import Measure, word_spans

Axiom = tuple[Literal, ...]  # one of these literals is true of every text


@dataclass(frozen=True, slots=True)
class Reaches(Predicate):
    """The text has `number` characters (words, …) or more."""

    measure: Measure
    number: int

    def __str__(self) -> str:
        return f"{self.measure}s({self.number}..)"


def bounds(length: Length) -> Iterator[Axiom]:
    """Yield what a length means: it reaches the lower bound, but not more than the upper one."""
    low, high = length.range.low, length.range.high
    reached = [Literal(Reaches(length.measure, low))] if low > 0 else []
    exceeded = [] if high is None else [Literal(Reaches(length.measure, high + 1))]
    yield from ((Literal(length, False), literal) for literal in reached)
    yield from ((Literal(length, False), opposite(literal)) for literal in exceeded)
    yield (Literal(length), *map(opposite, reached), *exceeded)


def room_of(phrase: Phrase) -> Iterator[Axiom]:
    """Yield how long a text with the phrase is at least, in characters and in words."""
    if phrase.match == "tokens":
        return
    absent = Literal(phrase, False)
    yield absent, Literal(Reaches("character", fewest_characters(phrase)))
    words = len(word_spans(phrase.text))
    if words:
        yield absent, Literal(Reaches("word", words))


def fewest_characters(phrase: Phrase) -> int:
    """Return how many characters the places of a phrase take at least, however they overlap.

    Folding makes up to three characters of one: "strasse" is found in "Straße", "ffi" in one ligature.
    """
    written = normalise(phrase.text, exact_case=phrase.case == "exact")
    folds = phrase.case == "fold" and any(several in written for several in _several_from_one())
    return (-(-len(written) // 3) if folds else len(written)) + (0 if folds else phrase.times - 1)


@cache
def _several_from_one() -> frozenset[str]:
    """Return the strings of several characters that folding makes of one."""
    return frozenset(fold for code in range(0x20000) if len(fold := folded(chr(code))) > 1)


def ladder(axioms: Iterable[Axiom]) -> Iterator[Axiom]:
    """Yield how the `Reaches` atoms of some axioms depend on each other, within a measure and across.

    Every paragraph has a line of its own, every line a sentence. A word is part of some sentence, line and
    paragraph. Words, sentences and lines have a character between them, paragraphs two.
    """
    rungs: dict[Measure, set[int]] = {measure: set() for measure in _MEASURES_UPWARDS}
    for axiom in axioms:
        for literal in axiom:
            if isinstance(literal.atom, Reaches):
                rungs[literal.atom.measure].add(literal.atom.number)
    for measure in _MEASURES_UPWARDS:
        if measure == "word" and rungs[measure]:
            rungs[measure].add(1)
        for number in sorted(rungs[measure]):
            for other, least in _comes_with(measure, number):
                rungs[other].add(least)
                yield Literal(Reaches(measure, number), False), Literal(Reaches(other, least))
    for measure, numbers in rungs.items():
        for fewer, more in pairwise(sorted(numbers)):
            yield Literal(Reaches(measure, more), False), Literal(Reaches(measure, fewer))


_MEASURES_UPWARDS: tuple[Measure, ...] = ("word", "paragraph", "line", "sentence", "character")


def _comes_with(measure: Measure, number: int) -> Iterator[tuple[Measure, int]]:
    """Yield what a text with so many units has at least; only of measures further up."""
    match measure:
        case "word":
            yield "paragraph", 1
            yield "character", 2 * number - 1
        case "paragraph":
            yield "line", number
            yield "character", 3 * number - 2
        case "line":
            yield "sentence", number
        case "sentence":
            yield "character", 2 * number - 1


def opposite(literal: Literal) -> Literal:
    """Return the negation of a literal."""
    return Literal(literal.atom, not literal.positive)
