"""Peak memory, measured in a process of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

from neurologic.errors import NeurologicError
from neurologic.experiments.bench import memory
from neurologic.experiments.bench.workload import OURS

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells the peak")


@linux
def test_what_was_freed_again_counts():
    # In a process of its own: this one may have room to spare, which it would use again.
    program = (
        "from neurologic.experiments.bench import memory\n"
        "before = memory._status('VmRSS')\n"
        "memory._CLEAR.write_text(memory._CLEAR_PEAK)\n"
        "block = bytearray(b'x') * (64 * 2**20)\n"
        "del block\n"
        "print(memory._status('VmHWM') - before)"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(ended.stdout) > 50 * 2**20


@linux
def test_a_process_that_fails_says_why(tmp_path):
    with pytest.raises(NeurologicError, match=r"memory of neurologic could not be measured: .*config\.json"):
        memory.peak_memory(OURS, str(tmp_path), {}, quick=True)


def test_elsewhere_there_is_no_figure(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "_CLEAR", tmp_path / "nothing")
    assert memory.peak_memory(OURS, "nowhere", {}, quick=True) is None
