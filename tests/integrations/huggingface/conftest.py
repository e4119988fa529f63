"""Models that the tests of this folder share."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from integrations.huggingface.tiny import (
    FAMILIES,
    sharpened,
    tiny_llama,
)
from models.tiny_tokenizers import gpt2_like, t5_like


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
    torch.manual_seed(4)
    return sharpened(FAMILIES[request.param](tokenizer)), tokenizer


@pytest.fixture(scope="module")
def causal(byte_level: Any) -> tuple[Any, Any]:
    torch.manual_seed(4)
    return sharpened(tiny_llama(byte_level)), byte_level
