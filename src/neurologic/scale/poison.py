"""Find the row that ends the process which writes it, so that it fails alone.

A worker that is killed tells nobody why: the machine may be gone, or a row may need more memory than there
is. So a block leaves a mark when it starts. A block that starts again runs its rows one by one, each with a
mark of its own, and a row that was running when its worker died twice is given up, with the reason as its
error. A worker runs one such row at a time, whatever block it is of: otherwise one row would get the blame
for another. All marks go when the part is there, and when a run starts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TypeVar

from neurologic.errors import NeurologicError
from neurologic.scale.parts import PartFolder

Row = TypeVar("Row")
Written = TypeVar("Written")
GIVEN_UP_AFTER = 2
_BLOCK, _ROW = "block", "row"
_alone = Lock()  # calls of one actor may overlap


class PoisonError(NeurologicError, RuntimeError):
    """A row that ended its worker."""


class Attempts:
    """The marks of one block."""

    def __init__(self, folder: PartFolder, part: str) -> None:
        self._folder = folder
        self._marks = f"attempts/{part}"

    def start(self) -> bool:
        """Leave a mark; return whether an earlier attempt did so and never came to its end."""
        found = self._folder.files_in(self._marks)
        self._folder.touch(self._marks, f"{_BLOCK}.{len(found)}")
        return any(name.startswith(_BLOCK) for name in found)

    def one_by_one(
        self,
        rows: Sequence[Row],
        marks: Sequence[str],
        write: Callable[[Row], Written],
        give_up: Callable[[Row, PoisonError], Written],
    ) -> list[Written]:
        """Write rows one by one; give up those that ended their workers."""
        deaths = Counter(
            name.split(".")[1] for name in self._folder.files_in(self._marks) if name.startswith(_ROW)
        )
        results = []
        for row, mark in zip(rows, marks, strict=True):
            if deaths[mark] >= GIVEN_UP_AFTER:
                results.append(
                    give_up(row, PoisonError(f"the worker died {deaths[mark]} times while it wrote this row"))
                )
                continue
            name = f"{_ROW}.{mark}.{deaths[mark]}"
            with _alone:
                self._folder.touch(self._marks, name)
                results.append(write(row))
                self._folder.remove(f"{self._marks}/{name}")
        return results

    def clear(self) -> None:
        """Remove the marks of a block that is written."""
        self._folder.remove(self._marks)
