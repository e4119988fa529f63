"""Whether more text can still change the value of an atom, as far as the text itself tells.

Used for the states S1–S4 in reports. A word at the end of the text counts as finished, as for phrases. What
is permanent here is so in truth. Of units and of the end of the text this module knows nothing: reports say S1
or S3 of `every(sentence, x)` and `ends(x)`, also where the search knows S2 or S4.
"""

from __future__ import annotations

from collections.abc import Sequence

from neurologic.logic.characters import normalise
from neurologic.logic.clauses import ClauseState, Literal
from neurologic.logic.expressions import Anchor, Choice, Concatenation, Expression, Repeat
from neurologic.logic.formula import Atom, Formula, Phrase
from neurologic.logic.predicates import Length, Near, Order, Regex, Starts, choices
from neurologic.logic.units import canonical, length


def state_of_literal(literal: Literal, value: bool, text: str) -> ClauseState:
    """Return the state of a literal at the end of a text of which its atom has the given value."""
    holds, permanent = value == literal.positive, is_permanent(literal.atom, value, text)
    if holds:
        return ClauseState.S4 if permanent else ClauseState.S3
    return ClauseState.S2 if permanent else ClauseState.S1


def is_permanent(atom: Atom, value: bool, text: str) -> bool:
    """Return whether no continuation of the text changes the value that an atom has now."""
    match atom:
        case Phrase(unless=unless):
            return value and unless is None
        case Order() | Near():
            return value and not _has_exception(atom.operands)
        case Regex(whole=whole):
            return value and not whole and not _has_anchor(atom.tree)
        case Starts(part):
            begun = normalise(canonical(text), exact_case=False)
            written = [normalise(phrase.text, exact_case=False) for phrase in choices(part)]
            if value:
                return not _has_exception(atom.operands)
            return not any(phrase.startswith(begun) for phrase in written)
        case Length(measure, range_):
            # Only a last sentence without a letter can vanish: "Yes. ..." is two, "Yes. ...—" is one.
            least = length(measure, text) - (measure == "sentence")
            if value:
                return range_.high is None and least >= range_.low
            return range_.high is not None and least > range_.high
    return False


def _has_exception(parts: Sequence[Formula]) -> bool:
    return any(phrase.unless is not None for part in parts for phrase in choices(part))


def _has_anchor(expression: Expression) -> bool:
    match expression:
        case Anchor():
            return True
        case Concatenation(parts) | Choice(parts):
            return any(map(_has_anchor, parts))
        case Repeat(part):
            return _has_anchor(part)
    return False
