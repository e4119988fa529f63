"""GGUF files: how they are told from others, what they say of themselves, and how transformers reads them.

transformers turns the weights back into floating-point numbers, so a quantised file takes as much memory as
the model that it was made from; llama.cpp runs it as it is (`llama_cpp`). Limits: of what a file says only
numbers, truth values and texts are read here, no lists; numbers are little-endian, as in nearly all files.
"""

from __future__ import annotations

import importlib.util
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from neurologic.errors import ModelError

_MAGIC = b"GGUF"

# The kinds of values in a file's metadata, by their numbers in the format.
_NUMBERS = dict(enumerate("BbHhIif?"))
_NUMBERS.update({10: "Q", 11: "q", 12: "d"})
_TEXT, _LIST = 8, 9


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


def metadata(path: Path) -> dict[str, Any]:
    """What a file says of itself, lists left out; quick also where the lists are long."""
    require_gguf(path)
    try:
        with path.open("rb") as file:
            file.seek(len(_MAGIC) + 4 + 8)  # the version, and the number of weights
            (count,) = _unpack(file, "Q")
            pairs = [(_text(file), _value(file, *_unpack(file, "I"))) for _ in range(count)]
    except (struct.error, KeyError, UnicodeDecodeError, OverflowError) as error:
        raise ModelError(f"{path} is damaged: its metadata cannot be read ({error})") from error
    return {key: value for key, value in pairs if value is not None}


def put_begin_token(tokenizer: Any, path: Path) -> None:
    """Let a tokenizer put the token before a text that the file wants there; transformers forgets to."""
    begin = tokenizer.bos_token_id
    if not metadata(path).get("tokenizer.ggml.add_bos_token") or begin is None:
        return
    if tokenizer("a")["input_ids"][:1] == [begin]:
        return
    from tokenizers.processors import TemplateProcessing

    token = str(tokenizer.bos_token)
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single=[token, "$A"], special_tokens=[(token, begin)]
    )


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _TEXT:
        return _text(file)
    if kind != _LIST:
        return _unpack(file, _NUMBERS[kind])[0]
    of, count = _unpack(file, "IQ")
    if of in _NUMBERS:
        file.seek(count * struct.calcsize("<" + _NUMBERS[of]), 1)
        return None
    for _ in range(count):
        if of == _TEXT:
            (length,) = _unpack(file, "Q")
            file.seek(length, 1)
        else:
            _value(file, of)
    return None


def _text(file: BinaryIO) -> str:
    (length,) = _unpack(file, "Q")
    return file.read(length).decode()


def _unpack(file: BinaryIO, layout: str) -> tuple[Any, ...]:
    return struct.unpack("<" + layout, file.read(struct.calcsize("<" + layout)))
