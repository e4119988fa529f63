"""Tiny models with real tokenizers, and calls of `model.generate` on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import transformers as hf

from tiny.models import tiny_model

TEXTS = ["The dog", "She sells sea", "A fox"]
LIMIT = 12


_FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "gpt2": ("GPT2LMHeadModel", {"bos_token_id": 0, "eos_token_id": 0}),
    "llama": ("LlamaForCausalLM", {"bos_token_id": 0, "eos_token_id": 0}),
    # With a forced first and last token, as BART, mBART and NLLB have them.
    "bart": (
        "BartForConditionalGeneration",
        {
            "encoder_layers": 1,
            "decoder_layers": 1,
            "max_position_embeddings": 1024,
            "pad_token_id": 0,
            "bos_token_id": 3,
            "eos_token_id": 1,
            "decoder_start_token_id": 1,
            "forced_bos_token_id": 3,
            "forced_eos_token_id": 1,
        },
    ),
    "t5": ("T5ForConditionalGeneration", {"decoder_start_token_id": 0}),
}
FAMILIES = tuple(_FAMILIES)


def sharp_model(family: str, tokenizer: Any) -> Any:
    """Return a model with random weights but clear preferences, so that near-ties are rare."""
    name, config = _FAMILIES[family]
    model = tiny_model(name, tokenizer, seed=4, **config)
    with torch.no_grad():
        model.get_output_embeddings().weight *= 2.5 if family == "t5" else 12.0
    return model


def inputs_of(tokenizer: Any, texts: Sequence[str] = TEXTS) -> dict[str, torch.Tensor]:
    encoded = tokenizer(list(texts), return_tensors="pt", padding=True)
    return {"input_ids": encoded["input_ids"], "attention_mask": encoded["attention_mask"]}


def generate(pair: tuple[Any, Any], texts: Sequence[str] = TEXTS, **knobs: Any) -> Any:
    model, tokenizer = pair
    knobs = {"num_beams": 4, "max_new_tokens": LIMIT, "do_sample": False, **knobs}
    return model.generate(**inputs_of(tokenizer, texts), **knobs)


def written(pair: tuple[Any, Any], sequences: torch.Tensor, texts: Sequence[str] = TEXTS) -> list[str]:
    """The generated part of every sequence as text."""
    model, tokenizer = pair
    start = 1 if model.config.is_encoder_decoder else inputs_of(tokenizer, texts)["input_ids"].shape[1]
    return tokenizer.batch_decode(sequences[:, start:], skip_special_tokens=True)


class Ban(hf.LogitsProcessor):
    """A caller's own processor: forbids some tokens, and counts on rows of a fixed number."""

    def __init__(self, tokens: Sequence[int], rows: int) -> None:
        self.tokens = list(tokens)
        self.rows = rows

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        assert len(input_ids) == len(scores) == self.rows
        return scores.index_fill(-1, torch.tensor(self.tokens), -torch.inf)


def transitions(pair: tuple[Any, Any], output: Any) -> torch.Tensor:
    model, _ = pair
    steps: torch.Tensor = model.compute_transition_scores(
        output.sequences, output.scores, output.beam_indices, normalize_logits=False
    )
    return steps
