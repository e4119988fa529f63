"""Read the constraint of a request within limits. This takes time, so it runs in a thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from neurologic.errors import FormulaError
from neurologic.logic import Formula, all_of, from_json
from neurologic.serve.api_errors import ApiError
from neurologic.serve.limits import ServerLimits


def read_constraint(
    constraint: Mapping[str, Any], banned_strings: Sequence[str], limits: ServerLimits
) -> Formula | None:
    """Return the formula of a JSON constraint and of strings that must not occur; None if there is none."""
    _require_size([constraint, list(banned_strings)], limits)
    parts = [from_json(constraint), _banned(banned_strings)]
    given = [part for part in parts if part is not None]
    if not given:
        return None
    formula = all_of(*given)
    most = limits.library
    if formula.depth > most.nesting:
        raise _too_large("nested", f"{formula.depth} levels deep", most.nesting, "levels")
    phrases = list(islice(formula.phrases(), most.phrases + 1))
    if len(phrases) > most.phrases:
        raise _too_large("too long:", f"it has more than {most.phrases} phrases", most.phrases, "phrases")
    return formula


def _banned(strings: Sequence[str]) -> Formula | None:
    """Return a formula that forbids strings, even inside of words."""
    try:
        return from_json({"exclude": [{"phrase": string, "match": "substring"} for string in strings]})
    except FormulaError as error:
        raise FormulaError(str(error).replace("exclude[", "banned_strings[", 1)) from error


def _require_size(constraint: list[Any], limits: ServerLimits) -> None:
    """Refuse a constraint by its size alone, before anything reads it; look at every part once."""
    characters = 0
    level: list[Any] = [constraint]
    depth = -2  # the list above and the object in it are not the user's
    while level:
        if depth > limits.library.nesting:
            raise _too_large("nested", "too deeply", limits.library.nesting, "levels")
        inner: list[Any] = []
        for value in level:
            if isinstance(value, str):
                characters += len(value)
            elif isinstance(value, Mapping):
                inner += [*value, *value.values()]
            elif isinstance(value, list):
                characters += len(value)  # a list of a million numbers is long, too
                inner += value
        if characters > limits.library.formula_characters:
            found = f"it has more than {limits.library.formula_characters} characters"
            raise _too_large("too long:", found, limits.library.formula_characters, "characters")
        level, depth = inner, depth + 1


def _too_large(problem: str, found: str, limit: int, unit: str) -> ApiError:
    return ApiError(
        400,
        f"the formula is {problem} {found}; this server takes {limit} {unit}",
        code="formula_too_large",
        param="neurologic",
    )
