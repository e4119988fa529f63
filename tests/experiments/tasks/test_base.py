"""What all tasks share: packages that have to be there before texts are written for hours."""

from collections.abc import Mapping

import pytest

from experiments.runs.toy import Toy
from neurologic.errors import DataError
from neurologic.experiments.tasks import TASKS
from neurologic.experiments.tasks.base import require_packages


class Needy(Toy):
    packages: Mapping[str, str] = {"json": "metrics", "no_such_aligner": "winomt", "no_such_foods": "recipes"}


def test_what_is_missing_is_named_with_the_extras_that_bring_it():
    with pytest.raises(
        DataError, match=r"need no_such_aligner, no_such_foods: pip .*neurologic\[winomt,recipes\]"
    ):
        require_packages(Needy())


def test_nothing_missing_is_nothing_to_say():
    require_packages(Toy())


def test_every_extra_is_one_of_the_project():
    declared = {"metrics", "recipes", "winomt"}
    for name, task in TASKS.items():
        assert set(task.packages.values()) <= declared, name
