"""Sockeye's JSON input: `{"text": source, "constraints": […], "avoid": […]}`, one object a line.

Sockeye read it until version 2 with `--json-input`. `text` becomes `prompt`, `constraints` becomes `include`
and `avoid` becomes `exclude`; all other fields are kept. Those with which Sockeye steered a translation in
other ways (`factors`, `restrict_lexicon`, `target_prefix`) have no effect here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neurologic.errors import DataError
from neurologic.integrations.toolkit_phrases import MatchOptions, joined, phrase_of

_NAMES = {"text": "prompt", "constraints": "include", "avoid": "exclude"}
_OF_OUR_OWN = ("prompt", "messages", "include", "exclude")


def to_fields(line: Mapping[str, Any], matching: MatchOptions | None = None) -> dict[str, Any]:
    """The fields of an input line of our own.

    >>> to_fields({"text": "An ap@@ ple.", "constraints": ["Apf@@ el"], "avoid": [], "text_id": 7})
    {'prompt': 'An apple.', 'include': [{'phrase': 'Apfel', 'case': 'exact'}], 'text_id': 7}
    """
    own = [name for name in _OF_OUR_OWN if name in line]
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
        elif name in _NAMES:
            phrases = _phrases(name, value, matching or MatchOptions())
            fields |= {_NAMES[name]: phrases} if phrases else {}
        else:
            fields[name] = value
    if not fields["prompt"]:
        raise DataError('"text" is empty')
    return fields


def renamed(line: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a line that cannot be used, for the line with its error.

    In an output line `text` is what was generated, so the source may not stay under that name.
    """
    return {"prompt" if name == "text" else name: value for name, value in line.items()}


def _phrases(name: str, value: Any, matching: MatchOptions) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        hint = f'; write ["{value}"]' if isinstance(value, str) else ""
        raise DataError(f'"{name}" must be a list of phrases{hint}')
    return [phrase_of(one, f"{name}[{index}]", matching) for index, one in enumerate(value)]
