"""Read the outputs that another program wrote for a task's inputs, one per line."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from neurologic.errors import DataError
from neurologic.experiments.tasks.base import Item
from neurologic.experiments.tasks.files import text_lines

CHOSEN = "one for each of the chosen inputs"


@dataclass(frozen=True)
class OutputLayout:
    """One way to lay out a file of outputs: a line for each key.

    name    its name in errors: "one per concept set"
    keys    the key of each line; of several lines with the same key, the first one counts
    key_of  returns the key of an item
    """

    name: str
    keys: Sequence[Hashable]
    key_of: Callable[[Item], Hashable]


def by_id(name: str, ids: Sequence[str]) -> OutputLayout:
    """Return the layout with a line for each of these ids of items."""
    return OutputLayout(name, ids, lambda item: item.id)


def read_outputs(path: Path, items: Sequence[Item], layouts: Iterable[OutputLayout]) -> list[str]:
    """Return the output of each item, from a file in one of the layouts or with a line per item.

    The number of lines tells the layouts apart; of two with the same number, the first counts.
    """
    by_length: dict[int, OutputLayout] = {}
    for layout in (*layouts, by_id(CHOSEN, [item.id for item in items])):
        by_length.setdefault(len(layout.keys), layout)
    lines = output_lines(path, {length: layout.name for length, layout in by_length.items()})
    layout = by_length[len(lines)]
    first: dict[Hashable, str] = {}
    for key, line in zip(layout.keys, lines, strict=True):
        first.setdefault(key, line)
    return [first[layout.key_of(item)] for item in items]


def output_lines(path: Path, counts: Mapping[int, str]) -> list[str]:
    """Return the lines of a file; `counts` are the numbers of lines it may have, with their reasons.

    An output may be blank, so blank lines at the end are dropped only if there are too many lines.
    """
    lines = text_lines(path)
    found = len(lines)
    while len(lines) not in counts and lines and not lines[-1].strip():
        lines.pop()
    if len(lines) not in counts:
        wanted = ", or ".join(f"{number} ({reason})" for number, reason in counts.items())
        raise DataError(f"{path} has {found} {'line' if found == 1 else 'lines'}; expected {wanted}")
    return lines
