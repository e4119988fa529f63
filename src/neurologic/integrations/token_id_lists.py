"""Read lists of token ids, in whatever form a caller has them, into tuples; errors name the place.

The functions read lists, tuples, arrays, tensors and a tokenizer's whole output alike, arrays and tensors
through their `tolist`. They check the form only: they do not know which ids a tokenizer has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neurologic.errors import FormulaError
from neurologic.logic.formula import Formula
from neurologic.logic.quoting import quoted

Ids = tuple[int, ...]

_SHOWN = 40  # characters of a list in a message


def phrase(value: Any, place: str) -> Ids:
    """Read the ids of one phrase."""
    ids = _items(value, place)
    for token in ids:
        if isinstance(token, list):
            raise FormulaError(f"{place}: lists are nested one level too deep; a phrase is a list of ids")
        if isinstance(token, str):
            raise _text_instead_of_ids(token, place)
        if not is_number(token):
            raise FormulaError(f"{place}: token ids are whole numbers, not {kind(token)}")
        if token < 0:
            raise FormulaError(f"{place}: token ids are numbers from 0 on, not {token}")
    return tuple(ids)


def phrases(value: Any, place: str) -> list[Ids]:
    """Read several phrases."""
    items = _items(value, place)
    _require_phrases(items, place)
    return [phrase(item, f"{place}[{index}]") for index, item in enumerate(items)]


def groups(value: Any, place: str) -> list[list[Ids]]:
    """Read several groups of phrases; a group of one phrase needs no brackets of its own."""
    items = _items(value, place)
    _require_phrases(items, place)
    return [_group(item, f"{place}[{index}]") for index, item in enumerate(items)]


def require_some(items: Sequence[Any], place: str) -> None:
    """Refuse an empty list, since its meaning would be a guess."""
    if not items:
        raise FormulaError(f"{place} is an empty list; leave it out, or put something into it")


def is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def kind(value: Any) -> str:
    """Describe the type of a value for a message."""
    name = type(value).__name__
    return f"{name} ({value!r})" if isinstance(value, (bool, float)) else name


def _group(value: Any, place: str) -> list[Ids]:
    items = _items(value, place)
    nested = [isinstance(item, list) for item in items]
    if any(nested) and not all(nested):
        raise FormulaError(
            f"{place} mixes ids and lists; a phrase is a list of ids, alternatives are a list of such lists"
        )
    return phrases(items, place) if all(nested) else [phrase(items, place)]


def _require_phrases(items: list[Any], place: str) -> None:
    if is_number(items[0]):
        shown = str(items) if len(str(items)) <= _SHOWN else f"{str(items)[: _SHOWN - 1]}…]"
        raise FormulaError(
            f"{place} must be a list of phrases, each a list of ids; for one phrase put another pair of "
            f"brackets around it: {place}=[{shown}]"
        )
    if isinstance(items[0], str):
        raise _text_instead_of_ids(items[0], f"{place}[0]")


def _items(value: Any, place: str) -> list[Any]:
    plain = _plain(value)
    if isinstance(plain, str):
        raise _text_instead_of_ids(plain, place)
    if isinstance(plain, Formula):
        raise FormulaError(f"{place}: expected token ids, found a formula; join formulas with &")
    if not isinstance(plain, list):
        raise FormulaError(f"{place}: expected a list of token ids, found {kind(plain)}")
    require_some(plain, place)
    return [_plain(item) for item in plain]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping) and "input_ids" in value:
        value = value["input_ids"]
    if hasattr(value, "tolist"):
        value = value.tolist()
    return list(value) if isinstance(value, (tuple, range)) else value


def _text_instead_of_ids(text: str, place: str) -> FormulaError:
    return FormulaError(
        f"{place}: expected token ids, found the text {quoted(text)}; words need no ids here: write them as "
        f"a formula, nl.phrase({quoted(text.strip())}), or make ids with "
        "tokenizer(words, add_special_tokens=False).input_ids"
    )
