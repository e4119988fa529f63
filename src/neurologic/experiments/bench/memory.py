"""The peak memory of one side: a process of its own loads the model, then writes the texts of scenario (e).

What counts is resident memory over that of the loaded model, compiled formulas included. The system keeps the
peak, and a process can set it back after loading; that is known of Linux only, and only the memory of the CPU
counts, so that elsewhere there is no figure.
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
from neurologic.experiments.bench.scenarios import FULL, OURS, QUICK, Workload, workloads

LETTER = "e"

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_CLEAR_PEAK = "5"  # what the kernel's documentation of that file has for "set back the peak"


def peak_memory(side: str, model: str, options: Mapping[str, Any], *, quick: bool) -> int | None:
    """Bytes that a side needs at its peak over the loaded model's; None where it cannot be told.

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


def in_this_process(side: str, model: str, options: Mapping[str, Any], *, quick: bool) -> int | None:
    """The same, of the process that calls it, which should have done nothing else before."""
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
    _write(lm, workload, side)
    return _status("VmHWM") - loaded


def _write(lm: Any, workload: Workload, side: str) -> None:
    from neurologic.experiments.bench.ours import compile_formulas, run_ours
    from neurologic.experiments.bench.reference import batches_of, run_reference

    if side == OURS:
        constraints, _ = compile_formulas(lm, workload, side)
        run_ours(lm, workload, constraints)
    else:
        run_reference(lm, workload, batches_of(lm, workload))


def _status(name: str) -> int:
    """A size of this process in bytes."""
    for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise NeurologicError(f"the system does not tell {name}")


if __name__ == "__main__":
    sys.stdout.write(f"\n{json.dumps(in_this_process(**json.load(sys.stdin)))}\n")
