"""Choose the backend (`engine`) of a model: transformers, llama.cpp, or an object of the user's own."""

from __future__ import annotations

import os
from typing import Any

from neurologic.errors import ModelError
from neurologic.models.base import TextModel
from neurologic.models.default_model import NAME as DEFAULT_NAME

ENGINES = ("transformers", "llama.cpp")


def load(
    name: str | os.PathLike[str] = DEFAULT_NAME, *, engine: str | None = None, **options: Any
) -> TextModel:
    """Load a model by name; the default engine is transformers."""
    if engine not in (None, *ENGINES):
        raise ModelError(f"there is no engine {engine!r}; choose one of {', '.join(ENGINES)}")
    if engine == "llama.cpp":
        from neurologic.models.llama_cpp import model as llama_cpp

        return llama_cpp.load(name, **options)
    from neurologic.models import loading

    return loading.load(name, **options)


def wrap(model: Any, tokenizer: Any = None) -> TextModel:
    """Combine a loaded model with its tokenizer; a model of the user's own may come without one."""
    from neurologic.models import loading
    from neurologic.models.own.model import OwnModel, is_language_model

    if is_language_model(model):
        return OwnModel(model, tokenizer)
    if tokenizer is None:
        raise ModelError(
            "a Hugging Face model needs its tokenizer: wrap(model, tokenizer). A model of your own needs a "
            f"vocabulary and start(prompts), which {type(model).__name__} does not have: make a Scorer "
            "(docs/guides/own_models.md)"
        )
    return loading.wrap(model, tokenizer)
