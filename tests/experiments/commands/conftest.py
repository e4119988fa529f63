"""The fixtures of the command line's own tests: a stand-in for a model, and a way to run a command."""

import importlib.util

import pytest

from cli.conftest import lm, read_output, run, write_lines

__all__ = ["lm", "read_output", "run", "write_lines"]


@pytest.fixture(autouse=True)
def without_datasets(monkeypatch):
    """Look for data in folders only: the package `datasets`, if it is installed, would ask the hub."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *given: None if name == "datasets" else find(name, *given)
    )
