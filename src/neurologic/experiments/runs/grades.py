"""Turn the grades that people gave on a page of texts (see `side_by_side`) into figures per system.

A file of grades is what the page's button saves: `{"grader": name, "grades": {text id: 1 to 5}}`. Of several
graders, the mean of their grades of a text counts. A system's texts are compared with those of the first
system on the inputs where both have a grade: how many are better, equal and worse, and the p-value of a
two-sided sign test for "neither is better", which leaves equal ones out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neurologic.errors import DataError
from neurologic.experiments.runs.run_statistics import mean, percent
from neurologic.experiments.runs.side_by_side import GRADES, KEY
from neurologic.experiments.tables import Block, Cell, ResultTable, Row, number_cell
from neurologic.experiments.tasks.files import parse_json

GOOD = 4  # grades from here on are of texts that one could send


@dataclass(frozen=True)
class GradedSystem:
    """The grades of a system's texts.

    grades  by the id of the input
    """

    name: str
    grades: Mapping[str, float]

    def compared_with(self, first: GradedSystem) -> Comparison:
        """Compare the texts with those of another system, input by input."""
        pairs = [
            (grade, first.grades[place]) for place, grade in self.grades.items() if place in first.grades
        ]
        return Comparison(
            better=sum(own > other for own, other in pairs),
            equal=sum(own == other for own, other in pairs),
            worse=sum(own < other for own, other in pairs),
        )


@dataclass(frozen=True)
class Comparison:
    """On how many inputs a system's text has a better, an equal or a worse grade than another's."""

    better: int
    equal: int
    worse: int

    @property
    def p_value(self) -> float:
        """The probability that a fair coin is at least as one-sided.

        >>> Comparison(better=8, equal=3, worse=0).p_value
        0.0078125
        """
        tosses, fewer = self.better + self.worse, min(self.better, self.worse)
        tail = sum(math.comb(tosses, count) for count in range(fewer + 1)) / 2**tosses
        return min(1.0, 2 * tail)


def read_grades(folder: Path, files: Sequence[Path]) -> list[GradedSystem]:
    """Return the graded texts of the systems on a folder's page, in the order of its key."""
    key = _read_key(folder / KEY)
    graders = [_read_file(path) for path in files]
    by_text = {
        text: sum(grades) / len(grades)
        for text in {text for grades in graders for text in grades}
        if (grades := [found[text] for found in graders if text in found])
    }
    inputs: Mapping[str, Mapping[str, str]] = key["inputs"]
    systems = [
        GradedSystem(
            name,
            {place: by_text[texts[name]] for place, texts in inputs.items() if texts.get(name) in by_text},
        )
        for name in key["systems"]
    ]
    if not any(system.grades for system in systems):
        raise DataError(f"none of these grades is for a text of {folder}: they belong to another page")
    return systems


def grades_table(systems: Sequence[GradedSystem]) -> ResultTable:
    """Return a row per system: mean grade, and better and worse texts than those of the first."""
    first = systems[0]
    headings = ("graded", "mean", f"{GOOD} or 5 %", "better", "equal", "worse", "p")
    return ResultTable(
        "Grades",
        headings,
        (Block("", tuple(_row(system, first) for system in systems)),),
        f"grades from 1 to 5; better, equal, worse: texts beside those of {first.name}; p of a sign test",
        corner="system",
    )


def _row(system: GradedSystem, first: GradedSystem) -> Row:
    grades = list(system.grades.values())
    cells = [
        number_cell(len(grades), digits=0),
        number_cell(mean(grades), digits=2),
        number_cell(percent(grade >= GOOD for grade in grades), digits=0),
    ]
    if system is first:
        return Row(system.name, (*cells, *(Cell("-") for _ in range(4))))
    found = system.compared_with(first)
    counts = (number_cell(count, digits=0) for count in (found.better, found.equal, found.worse))
    return Row(system.name, (*cells, *counts, number_cell(found.p_value, digits=3)))


def grades_document(systems: Sequence[GradedSystem]) -> dict[str, Any]:
    """Return the table as JSON, with the grade of every text."""
    first = systems[0]
    document = {}
    for system in systems:
        found = system.compared_with(first)
        document[system.name] = {
            "graded": len(system.grades),
            "mean": mean(system.grades.values()),
            **({} if system is first else {**vars(found), "p_value": found.p_value}),
            "grades": dict(system.grades),
        }
    return {"compared_with": first.name, "systems": document}


def _read_key(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise DataError(f"there is no {path}, the key of a page of texts; name the folder of that page")
    key = _read_object(path)
    if not isinstance(key.get("systems"), list) or not isinstance(key.get("inputs"), dict):
        raise DataError(f"{path} is not the key of a page of texts")
    return key


def _read_file(path: Path) -> dict[str, int]:
    grades = _read_object(path).get("grades")
    if not isinstance(grades, dict):
        raise DataError(f'{path} has no "grades"; save the grades with the button of the page')
    for text, grade in grades.items():
        if type(grade) is not int or grade not in GRADES:
            raise DataError(f"{path}: the grade of {text} is {grade!r}; it must be one of 1 to 5")
    return grades


def _read_object(path: Path) -> dict[str, Any]:
    try:
        found = parse_json(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read {path}: {error}") from error
    if not isinstance(found, dict):
        raise DataError(f"{path}: expected a JSON object")
    return found
