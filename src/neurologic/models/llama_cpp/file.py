"""Open GGUF files with llama.cpp, and make caches for them.

Limit: llama.cpp has one log per process; this module keeps only its last errors, for messages.
"""

from __future__ import annotations

import collections
import ctypes
import os
import weakref
from pathlib import Path
from typing import Any

from neurologic.errors import ModelError, missing_extra
from neurologic.models.amx import amx_is_broken

_ERROR_LEVEL = 4

_last_errors: collections.deque[str] = collections.deque(maxlen=5)
_callbacks: list[Any] = []  # llama.cpp keeps a pointer to its one callback, which must stay alive


class LlamaFile:
    """An open model; it closes when nobody holds it any more."""

    def __init__(self, path: Path, n_gpu_layers: int | None = None) -> None:
        self.path = path
        self.library = library = llama_library()
        options = library.llama_model_default_params()
        if n_gpu_layers is not None:
            options.n_gpu_layers = n_gpu_layers
        # llama.cpp uses AMX for its fastest kernels without checking whether it works.
        options.use_extra_bufts = not amx_is_broken()
        _last_errors.clear()
        self.pointer = library.llama_model_load_from_file(os.fsencode(path), options)
        if not self.pointer:
            raise ModelError(f"llama.cpp cannot load {path}: {_reason()}")
        weakref.finalize(self, library.llama_model_free, self.pointer)
        if library.llama_model_has_encoder(self.pointer):
            raise ModelError(f"{path.name} has an encoder; only causal models run on llama.cpp here")

    @property
    def vocabulary_size(self) -> int:
        return int(self.library.llama_vocab_n_tokens(self.library.llama_model_get_vocab(self.pointer)))

    @property
    def trained_length(self) -> int:
        """How many tokens the model was trained to read."""
        return int(self.library.llama_model_n_ctx_train(self.pointer))

    @property
    def can_rewind(self) -> bool:
        """Whether tokens can be taken back; a recurrent state does not allow it."""
        recurrent = self.library.llama_model_is_recurrent(self.pointer)
        return not (recurrent or self.library.llama_model_is_hybrid(self.pointer))

    def new_context(self, threads: int, n_ctx: int, n_seq_max: int) -> Any:
        """Make a cache for `n_ctx` tokens in up to `n_seq_max` texts; the caller frees it."""
        most = self.library.llama_max_parallel_sequences()
        if n_seq_max > most:
            raise ModelError(f"llama.cpp writes at most {most} texts at once, but n_seq_max is {n_seq_max}")
        options = self.library.llama_context_default_params()
        options.n_ctx = n_ctx
        options.n_seq_max = n_seq_max
        options.kv_unified = True  # copies of a sequence share their cells
        options.swa_full = True  # tokens can be taken back in models with sliding windows too
        options.n_threads = options.n_threads_batch = threads
        _last_errors.clear()
        context = self.library.llama_init_from_model(self.pointer, options)
        if not context:
            raise ModelError(f"llama.cpp cannot make a cache of {n_ctx} tokens: {_reason()}")
        return context


def llama_library() -> Any:
    """Import the Python binding of llama.cpp and silence its log."""
    try:
        import llama_cpp
    except ImportError as error:
        raise ModelError(
            missing_extra("llama-cpp-python", "llama-cpp", purpose="the engine llama.cpp")
        ) from error
    if not _callbacks:
        _callbacks.append(llama_cpp.llama_log_callback(_keep_error))
        llama_cpp.llama_log_set(_callbacks[0], ctypes.c_void_p(0))
    return llama_cpp


def _keep_error(level: int, text: bytes, _: Any) -> None:
    if level == _ERROR_LEVEL:
        _last_errors.append(text.decode(errors="replace").strip())


def _reason() -> str:
    return _last_errors[0] if _last_errors else "it gives no reason"
