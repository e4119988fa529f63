"""Models in GGUF files, run as they are by llama.cpp (the extra `neurologic[llama-cpp]`).

Weights stay quantised, and no part of transformers is asked: the vocabulary, the tokenizer and the chat
template are those of the file. Limits: one cache per model, whose size is fixed when the model is loaded;
causal models only; the methods that edit sentences need a model of transformers.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neurologic.errors import ModelError, PromptError
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models import placement
from neurologic.models.base import EncodedPrompt
from neurologic.models.default_model import NAME as DEFAULT_NAME
from neurologic.models.default_model import default_model_gguf
from neurologic.models.gguf import require_gguf
from neurologic.models.llama_cpp.file import LlamaFile, llama_library
from neurologic.models.llama_cpp.rows import LlamaRows, Sequences
from neurologic.models.llama_cpp.tokens import LlamaTokens
from neurologic.models.own.model import OwnModel
from neurologic.models.prompts import Prompt

_CELLS = 8192
_MOST_ROWS = 256  # what llama.cpp can name; unused sequences cost next to nothing


@dataclass(frozen=True, eq=False)
class LlamaModel(OwnModel):
    """A model of llama.cpp with its own tokenizer; `neurologic.models.base.TextModel`."""

    model: LlamaEngine
    tokenizer: LlamaTokens

    def __post_init__(self) -> None:
        """Nothing to compare: vocabulary and tokenizer are the same file's."""

    def encode(
        self, prompt: Prompt, raw: bool = False, *, forced_bos_token_id: int | None = None
    ) -> EncodedPrompt:
        """The tokens of a prompt, by llama.cpp's tokenizer and the file's chat template."""
        return self.tokenizer.encode(prompt, raw=raw)


class LlamaEngine:
    """A loaded GGUF file and its cache; `neurologic.models.base.LanguageModel`."""

    def __init__(
        self, path: Path, *, threads: int, n_ctx: int, n_seq_max: int, n_gpu_layers: int | None
    ) -> None:
        self._file = LlamaFile(path, n_gpu_layers)
        self.tokens = LlamaTokens(self._file)
        self.vocabulary: Vocabulary = self.tokens.vocabulary
        self.context = min(n_ctx, self._file.trained_length)
        self._sequences = Sequences(self._file, threads=threads, n_ctx=n_ctx, n_seq_max=n_seq_max)

    def start(self, prompts: Sequence[EncodedPrompt]) -> LlamaRows:
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

    threads       how many to use; all physical cores if not given
    n_ctx         tokens that the cache holds, of all texts under way together
    n_seq_max     texts that can be under way at once
    n_gpu_layers  layers to put on a GPU, for builds of llama.cpp that know one
    """
    if unknown:
        raise ModelError(
            f"{', '.join(sorted(unknown))}: the engine llama.cpp runs a file as it is; it takes threads, "
            "n_ctx, n_seq_max and n_gpu_layers"
        )
    for option, value in (("n_ctx", n_ctx), ("n_seq_max", n_seq_max), ("threads", threads)):
        if value is not None and (not isinstance(value, int) or value < 1):
            raise ModelError(f"{option} must be a whole number of at least 1, not {value!r}")
    llama_library()  # say that it is missing before anything is downloaded
    path = default_model_gguf() if name == DEFAULT_NAME else Path(name).expanduser()
    require_gguf(path)
    engine = LlamaEngine(
        path,
        threads=threads or placement.threads_of_torch(),
        n_ctx=n_ctx,
        n_seq_max=n_seq_max,
        n_gpu_layers=n_gpu_layers,
    )
    return LlamaModel(engine, engine.tokens)
