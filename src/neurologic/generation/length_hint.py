"""Tell the model in words how long a text should be, and how it begins and ends.

Only clauses that are a single literal are told, and only what a person would say: a length in words,
sentences, lines or paragraphs, the first and the last words. The words are English.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from neurologic.logic.clauses import Clause, Literal
from neurologic.logic.formula import Atom, Formula, Phrase
from neurologic.logic.predicates import Ends, Length, Nth, Range, Regex, Starts, UnitCount, choices
from neurologic.matching.predicates.build import machine_of
from neurologic.matching.predicates.text_automaton import TextAutomaton

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_PLACES = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", 6: "sixth", 7: "seventh", -1: "last"}
_HAS = {"word": "is", "sentence": "mentions", "line": "mentions", "paragraph": "mentions"}
_MEASURES = ("paragraph", "line", "sentence", "word")


def length_hint(clauses: Sequence[Clause]) -> str:
    """Return a sentence about the lengths that a formula asks for; "" if it asks for none.

    >>> from neurologic.logic import parse, to_clauses
    >>> length_hint(to_clauses(parse("words(10..20) & sentences(2) & !dog")))
    'Write two sentences, 10 to 20 words.'
    """
    literals = [clause.root for clause in clauses if isinstance(clause.root, Literal)]
    required = [literal.atom for literal in literals if literal.positive]
    lengths = {atom.measure: atom.range for atom in required if isinstance(atom, Length)}
    parts = [_told(measure, lengths[measure]) for measure in _MEASURES if measure in lengths]
    told = [f"Write {', '.join(parts)}."] if parts else []
    return " ".join([*told, *_of_units(required), *_of_ends(required), *_of_expressions(required)])


def _of_ends(required: Sequence[Atom]) -> Iterator[str]:
    """Yield sentences about the beginning and the end of the text."""
    for atom in map(_about_whole_text, required):
        if isinstance(atom, Starts):
            yield f'Begin with "{choices(atom.part)[0].text}".'
        elif isinstance(atom, Ends):
            text = choices(atom.part)[0].text
            yield "End with a question." if text == "?" else f'End with "{text}".'
        elif isinstance(atom, Nth) and atom.place in _PLACES and isinstance(atom.part, Phrase):
            yield f'The {_PLACES[atom.place]} {atom.unit} {_HAS[atom.unit]} "{atom.part.text}".'


def _of_units(required: Sequence[Atom]) -> Iterator[str]:
    """Yield sentences about the lengths of units, such as of every sentence."""
    for atom in required:
        if isinstance(atom, UnitCount) and atom.notation == "every" and isinstance(atom.part, Length):
            yield f"Each {atom.unit} should have {_told(atom.part.measure, atom.part.range)}."


def _of_expressions(required: Sequence[Atom]) -> Iterator[str]:
    """Yield an example of every expression that has to match somewhere."""
    for atom in required:
        if isinstance(atom, Regex) and not atom.whole:
            automaton = TextAutomaton(machine_of(atom))
            example = automaton.way(automaton.start, True)
            if example and example.isprintable() and any(map(str.isalnum, example)):
                yield f"Include something of the form {example}."


def _about_whole_text(atom: Atom) -> Atom | Formula:
    """Return what the first or the last unit says about the beginning or the end of the whole text."""
    if isinstance(atom, Nth) and isinstance(atom.part, Starts if atom.place == 1 else Ends):
        return atom.part if atom.place in (1, -1) else atom
    return atom


def _told(measure: str, number: Range) -> str:
    low, high = number.low, number.high
    if high is None:
        return f"at least {_number(low)} {_plural(measure, low)}"
    if low == high:
        return f"{'exactly ' if measure == 'word' else ''}{_number(low)} {_plural(measure, low)}"
    if low <= 1:
        return f"at most {_number(high)} {_plural(measure, high)}"
    return f"{low} to {high} {_plural(measure, high)}"


def _number(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def _plural(measure: str, number: int) -> str:
    return measure if number == 1 else measure + "s"
