"""Recognise GGUF files, and let transformers read them.

transformers turns the weights back into floating-point numbers, so a quantised file takes as much memory as
the original model; llama.cpp runs it as it is (`llama_cpp`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from neurologic.errors import ModelError

_MAGIC = b"GGUF"


def is_gguf_name(name: str) -> bool:
    """Return whether a name ends like that of a GGUF file."""
    return name.lower().endswith(".gguf")


def require_gguf(path: Path) -> None:
    """Raise `ModelError` unless `path` is a GGUF file."""
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
    """Return the arguments with which `from_pretrained` reads a GGUF file as floating-point weights."""
    from transformers import GgufConfig

    if "quantization_config" in options:
        raise ModelError(
            f"{name} is quantised already, and transformers reads it as floating-point numbers; "
            'run it as it is with engine="llama.cpp" (--engine llama.cpp), or choose another dtype'
        )
    return {**options, "gguf_file": file, "quantization_config": GgufConfig(dequantize=True)}


def put_begin_token(tokenizer: Any, path: Path) -> None:
    """Make the tokenizer prepend the start token that the file specifies; transformers omits it."""
    from gguf import GGUFReader
    from tokenizers.processors import TemplateProcessing

    begin = tokenizer.bos_token_id
    if begin is None or tokenizer("a")["input_ids"][:1] == [begin]:
        return
    field = GGUFReader(path).get_field("tokenizer.ggml.add_bos_token")
    if field is None or not field.contents():
        return
    token = str(tokenizer.bos_token)
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single=[token, "$A"], special_tokens=[(token, begin)]
    )
