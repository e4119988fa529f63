"""Tiny GGUF files."""

from __future__ import annotations

import json
from pathlib import Path

import gguf
import numpy as np

from tiny.tokenizers import gpt2_like

SIZE, HEADS, WIDE = 32, 2, 64


def write_llama(path: Path, *, add_bos: bool, seed: int = 0) -> None:
    """A Llama of one layer with random weights and the tokenizer of the tiny GPT-2."""
    tokenizer = gpt2_like()
    merges = json.loads(tokenizer.backend_tokenizer.to_str())["model"]["merges"]
    tokens = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(64)
    writer.add_embedding_length(SIZE)
    writer.add_block_count(1)
    writer.add_feed_forward_length(WIDE)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(SIZE // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(tokens)
    writer.add_token_merges([" ".join(merge) for merge in merges])
    writer.add_bos_token_id(tokenizer.eos_token_id)
    writer.add_eos_token_id(tokenizer.eos_token_id)
    writer.add_add_bos_token(add_bos)
    random = np.random.default_rng(seed)

    def add(name: str, *shape: int) -> None:
        writer.add_tensor(name, random.normal(0, 0.3, shape).astype(np.float32))

    add("token_embd.weight", len(tokens), SIZE)
    add("output.weight", len(tokens), SIZE)
    add("output_norm.weight", SIZE)
    for name in ("attn_norm", "ffn_norm"):
        add(f"blk.0.{name}.weight", SIZE)
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        add(f"blk.0.{name}.weight", SIZE, SIZE)
    for name in ("ffn_gate", "ffn_up"):
        add(f"blk.0.{name}.weight", WIDE, SIZE)
    add("blk.0.ffn_down.weight", SIZE, WIDE)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
