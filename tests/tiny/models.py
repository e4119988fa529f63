"""Small models with random weights for a tokenizer, and a folder to load them from.

`families` has one model of every family with a vocabulary of its own; these are the few that write text.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import transformers as hf

from tiny.families import GPT_SIZES, GROUPED_SIZES, LLAMA_SIZES, PAIR_SIZES, T5_SIZES

_SIZES = {
    "BartForConditionalGeneration": PAIR_SIZES,
    "BertForMaskedLM": LLAMA_SIZES,
    "GPT2LMHeadModel": GPT_SIZES,
    "LlamaForCausalLM": GROUPED_SIZES,
    "RobertaForMaskedLM": LLAMA_SIZES,
    "T5ForConditionalGeneration": T5_SIZES,
}


def tiny_model(name: str, tokenizer: Any, *, seed: int = 0, **config: Any) -> Any:
    """Build a model of this class for a tokenizer, with the same random weights every time."""
    torch.manual_seed(seed)
    kind = getattr(hf, name)
    return kind(kind.config_class(**{"vocab_size": len(tokenizer), **_SIZES[name], **config})).eval()


def save(model: Any, tokenizer: Any, folder: Path) -> Path:
    """Write a model and its tokenizer to a folder, and return the folder."""
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
