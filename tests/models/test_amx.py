"""Trying AMX in a child process."""

from __future__ import annotations

import os
import signal

import pytest

from neurologic.models import amx


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_child_that_dies_is_noticed() -> None:
    def die() -> None:
        os.kill(os.getpid(), signal.SIGILL)

    assert amx._survives(lambda: None)
    assert not amx._survives(die)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_child_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(amx, "_PROBE_SECONDS", 0.2)
    assert not amx._survives(signal.pause)
