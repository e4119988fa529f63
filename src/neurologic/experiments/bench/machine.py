"""Describe the machine: processor, threads, the device of the model, and versions."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import torch
import transformers

import neurologic
from neurologic.experiments.bench.results import Machine
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.models.int8 import is_quantised


def this_machine(lm: ConstrainedModel, model: str) -> Machine:
    """Describe this machine and how the model runs on it."""
    return Machine(
        cpu=_cpu(),
        cores=_cores(),
        threads=torch.get_num_threads(),
        system=f"{platform.system()} {platform.machine()}",
        model=Path(model).name,  # without the path of a folder, which is private
        device=str(lm.model.device),
        dtype="int8" if is_quantised(lm.model) else str(lm.model.dtype).removeprefix("torch."),
        versions={
            "neurologic": neurologic.__version__,
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "python": platform.python_version(),
        },
    )


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or "unknown processor"


def _cores() -> int:
    """Count the cores that this process may use, or all where the system does not say."""
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable is not None else os.cpu_count() or 1
