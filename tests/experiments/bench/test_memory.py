"""Peak memory, measured in a process of its own."""

from __future__ import annotations

import sys

import pytest

from neurologic.errors import NeurologicError
from neurologic.experiments.bench import memory
from neurologic.experiments.bench.workload import OURS

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells the peak")


@linux
def test_what_was_freed_again_counts():
    before = memory._status("VmRSS")
    memory._CLEAR.write_text(memory._CLEAR_PEAK)
    block = bytearray(b"x") * (64 * 2**20)
    del block
    assert memory._status("VmHWM") - before > 50 * 2**20


@linux
def test_a_process_that_fails_says_why(tmp_path):
    with pytest.raises(NeurologicError, match=r"memory of neurologic could not be measured: .*config\.json"):
        memory.peak_memory(OURS, str(tmp_path), {}, quick=True)


def test_elsewhere_there_is_no_figure(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "_CLEAR", tmp_path / "nothing")
    assert memory.peak_memory(OURS, "nowhere", {}, quick=True) is None
