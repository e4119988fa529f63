"""What a time depends on: the processor, the threads, the model's placement and the versions."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import torch
import transformers

import neurologic
from neurologic.experiments.bench.record import Machine
from neurologic.generation.model import ConstrainedModel


def this_machine(lm: ConstrainedModel, model: str) -> Machine:
    """This machine, and how the model runs on it."""
    return Machine(
        cpu=_cpu(),
        cores=_cores(),
        threads=torch.get_num_threads(),
        system=f"{platform.system()} {platform.machine()}",
        model=Path(model).name,  # of a folder its name: where it lies is nobody's business
        device=str(lm.model.device),
        dtype=str(lm.model.dtype).removeprefix("torch."),
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
    """Those that this process may use, where the system tells."""
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable is not None else os.cpu_count() or 1
