"""Recognise GGUF files, and let transformers read or convert them.

transformers turns the weights back into floating-point numbers, so a quantised file takes as much memory as
the original model; llama.cpp runs it as it is (`llama_cpp`). `gguf_cache` keeps what `convert_gguf` writes.
"""

from __future__ import annotations

import contextlib
import io
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


def convert_gguf(file: Path, target: Path) -> None:
    """Write the model of a GGUF file and its tokenizer as an ordinary Hugging Face folder, in float32.

    Raise `ModelError` if transformers cannot read the file, `OSError` if the folder cannot be written.
    """
    import torch
    from safetensors import SafetensorError
    from transformers import AutoConfig, AutoTokenizer

    from neurologic.models.internals.quiet import quiet
    from neurologic.models.internals.supported_models import auto_class

    options = gguf_options(file.name, file.name, {"dtype": torch.float32})
    # The conversion shows a progress bar of its own, which nothing but redirection switches off.
    with quiet(), contextlib.redirect_stderr(io.StringIO()):
        try:
            config = AutoConfig.from_pretrained(file.parent, gguf_file=file.name)
            model = auto_class(config).from_pretrained(file.parent, config=config, **options)
            tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
            put_begin_token(tokenizer, file)
        except (OSError, ValueError, TypeError, ImportError, LookupError) as error:
            raise ModelError(f"transformers cannot read {file}: {first_line(error)}") from error
        try:
            model.save_pretrained(target)
            tokenizer.save_pretrained(target)
        except SafetensorError as error:  # raised for a full disk
            raise OSError(str(error)) from error


def first_line(error: Exception) -> str:
    """Return the first line of an error's message, or its kind if it has none."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


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
