"""Grades that people gave: means, better and worse texts, and files that do not fit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurologic.errors import DataError
from neurologic.experiments.runs.grades import (
    Comparison,
    GradedSystem,
    grades_document,
    grades_table,
    read_grades,
)
from neurologic.experiments.runs.side_by_side import KEY

# The texts of both systems are equal for the third input.
INPUTS = {
    "1": {"old": "o1", "new": "n1"},
    "2": {"old": "o2", "new": "n2"},
    "3": {"old": "same", "new": "same"},
    "4": {"new": "n4"},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / KEY).write_text(json.dumps({"systems": ["old", "new"], "inputs": INPUTS}))
    return tmp_path


def file(folder: Path, name: str = "grades.json", **grades: object) -> Path:
    path = folder / name
    path.write_text(json.dumps({"grader": "ann", "grades": grades}))
    return path


def test_means_and_counts_beside_the_first_system(folder):
    old, new = read_grades(folder, [file(folder, o1=2, n1=4, o2=3, n2=1, same=5, n4=2, of_another_page=1)])
    assert old.grades == {"1": 2, "2": 3, "3": 5}
    assert new.grades == {"1": 4, "2": 1, "3": 5, "4": 2}
    assert new.compared_with(old) == Comparison(better=1, equal=1, worse=1)
    first, second = grades_table([old, new]).blocks[0].rows
    assert [cell.text for cell in first.cells] == ["3", "3.33", "33", "-", "-", "-", "-"]
    assert [cell.text for cell in second.cells] == ["4", "3.00", "50", "1", "1", "1", "1.000"]
    document = grades_document([old, new])
    assert document["compared_with"] == "old"
    assert document["systems"]["new"]["better"] == 1


def test_the_grades_of_several_people_are_averaged(folder):
    first, second = file(folder, "a.json", o1=2, n1=5), file(folder, "b.json", o1=4)
    old, new = read_grades(folder, [first, second])
    assert (old.grades, new.grades) == ({"1": 3}, {"1": 5})


def test_a_system_without_a_grade_has_no_mean(folder):
    old, new = read_grades(folder, [file(folder, n1=4)])
    assert grades_table([old, new]).blocks[0].rows[0].cells[1].text == "n/a"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not JSON"),
        ("[]", "expected a JSON object"),
        ("{}", 'no "grades"'),
        ('{"grades": {"o1": 6}}', "grade of o1 is 6"),
        ('{"grades": {"o1": true}}', "grade of o1 is True"),
        ('{"grades": {"o1": [1]}}', "grade of o1"),
        ('{"grades": {"elsewhere": 3}}', "another page"),
    ],
)
def test_a_file_that_does_not_fit_is_named(folder, content, message):
    path = folder / "grades.json"
    path.write_text(content)
    with pytest.raises(DataError, match=message):
        read_grades(folder, [path])


def test_a_folder_without_a_page_and_a_missing_file_are_errors(folder, tmp_path):
    with pytest.raises(DataError, match="cannot read"):
        read_grades(folder, [folder / "missing.json"])
    with pytest.raises(DataError, match="name the folder of that page"):
        read_grades(tmp_path / "elsewhere", [file(folder, o1=1)])


@given(st.integers(0, 6), st.integers(0, 6), st.integers(0, 3))
def test_the_sign_test_counts_all_outcomes_that_are_as_one_sided(better, worse, equal):
    tosses = better + worse
    outcomes = range(2**tosses)
    extreme = sum(abs(2 * outcome.bit_count() - tosses) >= abs(better - worse) for outcome in outcomes)
    assert Comparison(better, equal, worse).p_value == pytest.approx(extreme / 2**tosses)


def test_systems_are_compared_on_inputs_that_both_have():
    first, second = GradedSystem("a", {"1": 3.0, "2": 4.0}), GradedSystem("b", {"2": 5.0, "3": 1.0})
    assert second.compared_with(first) == Comparison(better=1, equal=0, worse=0)
