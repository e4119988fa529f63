"""GGUF files by transformers."""

from __future__ import annotations

import json
from pathlib import Path

import gguf
import numpy as np
import pytest

from neurologic.errors import ModelError
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.models.gguf import put_begin_token
from neurologic.models.loading import load
from tiny.tokenizers import gpt2_like

SIZE, HEADS, WIDE = 32, 2, 64


def write_llama(path: Path, *, add_bos: bool) -> None:
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
    random = np.random.default_rng(0)

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


@pytest.mark.parametrize("add_bos", [True, False])
def test_a_gguf_file_loads_and_obeys(tmp_path: Path, add_bos: bool) -> None:
    path = tmp_path / "tiny.gguf"
    write_llama(path, add_bos=add_bos)
    loaded = load(path)
    ids = loaded.encode("the dog", raw=True).ids
    assert (ids[0] == loaded.tokenizer.bos_token_id) == add_bos
    result = ConstrainedModel(loaded).generate("the dog", "she & !sea", num_beams=3, max_new_tokens=10)
    assert result.satisfied


def test_a_begin_token_that_is_there_is_not_put_twice(tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf"
    write_llama(path, add_bos=True)
    tokenizer = gpt2_like()
    tokenizer.bos_token = tokenizer.eos_token
    for _ in range(2):
        put_begin_token(tokenizer, path)
        assert tokenizer("the dog")["input_ids"].count(tokenizer.bos_token_id) == 1


def test_files_that_are_not_gguf_are_refused(tmp_path: Path) -> None:
    (tmp_path / "zip.gguf").write_bytes(b"PK\x03\x04" + bytes(50))
    with pytest.raises(ModelError, match="not a GGUF file"):
        load(tmp_path / "zip.gguf")
    with pytest.raises(ModelError, match="there is no file"):
        load(tmp_path / "none.gguf")


def test_a_quantised_file_is_not_quantised_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from neurologic.models import placement

    monkeypatch.setattr(placement, "_int8_weights", lambda: object())
    write_llama(tmp_path / "tiny.gguf", add_bos=True)
    with pytest.raises(ModelError, match=r"quantised already.*engine=\"llama\.cpp\""):
        load(tmp_path / "tiny.gguf", dtype="int8")
