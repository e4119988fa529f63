"""Constraints as JSON: `include`, `exclude`, `formula` and `clauses`, and the paper's lists of lists.

Strings in `include`, `exclude` and `clauses` are phrases, letter for letter; only `formula` holds formula
text. Instead of a string you can write
`{"phrase": …, "match": …, "case": …, "ids": …, "times": …, "number": …, "unless": …}`,
`{"inflect": word, "pos": …, "case": …}`, `{"not": …}`, an operator with its parts (`{"all": […]}`), a
predicate with its arguments (`{"near": [5, "a", "b"]}`, `{"words": "10..20"}`) or `{"formula": text}`.
`from_json` ignores fields of other names, so that a caller can pass a whole input line. Errors name the
place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from neurologic.errors import FormulaError, suggestion
from neurologic.logic.constructors import all_of, any_of, at_least, at_most, exactly, iff, implies, none_of
from neurologic.logic.formula import MAX_DEPTH, Formula, Inflect, Not, Phrase
from neurologic.logic.parser import parse
from neurologic.logic.predicate_constructors import fully, prefer, regex
from neurologic.logic.signatures import SIGNATURES, Kind

_LITERALS = 'a phrase ("dog"), {"phrase": …}, {"inflect": …}, {"not": …}, or a predicate such as {"words": …}'
_JOINS: dict[str, Callable[..., Formula]] = {
    "all": all_of, "any": any_of, "none": none_of, "implies": implies, "iff": iff,
    "at_least": at_least, "at_most": at_most, "exactly": exactly,
}  # fmt: skip
_EXPRESSIONS: dict[str, Callable[..., Formula]] = {"regex": regex, "fully": fully}
_KEYS: dict[str, tuple[str, ...]] = {
    "phrase": ("phrase", "match", "case", "ids", "times", "number", "unless"),
    "inflect": ("inflect", "pos", "case"),
    "not": ("not",),
    "formula": ("formula",),
    **{name: (name,) for name in (*SIGNATURES, *_JOINS)},
    **{name: (name, "ignore_case") for name in _EXPRESSIONS},
    "prefer": ("prefer", "weight"),
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
    try:
        return _from_json(constraint)
    except RecursionError:
        raise FormulaError(f"the constraint is nested more than {MAX_DEPTH} levels deep") from None


def _from_json(constraint: Mapping[str, Any] | Sequence[Any]) -> Formula | None:
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
    given = value[kind]
    inside = f"{path}.{kind}"
    options = {key: option for key, option in value.items() if key != kind and option is not None}
    match kind:
        case "not":
            return Not(_one_of(given, inside))
        case "formula":
            return _formula(given, inside)[0]
        case "phrase":
            return _placed(path, lambda: Phrase(given, **options))
        case "inflect":
            return _placed(path, lambda: Inflect(given, **options))
        case "prefer":
            return _placed(path, lambda: prefer(_one_of(given, inside), **options))
    if kind in _EXPRESSIONS:
        return _placed(path, lambda: _EXPRESSIONS[kind](given, **options))
    if kind in _JOINS:
        return _placed(path, lambda: _JOINS[kind](*_joined_parts(kind, given, inside)))
    return _predicate(kind, given, inside)


def _joined_parts(kind: str, value: Any, path: str) -> list[Any]:
    """Read the parts of all, any, none, implies and iff; a number comes first for the counts."""
    if not isinstance(value, (list, tuple)):
        raise FormulaError(f"{path}: expected a list, found {_shown(value)}")
    if kind in ("implies", "iff") and len(value) != 2:
        raise FormulaError(f"{path}: expected a list of two, found {len(value)}")
    counts = kind in ("at_least", "at_most", "exactly")
    if counts and not value:
        raise FormulaError(f"{path}: expected a number and what to count, as in [2, a, b, c]")
    numbers = list(value[:1]) if counts else []
    parts = value[1:] if counts else value
    return numbers + [_one_of(part, f"{path}[{place}]") for place, part in enumerate(parts, len(numbers))]


def _predicate(name: str, value: Any, path: str) -> Formula:
    """Read the arguments of a predicate: a list of them, or the only one itself."""
    signature = SIGNATURES[name]
    if len(signature.kinds) == 1:
        arguments, places = [value], [path]
    else:
        listed = isinstance(value, (list, tuple))
        needed = len(signature.kinds)
        if not listed or len(value) < needed or (len(value) > needed and not signature.repeats):
            raise FormulaError(f"{path}: expected the arguments of {signature.example} as a list")
        arguments, places = list(value), [f"{path}[{place}]" for place in range(len(value))]
    kinds = (*signature.kinds, *signature.kinds[-1:] * (len(arguments) - len(signature.kinds)))
    read = [
        _READERS.get(kind, _as_it_is)(argument, place)
        for argument, place, kind in zip(arguments, places, kinds, strict=True)
    ]
    return _placed(path, lambda: signature.make(*read))


def _range(value: Any, path: str) -> Any:
    """Read how many: 12, "10..20" or [10, 20], where null is no bound."""
    if isinstance(value, (list, tuple)):
        if len(value) == 2 and all(part is None or isinstance(part, int) for part in value):
            return tuple(value)
    elif isinstance(value, (int, str)) and not isinstance(value, bool):
        return value
    raise FormulaError(
        f'{path}: expected how many, as in 12, "10..20", [10, 20] or [10, null], found {_shown(value)}'
    )


def _as_it_is(value: Any, path: str) -> Any:
    return value


_READERS: dict[Kind, Callable[[Any, str], Any]] = {"formula": _one_of, "range": _range}


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
