"""Tiny models with real tokenizers, and calls of `model.generate` on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import transformers as hf

TEXTS = ["The dog", "She sells sea", "A fox"]
LIMIT = 12


def sharpened(model: Any) -> Any:
    """Random weights with clear preferences, so that near-ties are rare."""
    with torch.no_grad():
        model.get_output_embeddings().weight *= 2.5 if model.config.model_type == "t5" else 12.0
    return model.eval()


def tiny_gpt2(tokenizer: Any) -> Any:
    return hf.GPT2LMHeadModel(
        hf.GPT2Config(
            vocab_size=len(tokenizer),
            n_embd=32,
            n_layer=2,
            n_head=4,
            n_positions=64,
            bos_token_id=0,
            eos_token_id=0,
        )
    )


def tiny_llama(tokenizer: Any) -> Any:
    return hf.LlamaForCausalLM(
        hf.LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            intermediate_size=48,
            bos_token_id=0,
            eos_token_id=0,
        )
    )


def tiny_bart(tokenizer: Any) -> Any:
    """With a forced first and last token, as BART, mBART and NLLB have them."""
    return hf.BartForConditionalGeneration(
        hf.BartConfig(
            vocab_size=len(tokenizer),
            d_model=32,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=4,
            decoder_attention_heads=4,
            encoder_ffn_dim=48,
            decoder_ffn_dim=48,
            pad_token_id=0,
            bos_token_id=3,
            eos_token_id=1,
            decoder_start_token_id=1,
            forced_bos_token_id=3,
            forced_eos_token_id=1,
        )
    )


def tiny_t5(tokenizer: Any) -> Any:
    return hf.T5ForConditionalGeneration(
        hf.T5Config(
            vocab_size=len(tokenizer),
            d_model=32,
            d_kv=8,
            d_ff=48,
            num_layers=2,
            num_heads=4,
            decoder_start_token_id=0,
        )
    )


FAMILIES = {"gpt2": tiny_gpt2, "llama": tiny_llama, "bart": tiny_bart, "t5": tiny_t5}


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
