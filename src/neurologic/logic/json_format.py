"""Constraints as JSON: `include`, `exclude`, `formula` and `clauses`, and the paper's lists of lists.

Strings in `include`, `exclude` and `clauses` are phrases, letter for letter; only `formula` holds formula
text. Instead of a string you can write
`{"phrase": …, "match": …, "case": …, "ids": …, "times": …, "number": …, "unless": …}`,
`{"inflect": word, "pos": …, "case": …}` or `{"not": …}`. `from_json` ignores fields of other names, so that a
caller can pass a whole input line. Errors name the place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from neurologic.errors import FormulaError, suggestion
from neurologic.logic.constructors import all_of, any_of, none_of
from neurologic.logic.formula import Formula, Inflect, Not, Phrase
from neurologic.logic.parser import parse

_LITERALS = 'a phrase ("dog"), {"phrase": …}, {"inflect": …} or {"not": …}'
_KEYS = {
    "phrase": ("phrase", "match", "case", "ids", "times", "number", "unless"),
    "inflect": ("inflect", "pos", "case"),
    "not": ("not",),
}


def to_formula(constraint: Formula | str | Mapping[str, Any] | Sequence[Any] | None) -> Formula | None:
    """Return any form of constraint as a formula; a string is formula text, None means no constraint.

    >>> print(to_formula("dog & !cat"), to_formula({"include": ["dog"], "exclude": ["cat"]}))
    dog & !cat dog & !cat
    """
    if constraint is None or isinstance(constraint, Formula):
        return constraint
    if isinstance(constraint, str):
        return parse(constraint)
    return from_json(constraint)


def from_json(constraint: Mapping[str, Any] | Sequence[Any]) -> Formula | None:
    """Return the formula of a JSON object or of a list of clauses; None if it constrains nothing.

    >>> print(from_json({"include": ["dog", ["run", "ran"]], "clauses": [["x", {"not": "y"}]]}))
    dog & (run | ran) & (x | !y)
    """
    if isinstance(constraint, (list, tuple)):
        parts = _each(constraint, "clauses", _one_of)
    elif isinstance(constraint, Mapping):
        parts = []
        for field, read in _FIELDS.items():
            if constraint.get(field) is not None:
                parts += read(constraint[field], field)
    else:
        raise FormulaError(
            "a constraint must be a formula, formula text, an object with include, exclude, formula or "
            f"clauses, or a list of lists of phrases, not {_shown(constraint)}"
        )
    return all_of(*parts) if parts else None


def _formula(value: Any, path: str) -> list[Formula]:
    if isinstance(value, Formula):
        return [value]
    if not isinstance(value, str):
        raise FormulaError(f'{path}: expected formula text, as in "dog & !cat", found {_shown(value)}')
    return [_placed(path, lambda: parse(value))]


def _each(value: Any, path: str, read: Callable[[Any, str], Formula]) -> list[Formula]:
    if not isinstance(value, (list, tuple)):
        hint = f"; write [{_shown(value)}]" if isinstance(value, str) else ""
        raise FormulaError(f"{path}: expected a list, found {_shown(value)}{hint}")
    return [read(item, f"{path}[{index}]") for index, item in enumerate(value)]


def _one_of(value: Any, path: str) -> Formula:
    """Read a literal, or a list of which one must hold."""
    if isinstance(value, (list, tuple)):
        return any_of(*_literals(value, path))
    return _literal(value, path)


def _none_of(value: Any, path: str) -> Formula:
    """Read a literal that must not hold, or a list of such."""
    if isinstance(value, (list, tuple)):
        return none_of(*_literals(value, path))
    return Not(_literal(value, path))


_FIELDS: dict[str, Callable[[Any, str], list[Formula]]] = {
    "include": partial(_each, read=_one_of),
    "exclude": partial(_each, read=_none_of),
    "formula": _formula,
    "clauses": partial(_each, read=_one_of),
}


def _literals(values: Sequence[Any], path: str) -> list[Formula]:
    if not values:
        raise FormulaError(f"{path}: expected at least one phrase, found an empty list")
    return _each(values, path, _literal)


def _literal(value: Any, path: str) -> Formula:
    if isinstance(value, Formula):
        return value
    if isinstance(value, str):
        return _placed(path, lambda: Phrase(value))
    if not isinstance(value, Mapping):
        raise FormulaError(f"{path}: expected {_LITERALS}, found {_shown(value)}")
    kinds = [kind for kind in _KEYS if kind in value]
    if len(kinds) != 1:
        found = ", ".join(f'"{key}"' for key in value) or "no keys"
        close = next(filter(None, (suggestion(str(key), _KEYS) for key in value)), "") if not kinds else ""
        raise FormulaError(f"{path}: expected {_LITERALS}, found an object with {found}{close}")
    (kind,) = kinds
    for key in value:
        if key not in _KEYS[kind]:
            close = suggestion(str(key), _KEYS[kind]) or f"; choose from {', '.join(_KEYS[kind])}"
            raise FormulaError(f'{path}: "{key}" is not known here{close}')
    if kind == "not":
        return Not(_literal(value["not"], f"{path}.not"))
    options = {key: given for key, given in value.items() if key != kind and given is not None}
    if kind == "phrase":
        return _placed(path, lambda: Phrase(value["phrase"], **options))
    return _placed(path, lambda: Inflect(value["inflect"], **options))


def _placed(path: str, make: Callable[[], Formula]) -> Formula:
    """Make a formula; add the path to what its constructor refuses."""
    try:
        return make()
    except FormulaError as error:
        raise FormulaError(f"{path}: {error}") from error


def _shown(value: Any) -> str:
    names = {dict: "an object", list: "a list", bool: "a truth value", int: "a number", float: "a number"}
    if value is None:
        return "null"
    return f'"{value}"' if isinstance(value, str) else names.get(type(value), type(value).__name__)
