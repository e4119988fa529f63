"""What a text shows about a predicate: the words that a report quotes, whether it is true or not."""

from __future__ import annotations

from neurologic.logic.expressions import first_match
from neurologic.logic.formula import Predicate
from neurologic.logic.predicates import Ends, Length, Near, Nth, Order, Prefer, Regex, Starts, UnitCount
from neurologic.logic.specification import closest, holds, nth, order_spans, part_spans
from neurologic.logic.units import canonical, length, units, word_spans

_SHOWN = 60  # characters of a quoted unit


def evidence(predicate: Predicate, text: str) -> tuple[str, ...]:
    """Return what the text has of that which the predicate speaks about.

    >>> from neurologic.logic.parser import parse
    >>> [evidence(parse(formula), "A dog and a cat ran.")[0] for formula in ("words(9)", "near(5, cat, dog)")]
    ['6 words', 'dog and a cat']
    """
    text = canonical(text)
    match predicate:
        case Order():
            return _of_order(predicate, text)
        case Near(distance, left, right):
            nearest = closest(left, right, text)
            if nearest is None:
                return ()
            between, span = nearest
            far = () if between <= distance else (f"{counted(between, 'word')} between",)
            return far or (quote(text[slice(*span)]),)
        case Starts(part):
            return _of_edge(text, [span for span in part_spans(part, text) if span[0] == 0], "starts with", 0)
        case Ends(part):
            places = [span for span in part_spans(part, text) if span[1] == len(text)]
            return _of_edge(text, places, "ends with", -1)
        case Length(measure):
            return (counted(length(measure, text), measure),)
        case Regex(whole=whole):
            if whole:
                return (quote(text),) if holds(predicate, text) else ()
            match = first_match(predicate.tree, text)
            return () if match is None else (quote(text[slice(*match)]),)
        case UnitCount():
            return _of_units(predicate, text)
        case Nth(place, unit):
            pieces = units(unit, text)
            piece = nth(pieces, place)
            return (f"only {counted(len(pieces), unit)}" if piece is None else quote(piece),)
        case Prefer():
            return ()
    return ()


def counted(number: int, unit: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "word"), counted(3, "sentence")
    ('1 word', '3 sentences')
    """
    return f"{number} {unit}" + ("" if number == 1 else "s")


def quote(text: str) -> str:
    """Return a part of a text on one line, shortened."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN else flat[: _SHOWN - 1] + "…"


def _of_order(predicate: Order, text: str) -> tuple[str, ...]:
    """Quote the parts in order, and name the first that does not follow."""
    for known in range(len(predicate.parts), 0, -1):
        found = order_spans(predicate.parts[:known], text)
        if found is not None:
            missing = [f"then no {part}" for part in predicate.parts[known : known + 1]]
            return (*(quote(text[slice(*span)]) for span in found), *missing)
    return (f"no {predicate.parts[0]}",)


def _of_edge(text: str, places: list[tuple[int, int]], what: str, word: int) -> tuple[str, ...]:
    """Quote the phrase at the start or the end of a text; the word that stands there if it is another."""
    if places:
        return (quote(text[slice(*max(places, key=lambda span: span[1] - span[0]))]),)
    words = word_spans(text)
    if not words:
        return ()
    start, end = words[word]
    return (f"{what} {quote(text[:end] if word == 0 else text[start:])}",)


def _of_units(predicate: UnitCount, text: str) -> tuple[str, ...]:
    """Say how many units count; where there should be none, quote the first that does."""
    pieces = units(predicate.unit, text)
    found = [number for number, piece in enumerate(pieces, 1) if holds(predicate.counted, piece)]
    if found and predicate.range.high == 0:
        first = f"{predicate.unit} {found[0]}: {quote(pieces[found[0] - 1])}"
        return (first, *([f"and {len(found) - 1} more"] if len(found) > 1 else []))
    if predicate.notation == "every":
        return (counted(len(pieces), predicate.unit),)
    return (f"{len(found)} of {counted(len(pieces), predicate.unit)}",)
