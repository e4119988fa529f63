"""Run models in GGUF files with llama.cpp (the extra `llama-cpp`).

Weights stay quantised, and the file provides vocabulary, tokenizer and chat template; transformers is not
involved. Limits: one cache per model, of a size that is fixed when the model is loaded; causal models only;
the decoders that edit sentences need a model of transformers.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from neurologic.errors import ModelError, PromptError
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models.base import EncodedPrompt, Prompt
from neurologic.models.default_model import NAME as DEFAULT_NAME
from neurologic.models.default_model import default_model_gguf
from neurologic.models.gguf import require_gguf
from neurologic.models.llama_cpp.file import LlamaFile, llama_library
from neurologic.models.llama_cpp.rows import LlamaRows, Sequences
from neurologic.models.llama_cpp.tokenizer import LlamaTokenizer
from neurologic.models.own.model import OwnModel

_CELLS = 8192
_MOST_ROWS = 256  # the most that llama.cpp supports; unused sequences cost next to nothing


@dataclass(frozen=True, eq=False)
class LlamaModel(OwnModel):
    """A model of llama.cpp with its own tokenizer; implements `neurologic.models.base.TextModel`."""

    model: LlamaEngine
    tokenizer: LlamaTokenizer

    def __post_init__(self) -> None:
        """Skip the check of vocabulary against tokenizer: both come from the same file."""

    def encode(
        self, prompt: Prompt, raw: bool = False, *, forced_bos_token_id: int | None = None
    ) -> EncodedPrompt:
        """Encode a prompt with llama.cpp's tokenizer and the file's chat template."""
        return self.tokenizer.encode(prompt, raw=raw)


class LlamaEngine:
    """A loaded GGUF file and its cache; implements `neurologic.models.base.LanguageModel`."""

    def __init__(
        self, path: Path, *, threads: int, n_ctx: int, n_seq_max: int, n_gpu_layers: int | None
    ) -> None:
        self._file = LlamaFile(path, n_gpu_layers)
        self.tokenizer = LlamaTokenizer(self._file)
        self.vocabulary: Vocabulary = self.tokenizer.vocabulary
        self.context = min(n_ctx, self._file.trained_length)
        self._sequences = Sequences(self._file, threads=threads, n_ctx=n_ctx, n_seq_max=n_seq_max)

    def start(self, prompts: Sequence[EncodedPrompt]) -> LlamaRows:
        """Read every prompt; see `LanguageModel.start`."""
        if not prompts or not all(prompt.ids for prompt in prompts):
            raise PromptError("a causal model needs at least one token of prompt")
        return LlamaRows(
            self._sequences,
            [prompt.ids for prompt in prompts],
            pad_id=min(self.vocabulary.end_ids),
            can_rewind=self._file.can_rewind,
        )


def load(
    name: str | os.PathLike[str] = DEFAULT_NAME,
    *,
    threads: int | None = None,
    n_ctx: int = _CELLS,
    n_seq_max: int = _MOST_ROWS,
    n_gpu_layers: int | None = None,
    **unknown: Any,
) -> LlamaModel:
    """Load a GGUF file into llama.cpp; "smollm2" is the default model's.

    threads       how many threads to use; default: one per physical core
    n_ctx         how many tokens the cache holds, for all unfinished texts together
    n_seq_max     how many texts it can write at once
    n_gpu_layers  how many layers to put on a GPU, for builds of llama.cpp that support one
    """
    if unknown:
        raise ModelError(
            f"{', '.join(sorted(unknown))}: the engine llama.cpp runs a file as it is; it takes threads, "
            "n_ctx, n_seq_max and n_gpu_layers"
        )
    for option, value in (("n_ctx", n_ctx), ("n_seq_max", n_seq_max), ("threads", threads)):
        if value is not None and (not isinstance(value, int) or value < 1):
            raise ModelError(f"{option} must be a whole number of at least 1, not {value!r}")
    llama_library()  # report a missing package before downloading anything
    path = default_model_gguf() if name == DEFAULT_NAME else Path(name).expanduser()
    require_gguf(path)
    engine = LlamaEngine(
        path,
        threads=threads or torch.get_num_threads(),
        n_ctx=n_ctx,
        n_seq_max=n_seq_max,
        n_gpu_layers=n_gpu_layers,
    )
    return LlamaModel(engine, engine.tokenizer)
