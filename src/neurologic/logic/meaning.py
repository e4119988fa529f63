"""Say in plain words what a formula means, and what to write so that it holds.

`meaning` makes statements ("the text has 10 to 20 words"), `advice` tells a writer what to do ("write 10 to
20 words"). Neither knows a text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neurologic.logic.cardinality import AtLeast, AtMost, Count
from neurologic.logic.clauses import Clause, Literal, Node
from neurologic.logic.formula import And, Formula, Iff, Implies, Inflect, Not, Or, Phrase
from neurologic.logic.json_format import to_formula
from neurologic.logic.normal_form import to_clauses
from neurologic.logic.predicates import (
    Ends,
    Length,
    Near,
    Nth,
    Order,
    Predicate,
    Prefer,
    Regex,
    Starts,
    UnitCount,
    choices,
)
from neurologic.logic.quoting import quoted
from neurologic.logic.ranges import Range

_TEXT = "the text"
_SHOWN = 6  # forms of a word that are listed

# For each verb: what is so, what is not so, what to do, what not to do.
_VERBS = {
    "have": ("has", "does not have", "write", "do not write"),
    "begin": ("begins", "does not begin", "begin", "do not begin"),
    "end": ("ends", "does not end", "end", "do not end"),
    "match": ("fully matches", "does not fully match", "fully match", "do not fully match"),
}


def meaning(clause: Clause) -> str:
    """Return what a clause says of the text.

    >>> from neurologic.logic import parse, to_clauses
    >>> for clause in to_clauses(parse("words(10..20) & (dog | !ends(wolf)) & every(line, starts(A))")):
    ...     print(meaning(clause))
    the text has 10 to 20 words
    the text has "dog", or the text does not end with "wolf"
    for every line of the text: the line begins with "A"
    """
    return _of_node(clause.root, _TEXT)


def advice(clause: Clause) -> str:
    """Return what to write so that a clause holds.

    >>> from neurologic.logic import parse, to_clauses
    >>> for clause in to_clauses(parse("words(10..20) & (dog | !ends(wolf)) & every(line, starts(A))")):
    ...     print(advice(clause))
    write 10 to 20 words
    write "dog", or do not end with "wolf"
    make it true that for every line of the text: the line begins with "A"
    """
    return _of_node(clause.root, None)


@dataclass(frozen=True)
class ClauseMeaning:
    """A clause in words.

    text     the clause as the user wrote it
    meaning  what it says of the text
    advice   what to write so that it holds
    """

    text: str
    meaning: str
    advice: str


def explain(
    constraint: Formula | str | Mapping[str, Any] | Sequence[Any] | None,
) -> tuple[ClauseMeaning, ...]:
    """Return every clause of a formula in words.

    >>> [clause.meaning for clause in explain("words(..20) & !cat")]
    ['the text has at most 20 words', 'the text does not have "cat"']
    """
    formula = to_formula(constraint)
    clauses = () if formula is None else to_clauses(formula)
    return tuple(ClauseMeaning(clause.text, meaning(clause), advice(clause)) for clause in clauses)


def _of_node(node: Node, subject: str | None) -> str:
    if isinstance(node, Literal):
        return statement(node.atom, subject, positive=node.positive)
    parts = [_of_node(part, subject) for part in node.parts]
    if node.needed == 1:
        return _joined(parts, "or")
    if node.needed == len(parts):
        return _joined(parts, "and")
    return f"at least {node.needed} of these: {'; '.join(parts)}"


def statement(formula: Formula, subject: str | None = _TEXT, *, positive: bool = True) -> str:
    """Say that a formula, or its negation, is true of a subject; without a subject, what to do for it."""
    match formula:
        case Not(part):
            return statement(part, subject, positive=not positive)
        case Phrase() | Inflect() | Order() | Near() | Starts() | Ends() | Length() | Regex():
            verb, rest = _verb_and_rest(formula)
            number = (0 if subject else 2) + (0 if positive else 1)
            return " ".join(filter(None, (subject, _VERBS[verb][number], rest)))
        case UnitCount() | Nth():
            said = _of_units(formula, subject or _TEXT)
            start = "" if subject else "make it true that "
            return start + (said if positive else f"it is not so that {said}")
        case Prefer(part):
            return f"if possible, {statement(part, subject)}"
    if not positive:
        return f"it is not so that {statement(formula, subject or _TEXT)}"
    return _compound(formula, subject)


def _compound(formula: Formula, subject: str | None) -> str:
    match formula:
        case And(parts):
            return _joined([_grouped(part, subject) for part in parts], "and") or "anything"
        case Or(parts):
            return _joined([_grouped(part, subject) for part in parts], "or")
        case Implies(condition, consequence):
            return f"if {statement(condition, subject or _TEXT)}, {statement(consequence, subject)}"
        case Iff(left, right):
            return f"{statement(left, subject)} exactly if {statement(right, subject or _TEXT)}"
        case Count(n, parts):
            how = "at least" if isinstance(formula, AtLeast) else "at most"
            how = how if isinstance(formula, (AtLeast, AtMost)) else "exactly"
            return f"{how} {n} of these: {'; '.join(statement(part, subject) for part in parts)}"
    return str(formula)


def _grouped(part: Formula, subject: str | None) -> str:
    """Put a statement that would run on into the next one in parentheses."""
    said = statement(part, subject)
    plain = isinstance(part, Predicate | Phrase | Inflect | Not) and not isinstance(part, UnitCount | Nth)
    return said if plain else f"({said})"


def _verb_and_rest(formula: Formula) -> tuple[str, str]:
    match formula:
        case Phrase():
            return "have", _phrase(formula)
        case Inflect():
            return "have", _one_of(formula)
        case Order(parts):
            return "have", " and then ".join(map(_one_of, parts))
        case Near(distance, left, right):
            words = how_many(Range(0, distance), "word")
            return "have", f"{_one_of(left)} and {_one_of(right)} with {words} between them"
        case Starts(part):
            return "begin", f"with {_one_of(part)}"
        case Ends(part):
            return "end", f"with {_one_of(part)}"
        case Length(measure, range_):
            return "have", how_many(range_, measure)
        case Regex(whole=whole):
            written = str(formula).removeprefix("fully(").removesuffix(")") if whole else str(formula)
            return ("match", written) if whole else ("have", f"a match of {written}")
    raise TypeError(formula)


def _phrase(phrase: Phrase) -> str:
    times = "" if phrase.times == 1 else f" {phrase.times} times or more"
    unless = "" if phrase.unless is None else f" outside of {quoted(phrase.unless)}"
    case = " in just this case" if phrase.case == "exact" else ""
    return f"{quoted(phrase.text)}{case}{times}{unless}"


def _one_of(part: Formula) -> str:
    phrases = choices(part)
    listed = [_phrase(phrase) for phrase in phrases[:_SHOWN]] + ["…"] * (len(phrases) > _SHOWN)
    return listed[0] if len(phrases) == 1 else f"one of {', '.join(listed)}"


def _of_units(predicate: UnitCount | Nth, subject: str) -> str:
    inner = statement(predicate.part, f"the {predicate.unit}")
    if isinstance(predicate, Nth):
        return f"for {_place(predicate)} of {subject}: {inner}"
    one = f"{predicate.unit} of {subject}: {inner}"
    if predicate.notation == "count":
        return f"for {how_many(predicate.range, predicate.unit)} of {subject}: {inner}"
    return f"for {'at least one' if predicate.notation == 'some' else predicate.notation} {one}"


def _place(predicate: Nth) -> str:
    unit, place = predicate.unit, predicate.place
    named = {1: f"the first {unit}", -1: f"the last {unit}"}
    return named.get(place, f"{unit} {place}" if place > 0 else f"{unit} {-place} from the end")


def how_many(range_: Range, unit: str) -> str:
    """Return a range with its noun.

    >>> how_many(Range(3, 3), "word"), how_many(Range(0, 1), "line"), how_many(Range(2), "word")
    ('exactly 3 words', 'at most 1 line', '2 or more words')
    """
    low, high = range_.low, range_.high
    if high is None:
        return f"{low} or more {unit}s"
    if low == high:
        return f"exactly {low} {unit}" + "s" * (low != 1)
    return f"at most {high} {unit}" + "s" * (high != 1) if low == 0 else f"{low} to {high} {unit}s"


def _joined(parts: Sequence[str], word: str) -> str:
    return f", {word} ".join(parts)
