"""A data folder of the dialogue task."""

from __future__ import annotations

import json

import pytest

from experiments.tasks.dialogue.sample_data import HEAD, HOTELS, RESTAURANTS


@pytest.fixture
def folder(tmp_path):
    for domain, rows in (("hotel", HOTELS), ("restaurant", RESTAURANTS)):
        (tmp_path / domain).mkdir()
        (tmp_path / domain / "valid.json").write_text(HEAD + json.dumps(rows, indent=4))
    return tmp_path
