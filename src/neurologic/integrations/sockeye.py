"""Sockeye's JSON input: `{"text": source, "constraints": […], "avoid": […]}`, one object a line.

Sockeye reads it up to version 2 with `--json-input`. `text` becomes `prompt`, `constraints` becomes `include`
and `avoid` becomes `exclude`; all other fields stay. Sockeye's other controls of a translation (`factors`,
`restrict_lexicon`, `target_prefix`) have no effect here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neurologic.errors import DataError
from neurologic.integrations.toolkit_phrases import MatchOptions, joined, phrase_of

_PHRASES = {"constraints": "include", "avoid": "exclude"}
_OUR_FIELDS = ("prompt", "messages", "include", "exclude")


def to_fields(line: Mapping[str, Any], matching: MatchOptions | None = None) -> dict[str, Any]:
    """Return the fields of an input line of ours.

    >>> to_fields({"text": "An ap@@ ple.", "constraints": ["Apf@@ el"], "avoid": [], "text_id": 7})
    {'prompt': 'An apple.', 'include': [{'phrase': 'Apfel', 'case': 'exact'}], 'text_id': 7}
    """
    own = [name for name in _OUR_FIELDS if name in line]
    if own:
        raise DataError(f'"{own[0]}" is not a field of Sockeye\'s; for lines of our own leave out --format')
    if not isinstance(line.get("text"), str):
        raise DataError(
            '"text" must be a string' if "text" in line else 'give "text", what is to be translated'
        )
    fields: dict[str, Any] = {}
    for name, value in line.items():
        if name == "text":
            fields["prompt"] = joined(value).strip()
        elif name not in _PHRASES:
            fields[name] = value
        elif phrases := _phrases(name, value, matching or MatchOptions()):
            fields[_PHRASES[name]] = phrases
    if not fields["prompt"]:
        raise DataError('"text" is empty')
    return fields


def renamed(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a refused line, for an output line with its error.

    In an output line `text` is the generated text, so the source needs another name.
    """
    return {"prompt" if name == "text" else name: value for name, value in line.items()}


def _phrases(name: str, value: Any, matching: MatchOptions) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        hint = f'; write ["{value}"]' if isinstance(value, str) else ""
        raise DataError(f'"{name}" must be a list of phrases{hint}')
    return [phrase_of(item, f"{name}[{index}]", matching) for index, item in enumerate(value)]
