"""Acts and files of the dialogue task, for its tests."""

from __future__ import annotations

import pytest

import paths
from neurologic.experiments.tasks.base import options_of
from neurologic.experiments.tasks.dialogue import Dialogue
from neurologic.experiments.tasks.dialogue.acts import parse_act

DATA = paths.DATA / "dialogue"
real = pytest.mark.skipif(not DATA.is_dir(), reason=f"the dialogue data is not at {DATA}")

HEAD = "#####\n# Copyright somebody\n#####\n"
HOTELS = [
    ["inform(name='red inn';near='soma')", "the red inn is near soma", "baseline"],
    ["goodbye()", "thank you . goodbye", "baseline"],
    ["inform(near='soma';name='red inn')", "red inn is a hotel near soma", "baseline"],
    ["inform(name='blue inn';near='nob hill')", "there is the blue inn near nob hill", "baseline"],
]
RESTAURANTS = [
    ["?request(food)", "what kind of food would you like", "baseline"],
    ["inform_count(type=restaurant;count='2';kidsallowed=yes)", "2 restaurant -s allow child -s", "baseline"],
]


def act(text, domain="hotel"):
    return parse_act(text, domain)


def items(folder, split="dev", **options):
    task = Dialogue()
    return task.items(folder, split, options_of(task, options))
