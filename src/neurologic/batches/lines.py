"""Lines of JSON: read one as an object with its constraint, and write a value as one.

A line that cannot be read keeps its error, and the run continues.
"""

from __future__ import annotations

import base64
import difflib
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NoReturn

from neurologic.errors import FormulaError, NeurologicError
from neurologic.logic import Formula, all_of, from_json, parse

# JSON allows these inside a string. But Python's splitlines and some editors end a line at some of them, and
# a terminal may take others for commands.
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029]")

# The fields that `generate` adds to a line. An input line that has some of them is an earlier output.
RESULT_FIELDS = (
    "text",
    "score",
    "satisfied",
    "unmet",
    "clauses",
    "forced",
    "marks",
    "wishes",
    "others",
    "before",
    "reduced",
    "glossary",
    "error",
)


# The fields that say what to write.
_OWN_FIELDS = ("prompt", "messages", "include", "exclude", "formula", "clauses", "raw", "plain_prompt")
_MOST_DIGITS = 1000


class LineError(NeurologicError):
    """A line that is not a JSON object, or lacks what the command needs."""


@dataclass(frozen=True)
class InputLine:
    """A line of input, or a row of a table.

    number  its number in its file, from 1
    fields  its fields, empty if it has an error
    file    its file in messages, "" if there is only one
    place   its place among the rows of all files, from 0
    data    its bytes as they were read
    blank   it holds nothing, but keeps its place in the output
    label   what messages call it, in place of its file and number
    doubts  what its writer may have meant otherwise: keys that are misspelt or given twice
    """

    number: int
    fields: Mapping[str, Any] = field(default_factory=dict)
    error: NeurologicError | None = None
    file: str = ""
    place: int = 0
    data: bytes = field(default=b"", repr=False, compare=False)
    blank: bool = False
    label: str | None = None
    doubts: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the line in messages."""
        identity = self.fields.get("id")
        known = isinstance(identity, (str, int)) and not isinstance(identity, bool)
        file = f"{self.file}, " if self.file else ""
        where = f"{file}line {self.number}" if self.label is None else self.label
        return where + (f" (id {identity})" if known else "")


def decode(data: bytes) -> str:
    """Return the text of a line; raise LineError if it is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise LineError(f"not UTF-8: {error.reason} at byte {error.start + 1}") from error


def json_line(number: int, data: bytes) -> InputLine:
    """Read a line that should be a JSON object."""
    repeated: list[str] = []

    def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            repeated.extend(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        return found

    try:
        fields = json.loads(
            decode(data),
            parse_constant=_refuse_constant,
            parse_float=_finite_float,
            parse_int=_short_int,
            object_pairs_hook=object_of,
        )
    except LineError as error:
        return InputLine(number, error=error)
    except json.JSONDecodeError as error:
        return InputLine(number, error=LineError(f"not JSON: {error.msg} at column {error.colno}"))
    except (ValueError, RecursionError) as error:  # NaN, thousands of digits or of brackets
        return InputLine(number, error=LineError(f"not JSON: {error}"))
    if not isinstance(fields, dict):
        kind = "a list" if isinstance(fields, list) else f"{json.dumps(fields)[:40]}"
        return InputLine(
            number, error=LineError(f'expected an object, as in {{"prompt": "…"}}, found {kind}')
        )
    doubts = [f'"{key}" is given more than once, and only the last one counts' for key in repeated]
    return InputLine(number, fields, doubts=(*doubts, *misspelt_keys(fields)))


def misspelt_keys(keys: Iterable[str]) -> tuple[str, ...]:
    """Return a doubt for every key that is almost one of ours: the text would be written without it.

    >>> misspelt_keys({"prompt": "…", "includes": ["dog"], "title": "…"})
    ('"includes" means nothing here; did you mean "include"?',)
    """
    return _misspelt(tuple(keys))


@lru_cache(maxsize=256)  # the rows of a file have the same keys
def _misspelt(keys: tuple[str, ...]) -> tuple[str, ...]:
    foreign = [key for key in keys if key not in _OWN_FIELDS and key not in RESULT_FIELDS]
    close = [(key, difflib.get_close_matches(key.lower(), _OWN_FIELDS, n=1, cutoff=0.8)) for key in foreign]
    return tuple(
        f'"{key}" means nothing here; did you mean "{found[0]}"?'
        for key, found in close
        if found and found[0] not in keys
    )


def refused(line: InputLine) -> InputLine:
    """Make the doubts of a line its error."""
    if not line.doubts or line.error is not None:
        return line
    return replace(line, error=LineError("; ".join(line.doubts)))


def _short_int(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits is too large")
    return int(digits)


def _finite_float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{digits} is too large a number")
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def constraint_of_line(fields: Mapping[str, Any]) -> Formula | None:
    """Return the conjunction of a line's `include`, `exclude`, `formula` and `clauses`.

    In an output line, `clauses` are reports. They hold the whole constraint as formula text, with the part
    that the command line of that run added.
    """
    clauses = fields.get("clauses")
    if not (isinstance(clauses, list) and clauses and all(_is_report(clause) for clause in clauses)):
        return from_json(fields)
    formulas: list[Formula] = []
    for index, clause in enumerate(clauses):
        try:
            formulas.append(parse(clause["clause"]))
        except FormulaError as error:
            raise FormulaError(f"clauses[{index}].clause: {error}") from error
    own = from_json({name: value for name, value in fields.items() if name != "clauses"})
    return all_of(*formulas) if own is None else all_of(own, *formulas)


def _is_report(clause: Any) -> bool:
    return isinstance(clause, Mapping) and isinstance(clause.get("clause"), str)


def conjunction(parts: list[Formula | None]) -> Formula | None:
    """Return the conjunction of the parts that are not None; None if all are."""
    given = [part for part in parts if part is not None]
    return all_of(*given) if given else None


def json_text(value: Any, *, encoding: str = "utf-8", indent: int | None = None) -> str:
    """Return a value as JSON that `encoding` can write, with as few escapes as possible.

    A number that JSON does not have is null, bytes are Base64, and dates and times ISO 8601.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent, default=_json_value, allow_nan=False)
    except ValueError:  # NaN or infinity, from a column of floats
        value = _with_finite_numbers(value)
        text = json.dumps(value, ensure_ascii=False, indent=indent, default=_json_value)
    text = _ESCAPED.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:  # not UTF-8, or half a surrogate pair that came in as an escape
        return json.dumps(value, indent=indent, default=_json_value)
    return text


def _json_value(value: Any) -> str:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return str(value.isoformat()) if hasattr(value, "isoformat") else str(value)


def _with_finite_numbers(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _with_finite_numbers(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_with_finite_numbers(each) for each in value]
    return value
