"""Cases that once failed, and a few random ones of every kind with fixed seeds."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from attack.kinds import KINDS, run_case

FOUND = sorted((Path(__file__).parent / "found").glob("*.json"))


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_a_case_that_once_failed(path: Path) -> None:
    saved = json.loads(path.read_text())
    run_case(saved["kind"], saved["case"])


@pytest.mark.parametrize("kind", KINDS)
def test_random_cases_of_every_kind(kind: str) -> None:
    chance = random.Random(7)
    for _ in range(3 * KINDS[kind].weight):
        run_case(kind, KINDS[kind].make_case(chance))
