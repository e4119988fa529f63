"""Models that the tests of this folder share."""

from __future__ import annotations

from typing import Any

import pytest

from integrations.huggingface.tiny import FAMILIES, sharp_model
from tiny.tokenizers import gpt2_like, t5_like


@pytest.fixture(scope="module")
def byte_level() -> Any:
    tokenizer = gpt2_like()
    tokenizer.pad_token = tokenizer.eos_token
    tokenizer.padding_side = "left"
    return tokenizer


@pytest.fixture(scope="module", params=FAMILIES)
def pair(request: pytest.FixtureRequest, byte_level: Any) -> tuple[Any, Any]:
    """A model with its tokenizer."""
    tokenizer = t5_like() if request.param in ("bart", "t5") else byte_level
    return sharp_model(request.param, tokenizer), tokenizer


@pytest.fixture(scope="module")
def causal(byte_level: Any) -> tuple[Any, Any]:
    return sharp_model("llama", byte_level), byte_level
