"""Where and how a model of transformers runs: device, type of the weights, several devices, threads.

Types on the CPU are a question of time and memory, docs/placement.md has figures. Limits: `int8` quantises
the weights of linear layers only and calculates in floating point (the extra `neurologic[int8]`); threads are
the whole process's.
"""

from __future__ import annotations

import faulthandler
import functools
import importlib.util
import os
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from neurologic.errors import ModelError

DTYPES = ("auto", "float32", "float16", "bfloat16", "int8")

_PROBE_SECONDS = 10.0
# The newest instructions that oneDNN may use where AMX does not work.
_WITHOUT_AMX = "AVX512_CORE_FP16"


@dataclass(frozen=True)
class Placement:
    """Where a model goes.

    device   the one device of all weights; None where a device map spreads them
    options  what `from_pretrained` gets: dtype, device_map, quantization_config
    """

    device: torch.device | None
    options: Mapping[str, Any]


def placement_of(
    device: str | torch.device | None = None,
    dtype: str | torch.dtype | None = None,
    device_map: str | Mapping[str, Any] | None = None,
) -> Placement:
    """Where a model goes; raises `ModelError` for what does not exist or is not installed."""
    if device is not None and device_map is not None:
        raise ModelError("give device for one device, or device_map for several, not both")
    chosen = None if device_map is not None else _device(device)
    on_cpu = chosen is not None and chosen.type == "cpu"
    kind = _dtype_name(dtype)
    if kind is None:
        kind = "float32" if on_cpu else "auto"
    options: dict[str, Any] = {"dtype": kind}
    if kind == "int8":
        options = {"dtype": "float32" if on_cpu else "auto", "quantization_config": _int8_weights()}
    if device_map is not None:
        options["device_map"] = dict(device_map) if isinstance(device_map, Mapping) else device_map
    return Placement(chosen, options)


def set_threads(threads: int | None) -> None:
    """Let torch use so many threads; None leaves it as it is, by default one per physical core."""
    if threads is None:
        return
    if not isinstance(threads, int) or threads < 1:
        raise ModelError(f"threads must be a whole number of at least 1, not {threads!r}")
    torch.set_num_threads(threads)


def threads_of_torch() -> int:
    """How many threads torch uses: one per physical core, unless it was told otherwise."""
    return torch.get_num_threads()


def _device(device: str | torch.device | None) -> torch.device:
    try:
        return torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    except RuntimeError as error:
        raise ModelError(f"there is no device {device!r}: {str(error).splitlines()[0]}") from None


def _dtype_name(dtype: str | torch.dtype | None) -> str | None:
    name = str(dtype).removeprefix("torch.") if isinstance(dtype, torch.dtype) else dtype
    if name is not None and name not in DTYPES:
        raise ModelError(f"there is no dtype {name!r} for weights; choose one of {', '.join(DTYPES)}")
    return name


def _int8_weights() -> Any:
    if importlib.util.find_spec("torchao") is None:
        raise ModelError("dtype int8 needs the package torchao: pip install 'neurologic[int8]'")
    from torchao.quantization import Int8WeightOnlyConfig
    from transformers import TorchAoConfig

    return TorchAoConfig(Int8WeightOnlyConfig())


# --- AMX -----------------------------------------------------------------------------------------
# Some virtual machines announce Intel's matrix instructions, but kill a process that uses them. oneDNN does,
# as soon as it multiplies in half precision, and llama.cpp with quantised weights.


@functools.cache
def amx_is_broken() -> bool:
    """Whether this machine announces AMX but does not let one use it; a child process tries it out."""
    announced = getattr(torch.cpu, "_is_amx_tile_supported", lambda: False)()
    return bool(announced) and hasattr(os, "fork") and not _survives(_multiply_in_half_precision)


def keep_alive(model: Any) -> None:
    """Make a model in half precision, or with quantised weights, run on a CPU where AMX does not work."""
    on_cpu = [one for one in model.parameters() if one.device.type in ("cpu", "meta")]  # meta: on a disk
    halved = any(one.dtype in (torch.float16, torch.bfloat16) for one in on_cpu)
    if halved or (on_cpu and getattr(model, "is_quantized", False)):
        keep_from_amx()


@functools.cache
def keep_from_amx() -> None:
    """Tell oneDNN to do without AMX where it does not work; for the whole process."""
    if not amx_is_broken():
        return
    os.environ.setdefault("ONEDNN_MAX_CPU_ISA", _WITHOUT_AMX)
    # oneDNN reads that once; where it has done so already, only doing without it helps.
    if not _survives(_multiply_in_half_precision):
        torch.backends.mkldnn.set_flags(False)


def _multiply_in_half_precision() -> None:
    with torch.inference_mode():
        matrix = torch.ones(64, 64, dtype=torch.bfloat16)
        torch.nn.functional.linear(matrix, matrix)


def _survives(action: Callable[[], None]) -> bool:
    """Whether a child process lives through an action."""
    child = os.fork()
    if child == 0:  # nothing but the action may happen here: no messages, no clean-up of the parent's things
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
