"""The everyday tasks themselves: enough of each kind, and prompts that do what they say."""

from __future__ import annotations

from collections import Counter

import pytest

from neurologic.errors import DataError
from neurologic.experiments.tasks.everyday.task_file import KINDS, EverydayTask, read_tasks
from neurologic.logic import Formula, check, parse, to_clauses
from neurologic.logic.contradictions import require_consistent

TASKS = read_tasks()


def required(formula: Formula) -> set[str]:
    return {clause.text for clause in check(formula, "") if not clause.satisfied}


def said(formula: Formula, text: str) -> set[str]:
    return {clause.text for clause in check(formula, text) if clause.satisfied} & required(formula)


def test_there_are_as_many_tasks_of_a_kind_in_either_half():
    counts = Counter((task.kind, task.half) for task in TASKS)
    assert {kind for kind, _ in counts} == set(KINDS)
    assert set(counts.values()) == {5}
    assert len({task.id for task in TASKS}) == len(TASKS) == 80


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_a_task_can_be_solved_and_its_prompts_name_what_they_should(task: EverydayTask):
    formula = parse(task.formula)
    require_consistent(to_clauses(formula))
    assert said(formula, task.naming) == required(formula)
    in_plain = said(formula, task.plain)
    assert all(clause.strip('"')[0].isupper() for clause in in_plain), "only names, which nobody can guess"
    assert len(in_plain) < len(required(formula))


def test_formulas_have_two_to_six_required_clauses():
    counts = Counter(len(required(parse(task.formula))) for task in TASKS)
    assert set(counts) == {2, 3, 4, 5, 6}
    assert counts.most_common(1)[0][0] == 4


def test_paragraphs_without_worn_phrases_forbid_thirty():
    for task in TASKS:
        if task.kind == "worn":
            formula = parse(task.formula)
            assert len(to_clauses(formula)) - len(required(formula)) == 30


@pytest.mark.parametrize("line", ['{"id": "x"}', '{"id": 1, "kind": "ode", "half": "tune"}', "[1]"])
def test_a_wrong_line_is_named(tmp_path, line):
    path = tmp_path / "tasks.jsonl"
    path.write_text(line)
    with pytest.raises(DataError, match=r"tasks\.jsonl, line 1"):
        read_tasks(path)
