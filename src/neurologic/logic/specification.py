"""The definition of truth: when a formula holds of a text, by reading the text and nothing else.

`holds` is deliberately plain, so that a person can check it by reading. The check of finished texts and the
final verdict on every generated text call it; the automata in `neurologic.matching` must agree with it on
every text. Phrases are defined in `occurrence`, units in `units`, expressions in `expressions`.

Predicates judge the text itself, in NFC and without outer whitespace; a unit is judged as a text of its own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from neurologic.errors import FormulaError
from neurologic.logic.expressions import matches
from neurologic.logic.formula import Atom, Formula, Phrase
from neurologic.logic.occurrence import occurs
from neurologic.logic.predicates import (
    Ends,
    Length,
    Near,
    Nth,
    Order,
    Prefer,
    Regex,
    Starts,
    UnitCount,
    choices,
)
from neurologic.logic.spans import Span, spans
from neurologic.logic.units import canonical, length, units, word_spans


def holds(formula: Formula, text: str, *, before: str = "") -> bool:
    """Return whether a formula is true of a finished text.

    `before` is the text directly before (the end of a raw prompt). As in `occurs`, it can deny a phrase its
    word boundary; predicates do not see it.

    >>> from neurologic.logic.parser import parse
    >>> holds(parse("words(..5) & starts(the) & !near(1, dog, cat)"), "The dog chased a cat.")
    True
    """
    return formula.holds(lambda atom: is_true(atom, text, before=before))


def is_true(atom: Atom, text: str, *, before: str = "") -> bool:
    """Return whether a phrase occurs in a text, or a predicate is true of it."""
    if isinstance(atom, Phrase):
        return occurs(atom, text, before=before)
    text = canonical(text)
    match atom:
        case Order(parts):
            return order_spans(parts, text) is not None
        case Near(distance, left, right):
            nearest = closest(left, right, text)
            return nearest is not None and nearest[0] <= distance
        case Starts(part):
            return any(start == 0 for start, _ in part_spans(part, text))
        case Ends(part):
            return any(end == len(text) for _, end in part_spans(part, text))
        case Length(measure, range_):
            return length(measure, text) in range_
        case Regex():
            return matches(atom.tree, text, whole=atom.whole)
        case UnitCount(range_, unit):
            return sum(holds(atom.counted, piece) for piece in units(unit, text)) in range_
        case Nth(place, unit, part):
            piece = nth(units(unit, text), place)
            return piece is not None and holds(part, piece)
        case Prefer():
            return True
    raise FormulaError(f"{atom} is no predicate that a text can be judged by")


def part_spans(part: Formula, text: str) -> list[Span]:
    """Return the places of all phrases that a part of `order`, `near`, `starts` or `ends` stands for."""
    return sorted(span for phrase in choices(part) for span in spans(phrase, text))


def order_spans(parts: Sequence[Formula], text: str) -> list[Span] | None:
    """Return a place for each part, one after the other; None if there are none.

    It is enough to take for each part the place that ends first: whatever can follow a later place can follow
    this one too.
    """
    found: list[Span] = []
    done = 0
    for part in parts:
        following = [span for span in part_spans(part, text) if span[0] >= done]
        if not following:
            return None
        found.append(min(following, key=lambda span: span[1]))
        done = found[-1][1]
    return found


def closest(left: Formula, right: Formula, text: str) -> tuple[int, Span] | None:
    """Return the fewest words between two parts, and the stretch from one to the other; None without both.

    Of the places behind a part, the one that begins first has the fewest words before it; of the places
    before a part, the one that ends last. So it is enough to look at neighbours, which takes linear time.
    """
    lefts, rights = part_spans(left, text), part_spans(right, text)
    pairs = [
        (len(word_spans(text[end:next_start])), (start, max(end, next_end)))
        for former, latter in ((lefts, rights), (rights, lefts))
        for (start, end), (next_start, next_end) in _neighbours(former, latter)
    ]
    return min(pairs, default=None)


def _neighbours(former: Sequence[Span], latter: Sequence[Span]) -> Iterator[tuple[Span, Span]]:
    """Yield pairs of a place and the first that begins at or after its start; of alike ones the nearest."""
    nearest: dict[int, Span] = {}
    for span in former:
        following = bisect_left(latter, (span[0], -1))
        if following < len(latter):
            known = nearest.get(following)
            if known is None or span[1] > known[1]:
                nearest[following] = span
    return ((span, latter[following]) for following, span in nearest.items())


def nth(pieces: Sequence[str], place: int) -> str | None:
    """Return the piece at a place: 1 is the first, -1 the last; None if there is none.

    >>> nth(["a", "b", "c"], -1), nth(["a"], 2)
    ('c', None)
    """
    index = place - 1 if place > 0 else place + len(pieces)
    return pieces[index] if 0 <= index < len(pieces) else None
