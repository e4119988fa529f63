"""GGUF files by transformers."""

from __future__ import annotations

from pathlib import Path

import pytest

from neurologic.errors import ModelError
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.models import placement
from neurologic.models.gguf import put_begin_token
from neurologic.models.loading import load
from tiny.gguf_files import write_llama
from tiny.tokenizers import gpt2_like


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("NEUROLOGIC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "neurologic" / "converted"


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
    monkeypatch.setattr(placement, "multiplies_exactly", lambda: False)  # so that torchao would have to do it
    monkeypatch.setattr(placement, "_int8_weights", lambda: object())
    write_llama(tmp_path / "tiny.gguf", add_bos=True)
    with pytest.raises(ModelError, match=r"quantised already.*engine=\"llama\.cpp\""):
        load(tmp_path / "tiny.gguf", dtype="int8")
