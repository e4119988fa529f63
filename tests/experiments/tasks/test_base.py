"""What all tasks share: options, packages that have to be there, prompts."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from experiments.runs.toy import Toy
from neurologic.errors import DataError
from neurologic.experiments.tasks import TASKS
from neurologic.experiments.tasks.base import (
    chat,
    ignores_formulas,
    options_of,
    require_packages,
)


class Needy(Toy):
    packages: Mapping[str, str] = {"json": "metrics", "no_such_aligner": "winomt", "no_such_foods": "recipes"}


def test_missing_packages_are_named_with_their_extras():
    with pytest.raises(
        DataError, match=r"need no_such_aligner, no_such_foods: pip .*neurologic.*\[winomt,recipes\]"
    ):
        require_packages(Needy())


def test_every_task_keeps_its_part_of_the_contract():
    declared = {"metrics", "recipes", "winomt"}
    for name, task in TASKS.items():
        assert task.name == name
        assert set(task.packages.values()) <= declared
        assert all(option.default or not option.choices for option in task.options)
        assert task.examples.strip().startswith(f"neurologic eval {name}")


def test_options_have_defaults_and_refuse_unknown_choices():
    assert options_of(Toy(), {"name": "her"}) == {"tone": "plain", "name": "her"}
    with pytest.raises(DataError, match="tone 'soft': choose one of plain, loud"):
        options_of(Toy(), {"tone": "soft"})


def test_a_chat_ends_with_the_request():
    assert chat("now", [("before", "done")]) == [
        {"role": "user", "content": "before"},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": "now"},
    ]


def test_decoders_without_constraints_ignore_formulas():
    assert {name: ignores_formulas(name) for name in ("beam", "greedy", "neurologic", "dba")} == {
        **dict.fromkeys(("beam", "greedy"), True),
        **dict.fromkeys(("neurologic", "dba"), False),
    }
