"""Choose where and how a model of transformers runs: device or devices, type of the weights, threads.

On the CPU the type decides time and memory; docs/guides/placement.md has figures. `int8` concerns linear
layers only. On the CPU it multiplies whole numbers (`int8`); elsewhere, and on processors whose sums are not
exact, torchao keeps the weights in 8 bits and computes in floating point (the extra `int8`). Limit: threads
are those of the whole process.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from neurologic.errors import ModelError, missing_extra
from neurologic.models.int8 import multiplies_exactly

DTYPES = ("auto", "float32", "float16", "bfloat16", "int8")


@dataclass(frozen=True)
class Placement:
    """Where a model goes.

    device   the device of all weights; None if a device map spreads them
    options  arguments for `from_pretrained`: dtype, device_map, quantization_config
    int8     whether `int8.quantise` replaces its layers once it is loaded
    """

    device: torch.device | None
    options: Mapping[str, Any]
    int8: bool = False


def placement_of(
    device: str | torch.device | None = None,
    dtype: str | torch.dtype | None = None,
    device_map: str | Mapping[str, Any] | None = None,
) -> Placement:
    """Return where a model goes; raise `ModelError` for a device, type or package that is not there."""
    if device is not None and device_map is not None:
        raise ModelError("give device for one device, or device_map for several, not both")
    chosen = None if device_map is not None else _device(device)
    on_cpu = chosen is not None and chosen.type == "cpu"
    kind = _dtype_name(dtype)
    if kind is None:
        kind = "float32" if on_cpu else "auto"
    options: dict[str, Any] = {"dtype": kind}
    if kind == "int8" and on_cpu and multiplies_exactly():
        return Placement(chosen, {"dtype": "float32"}, int8=True)
    if kind == "int8":
        options = {"dtype": "float32" if on_cpu else "auto", "quantization_config": _int8_weights()}
    if device_map is not None:
        options["device_map"] = dict(device_map) if isinstance(device_map, Mapping) else device_map
    return Placement(chosen, options)


def set_threads(threads: int | None) -> None:
    """Let torch use this many threads; None keeps torch's default, one per physical core."""
    if threads is None:
        return
    if not isinstance(threads, int) or threads < 1:
        raise ModelError(f"threads must be a whole number of at least 1, not {threads!r}")
    torch.set_num_threads(threads)


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
        raise ModelError(missing_extra("torchao", "int8", purpose="dtype int8"))
    from torchao.quantization import Int8WeightOnlyConfig
    from transformers import TorchAoConfig

    return TorchAoConfig(Int8WeightOnlyConfig())
