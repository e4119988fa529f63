"""Measure the peak memory of one side of scenario (e), in a process of its own.

The result is resident memory above that of the loaded model, with compiled formulas. The system records the
peak, and the process resets it after it has loaded the model. Limits: only Linux can reset it, and only the
CPU's memory counts; elsewhere there is no result.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import neurologic
from neurologic.errors import NeurologicError
from neurologic.experiments.bench.scenarios import workloads
from neurologic.experiments.bench.workload import FULL, QUICK

LETTER = "e"

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_CLEAR_PEAK = "5"  # resets the peak, says the kernel's documentation of that file


def peak_memory(side: str, model: str, options: Mapping[str, Any], *, quick: bool) -> int | None:
    """Return the bytes that a side needs above the loaded model; None where they cannot be measured.

    model, options  as for `neurologic.load`
    """
    if not _CLEAR.exists():
        return None
    request = {"side": side, "model": model, "options": dict(options), "quick": quick}
    ended = subprocess.run(
        [sys.executable, "-m", __name__],
        input=json.dumps(request),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if ended.returncode:
        last = (ended.stderr.strip().splitlines() or ["it was killed"])[-1]
        raise NeurologicError(f"the memory of {side} could not be measured: {last}")
    answer: int | None = json.loads(ended.stdout.splitlines()[-1])
    return answer


def _in_this_process(side: str, model: str, options: Mapping[str, Any], *, quick: bool) -> int | None:
    """Do the same in this process, which should have done nothing else before."""
    from neurologic.experiments.bench.sides import prepare

    lm = neurologic.load(model, **options)
    if lm.model.device.type != "cpu":
        return None
    [workload] = workloads([LETTER], QUICK if quick else FULL, len)
    gc.collect()
    try:
        _CLEAR.write_text(_CLEAR_PEAK)
    except OSError:
        return None  # a sandbox may forbid it, and the peak would be that of loading
    loaded = _status("VmRSS")
    run, _ = prepare(lm, workload, side)
    run()
    return _status("VmHWM") - loaded


def _status(name: str) -> int:
    """Return a size of this process in bytes."""
    for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise NeurologicError(f"{_STATUS} has no {name}")


if __name__ == "__main__":
    sys.stdout.write(f"\n{json.dumps(_in_this_process(**json.load(sys.stdin)))}\n")
