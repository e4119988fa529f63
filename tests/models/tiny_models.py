"""Small models of many families with random weights: what cannot be downloaded can still be checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import transformers as hf

SIZE = 61  # of the vocabulary

_CAUSAL = {
    "vocab_size": SIZE,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
_GROUPED = {**_CAUSAL, "num_key_value_heads": 2}
_PAIR = {
    "vocab_size": SIZE,
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 2,
}
_GPT = {"vocab_size": SIZE, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64}
_ENDS = {"bos_token_id": 1, "eos_token_id": 2}

CAUSAL: dict[str, Callable[[], Any]] = {
    "llama": lambda: hf.LlamaForCausalLM(hf.LlamaConfig(**_GROUPED)),
    "gpt2": lambda: hf.GPT2LMHeadModel(hf.GPT2Config(**_GPT, **_ENDS)),
    "qwen2": lambda: hf.Qwen2ForCausalLM(hf.Qwen2Config(**_GROUPED)),
    "mistral, sliding window": lambda: hf.MistralForCausalLM(hf.MistralConfig(**_GROUPED, sliding_window=5)),
    "gemma3, mixed layers": lambda: hf.Gemma3ForCausalLM(
        hf.Gemma3TextConfig(**_GROUPED, head_dim=8, sliding_window=4)
    ),
    "opt": lambda: hf.OPTForCausalLM(
        hf.OPTConfig(
            vocab_size=SIZE,
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            ffn_dim=48,
            max_position_embeddings=64,
            word_embed_proj_dim=32,
        )
    ),
    "bloom, ALiBi": lambda: hf.BloomForCausalLM(
        hf.BloomConfig(vocab_size=SIZE, hidden_size=32, n_layer=2, n_head=4, **_ENDS)
    ),
    "gpt-neox": lambda: hf.GPTNeoXForCausalLM(hf.GPTNeoXConfig(**_CAUSAL)),
    "openai-gpt, no cache": lambda: hf.OpenAIGPTLMHeadModel(hf.OpenAIGPTConfig(**_GPT)),
    "mamba, recurrent": lambda: hf.MambaForCausalLM(
        hf.MambaConfig(vocab_size=SIZE, hidden_size=32, num_hidden_layers=2, state_size=4)
    ),
    "bert as a decoder": lambda: hf.BertLMHeadModel(hf.BertConfig(**_CAUSAL, is_decoder=True)),
}

ENCODER_DECODER: dict[str, Callable[[], Any]] = {
    "t5": lambda: hf.T5ForConditionalGeneration(
        hf.T5Config(
            vocab_size=SIZE,
            d_model=32,
            d_kv=8,
            d_ff=48,
            num_layers=2,
            num_heads=4,
            decoder_start_token_id=0,
        )
    ),
    "bart": lambda: hf.BartForConditionalGeneration(hf.BartConfig(**_PAIR)),
    "marian": lambda: hf.MarianMTModel(hf.MarianConfig(**_PAIR)),
    "mbart": lambda: hf.MBartForConditionalGeneration(hf.MBartConfig(**_PAIR)),
    "pegasus": lambda: hf.PegasusForConditionalGeneration(hf.PegasusConfig(**_PAIR)),
    "two berts": lambda: hf.EncoderDecoderModel(
        hf.EncoderDecoderConfig.from_encoder_decoder_configs(
            hf.BertConfig(**_CAUSAL), hf.BertConfig(**_CAUSAL), decoder_start_token_id=1, pad_token_id=0
        )
    ),
}

UNSUPPORTED: dict[str, tuple[Callable[[], Any], str]] = {
    "masked": (lambda: hf.BertForMaskedLM(hf.BertConfig(**_CAUSAL)), "no head that generates"),
    "bare": (lambda: hf.LlamaModel(hf.LlamaConfig(**_GROUPED)), "no head that generates"),
    "bidirectional": (lambda: hf.BertLMHeadModel(hf.BertConfig(**_CAUSAL)), "bidirectional"),
    "permuted": (
        lambda: hf.XLNetLMHeadModel(
            hf.XLNetConfig(vocab_size=SIZE, d_model=32, n_layer=2, n_head=4, d_inner=48)
        ),
        "permuted",
    ),
    "not a model": (lambda: object(), "no config"),
}


def make(build: Callable[[], Any]) -> Any:
    """The model, with the same random weights every time, ready to be run."""
    torch.manual_seed(0)
    return build().eval()
