"""For all tests of a reproduction: the metrics' packages, and no Java, which is slow to start."""

import pytest

from neurologic.experiments.tasks.commongen import CommonGen


@pytest.fixture(autouse=True)
def _quick_metrics(monkeypatch):
    for package in CommonGen.packages:
        pytest.importorskip(package)
    monkeypatch.setenv("NEUROLOGIC_JAVA", "/nonexistent/java")
