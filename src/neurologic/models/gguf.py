"""GGUF files: how they are told from others, and how transformers reads them.

transformers turns the weights back into floating-point numbers, so a quantised file takes as much memory as
the model that it was made from; llama.cpp runs it as it is (`llama_cpp`).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from neurologic.errors import ModelError

_MAGIC = b"GGUF"


def is_gguf_name(name: str) -> bool:
    """Whether a name is meant to be that of a GGUF file."""
    return name.lower().endswith(".gguf")


def require_gguf(path: Path) -> None:
    """Raise `ModelError` unless there is a GGUF file of this name."""
    if path.is_dir():
        files = sorted(file.name for file in path.glob("*.gguf"))
        named = f"; it holds {', '.join(files[:5])}" if files else ""
        raise ModelError(f"{path} is a folder; name the GGUF file itself{named}")
    if not path.is_file():
        raise ModelError(f"there is no file {path}")
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise ModelError(f"{path} is not a GGUF file (it does not start with the letters GGUF)")


def gguf_options(file: str, name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """What `from_pretrained` needs to make floating-point weights of a GGUF file."""
    from transformers import GgufConfig

    for module in ("gguf", "accelerate"):
        if importlib.util.find_spec(module) is None:
            raise ModelError(f"reading the GGUF file {name} needs the package {module}: pip install {module}")
    if "quantization_config" in options:
        raise ModelError(
            f"{name} is quantised already, and transformers reads it as floating-point numbers; "
            'run it as it is with engine="llama.cpp" (--engine llama.cpp), or choose another dtype'
        )
    return {**options, "gguf_file": file, "quantization_config": GgufConfig(dequantize=True)}
