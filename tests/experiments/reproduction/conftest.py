"""For all tests of a reproduction: the metrics' packages, few draws, and no Java, which is slow to start."""

from functools import partial

import pytest

from neurologic.experiments import metrics
from neurologic.experiments.reproduction import curves
from neurologic.experiments.tasks.commongen import CommonGen


@pytest.fixture(autouse=True)
def quick_metrics(monkeypatch):
    for package in CommonGen.packages:
        pytest.importorskip(package)
    monkeypatch.setenv("NEUROLOGIC_JAVA", "/nonexistent/java")
    monkeypatch.setattr(metrics, "compare", partial(metrics.compare, draws=100))
    monkeypatch.setattr(curves, "interval", partial(metrics.interval, draws=100))
