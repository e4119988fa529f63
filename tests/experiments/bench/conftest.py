"""A tiny model with a context that is long enough for every scenario."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from neurologic.experiments.bench import measure


@pytest.fixture(autouse=True)
def no_collections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Collect no garbage between runs, which takes seconds in a process that has run other tests."""
    monkeypatch.setattr(measure, "gc", SimpleNamespace(collect=lambda: 0))


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved model, which a process of its own can load too."""
    from experiments.bench.tiny import save_tiny_model

    return save_tiny_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="session")
def tiny(tiny_folder: Path) -> Any:
    import neurologic

    return neurologic.load(tiny_folder)
