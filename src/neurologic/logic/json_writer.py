"""Formulas as JSON constraints, which `json_format.from_json` reads back to equal formulas."""

from __future__ import annotations

from typing import Any

from neurologic.errors import FormulaError
from neurologic.logic.cardinality import Count
from neurologic.logic.formula import And, Formula, Iff, Implies, Inflect, Not, Or, Phrase
from neurologic.logic.predicates import Ends, Length, Near, Nth, Order, Prefer, Regex, Starts, UnitCount


def to_json(formula: Formula) -> dict[str, Any]:
    """Return a formula as an object that can be stored as JSON.

    >>> from neurologic.logic.parser import parse
    >>> to_json(parse("dog & words(10..20)"))
    {'include': ['dog', {'words': '10..20'}]}
    """
    parts = formula.parts if isinstance(formula, And) and len(formula.parts) > 1 else (formula,)
    return {"include": [_item(part) for part in parts]}


def _item(formula: Formula) -> Any:
    match formula:
        case Phrase():
            return _phrase(formula)
        case Inflect(word, pos, case):
            return {"inflect": word} | _changed({"pos": (pos, None), "case": (case, "fold")})
        case Not(part):
            return {"not": _item(part)}
        case And(parts):
            return {"all": [_item(part) for part in parts]}
        case Or(parts):
            return {"any": [_item(part) for part in parts]}
        case Implies(left, right):
            return {"implies": [_item(left), _item(right)]}
        case Iff(left, right):
            return {"iff": [_item(left), _item(right)]}
        case Count(n, parts):
            return {formula.name: [n, *(_item(part) for part in parts)]}
    return _predicate(formula)


def _predicate(formula: Formula) -> Any:
    match formula:
        case Order(parts):
            return {"order": [_item(part) for part in parts]}
        case Near(distance, left, right):
            return {"near": [distance, _item(left), _item(right)]}
        case Starts(part):
            return {"starts": _item(part)}
        case Ends(part):
            return {"ends": _item(part)}
        case Length(measure, range_):
            return {f"{measure}s": str(range_)}
        case Regex(expression, ignore_case, whole):
            name = "fully" if whole else "regex"
            return {name: expression} | _changed({"ignore_case": (ignore_case, False)})
        case UnitCount(range_, unit, part, notation):
            count = [str(range_)] if notation == "count" else []
            return {notation: [*count, unit, _item(part)]}
        case Nth(place, unit, part):
            return {"nth": [place, unit, _item(part)]}
        case Prefer(part, weight):
            return {"prefer": _item(part)} | _changed({"weight": (weight, 1.0)})
    raise FormulaError(f"expected a formula, not {type(formula).__name__}")


def _phrase(phrase: Phrase) -> str | dict[str, Any]:
    ids = None if phrase.ids is None else list(phrase.ids)
    options = _changed(
        {
            "match": (phrase.match, "word"),
            "case": (phrase.case, "fold"),
            "ids": (ids, None),
            "times": (phrase.times, 1),
            "number": (phrase.number, "whole"),
            "unless": (phrase.unless, None),
        }
    )
    return {"phrase": phrase.text, **options} if options else phrase.text


def _changed(options: dict[str, tuple[Any, Any]]) -> dict[str, Any]:
    """Return the options that differ from their defaults."""
    return {name: value for name, (value, default) in options.items() if value != default}
