"""How torch's threads wait for each other: briefly, unless the user says otherwise."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from neurologic.cli.waiting import BRIEFLY, CHOICES, wait_briefly

COMMAND = "from neurologic.cli import main; main(['--version']); import torch"


def test_threads_wait_briefly_by_default() -> None:
    environment = {"HOME": "/"}
    wait_briefly(environment)
    assert environment == {"HOME": "/", **BRIEFLY}


@pytest.mark.parametrize("choice", CHOICES)
def test_the_users_own_choice_stays(choice: str) -> None:
    environment = {choice: "7"}
    wait_briefly(environment)
    assert environment == {choice: "7"}


MAPS = Path("/proc/self/maps")


@pytest.mark.skipif(
    not MAPS.exists() or "libgomp" not in MAPS.read_text(encoding="utf-8"),
    reason="this torch has no GNU OpenMP",
)
@pytest.mark.parametrize(("given", "expected"), [({}, "1000"), ({"GOMP_SPINCOUNT": "77"}, "77")])
def test_openmp_hears_of_it_before_torch_is_there(given: dict[str, str], expected: str) -> None:
    assert torch.get_num_threads()
    environment = {name: value for name, value in os.environ.items() if name not in CHOICES}
    done = subprocess.run(
        [sys.executable, "-c", COMMAND],
        env={**environment, **given, "OMP_DISPLAY_ENV": "VERBOSE"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert re.findall(r"GOMP_SPINCOUNT = '(\d+)'", done.stderr) == [expected]
