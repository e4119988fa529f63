"""Avoid Intel's matrix instructions (AMX) on machines where they do not work.

Some virtual machines announce AMX but kill a process that uses it. oneDNN uses it as soon as torch
multiplies in half precision, and llama.cpp does with quantised weights.
"""

from __future__ import annotations

import faulthandler
import functools
import os
import signal
import time
from collections.abc import Callable
from typing import Any

import torch

_PROBE_SECONDS = 10.0
# The newest instructions that oneDNN may use where AMX does not work.
_WITHOUT_AMX = "AVX512_CORE_FP16"


@functools.cache
def amx_is_broken() -> bool:
    """Return whether this machine announces AMX but kills processes that use it; a child process tries."""
    announced = getattr(torch.cpu, "_is_amx_tile_supported", lambda: False)()
    return bool(announced) and hasattr(os, "fork") and not _survives(_multiply_in_half_precision)


def avoid_amx_for(model: Any) -> None:
    """Switch broken AMX off if a model runs on the CPU in half precision or with quantised weights."""
    # Weights that accelerate keeps on a disk are on the device "meta".
    on_cpu = [weight for weight in model.parameters() if weight.device.type in ("cpu", "meta")]
    halved = any(weight.dtype in (torch.float16, torch.bfloat16) for weight in on_cpu)
    if halved or (on_cpu and getattr(model, "is_quantized", False)):
        avoid_amx()


@functools.cache
def avoid_amx() -> None:
    """Make oneDNN work without AMX in this process if AMX is broken."""
    if not amx_is_broken():
        return
    os.environ.setdefault("ONEDNN_MAX_CPU_ISA", _WITHOUT_AMX)
    # oneDNN reads the variable once; if it has done so already, only switching oneDNN off helps.
    if not _survives(_multiply_in_half_precision):
        torch.backends.mkldnn.set_flags(False)


def _multiply_in_half_precision() -> None:
    with torch.inference_mode():
        matrix = torch.ones(64, 64, dtype=torch.bfloat16)
        torch.nn.functional.linear(matrix, matrix)


def _survives(action: Callable[[], None]) -> bool:
    """Return whether a child process survives an action."""
    child = os.fork()
    if child == 0:  # run nothing but the action: no messages, no clean-up of the parent's objects
        try:
            faulthandler.disable()
            torch.set_num_threads(1)  # the parent's other threads do not exist here
            action()
        finally:
            os._exit(0)
    deadline = time.monotonic() + _PROBE_SECONDS
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return not os.WIFSIGNALED(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False
