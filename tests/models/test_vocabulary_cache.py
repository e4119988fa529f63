"""Vocabularies on disk: the same as new ones, named by their content, and never a reason to fail."""

from __future__ import annotations

import io
import os
import pwd
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import decoders
from transformers import AutoTokenizer, ByT5Tokenizer, PreTrainedTokenizerFast

from neurologic.errors import ModelError
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models import loading, vocabulary_cache
from neurologic.models.tokenizers import vocabulary_of
from neurologic.models.vocabulary_cache import kept_vocabulary, packed, unpacked, vocabulary_key
from tiny.tokenizers import TOKENIZERS, gpt2_like, llama2_like, t5_like

TABLES = ("starting", "word_start", "inside")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder that takes tiny vocabularies as well."""
    monkeypatch.setenv("NEUROLOGIC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(vocabulary_cache, "FEWEST_TOKENS", 0)
    return tmp_path / "cache" / "neurologic" / "vocabularies"


@pytest.fixture(scope="module")
def gpt2() -> Any:
    return gpt2_like()


def end_of(tokenizer: Any) -> frozenset[int]:
    ends = (tokenizer.eos_token_id, tokenizer.sep_token_id, 0)
    return frozenset({next(token for token in ends if token is not None)})


def made(tokenizer: Any, *, starts_text: bool = False) -> Vocabulary:
    return vocabulary_of(tokenizer, len(tokenizer), end_ids=end_of(tokenizer), starts_text=starts_text)


def kept(tokenizer: Any, *, starts_text: bool = False) -> Vocabulary:
    return kept_vocabulary(tokenizer, len(tokenizer), end_ids=end_of(tokenizer), starts_text=starts_text)


def key_of(
    tokenizer: Any, *, size: int | None = None, ends: tuple[int, ...] = (0,), starts: bool = False
) -> str:
    return vocabulary_key(tokenizer, size or len(tokenizer), end_ids=frozenset(ends), starts_text=starts)


def is_from_file(vocabulary: Vocabulary) -> bool:
    return vocabulary.known is not None


def files(cache: Path) -> list[Path]:
    return sorted(cache.iterdir()) if cache.is_dir() else []


def assert_same(ours: Vocabulary, theirs: Vocabulary) -> None:
    assert ours.pieces == theirs.pieces
    assert ours.first_pieces == theirs.first_pieces
    assert ours.end_ids == theirs.end_ids
    assert ours.name == theirs.name
    assert ours.most_words_in_a_token == theirs.most_words_in_a_token
    for name in TABLES:
        assert dict(getattr(ours.token_index, name)) == dict(getattr(theirs.token_index, name)), name
    for text in (" the dog", "dogs", " été", "a"):
        assert ours.segment(text) == theirs.segment(text)


def assert_kept_as_made(tokenizer: Any, *, starts_text: bool) -> None:
    first, second = (kept(tokenizer, starts_text=starts_text) for _ in range(2))
    assert not is_from_file(first)
    assert is_from_file(second)
    anew = made(tokenizer, starts_text=starts_text)
    assert_same(first, anew)
    assert_same(second, anew)


# --- The same vocabulary -----------------------------------------------------------------------


@pytest.mark.parametrize("starts_text", [False, True])
@pytest.mark.parametrize("build", [*TOKENIZERS.values(), ByT5Tokenizer], ids=[*TOKENIZERS, "in Python"])
def test_a_file_gives_the_same_vocabulary(cache: Path, build: Callable[[], Any], starts_text: bool) -> None:
    assert_kept_as_made(build(), starts_text=starts_text)


def test_a_file_gives_the_same_vocabulary_for_real_tokenizers(
    cache: Path, smollm2_tokenizer: Any, marian_tokenizer: Any
) -> None:
    assert_kept_as_made(smollm2_tokenizer, starts_text=False)
    assert_kept_as_made(marian_tokenizer, starts_text=True)


@given(
    st.lists(
        st.none() | st.binary(min_size=1, max_size=300) | st.text(min_size=1).map(str.encode), max_size=8
    ),
    st.none() | st.lists(st.none() | st.binary(max_size=6) | st.just(b"a\x00"), max_size=8),
)
def test_any_pieces_survive(pieces: list[bytes | None], first_pieces: list[bytes | None] | None) -> None:
    vocabulary = Vocabulary(
        tuple(pieces),
        frozenset(),
        lambda text: (),
        first_pieces=None if first_pieces is None else tuple(first_pieces),
    )
    again, again_first, lookups = unpacked(packed(vocabulary))
    assert again == vocabulary.pieces
    assert again_first == vocabulary.first_pieces
    assert lookups.most_words_in_a_token == vocabulary.most_words_in_a_token
    for name in TABLES:
        assert dict(getattr(lookups.token_index, name)) == getattr(vocabulary.token_index, name)


def test_the_index_of_a_file_holds_ordinary_numbers(cache: Path, gpt2: Any) -> None:
    kept(gpt2)
    tokens = kept(gpt2).token_index.inside["do"]
    assert {type(token) for token in tokens} == {int}  # NumPy's own are no keys for JSON and sets of ids


def test_a_second_tokenizer_of_the_same_content_finds_the_file(
    cache: Path, tmp_path: Path, gpt2: Any
) -> None:
    gpt2.save_pretrained(tmp_path / "saved")
    first, second = (AutoTokenizer.from_pretrained(tmp_path / "saved") for _ in range(2))
    ends = end_of(gpt2)
    assert not is_from_file(loading._vocabulary(first, len(first), len(first), ends, False))
    assert is_from_file(loading._vocabulary(second, len(second), len(second), ends, False))
    assert len(files(cache)) == 1


# --- The key -----------------------------------------------------------------------------------


def test_the_key_depends_on_the_options(gpt2: Any) -> None:
    size = len(gpt2)
    keys = [
        key_of(gpt2),
        key_of(gpt2, size=size + 1),
        key_of(gpt2, ends=(1,)),
        key_of(gpt2, ends=(0, 1)),
        key_of(gpt2, starts=True),
    ]
    assert len(set(keys)) == len(keys)
    assert key_of(gpt2, ends=(1, 0)) == key_of(gpt2, ends=(0, 1))


def test_the_key_depends_on_the_format(gpt2: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = key_of(gpt2)
    monkeypatch.setattr(vocabulary_cache, "FORMAT", 0)
    assert key_of(gpt2) != before


CHANGES: dict[str, Callable[[Any], Any]] = {
    "an added token": lambda tokenizer: tokenizer.add_tokens(["<new>"]),
    "a special token": lambda tokenizer: tokenizer.add_special_tokens(
        {"additional_special_tokens": ["<think>"]}
    ),
    "the unknown token": lambda tokenizer: setattr(tokenizer, "unk_token", "a"),
    "the decoder": lambda tokenizer: setattr(tokenizer.backend_tokenizer, "decoder", decoders.Fuse()),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_key_depends_on_the_tokenizer(change: str) -> None:
    tokenizer = gpt2_like()
    size = len(tokenizer) + 1
    before = key_of(tokenizer, size=size)
    CHANGES[change](tokenizer)
    assert key_of(tokenizer, size=size) != before


def test_the_key_depends_on_the_class(gpt2: Any) -> None:
    class Other(PreTrainedTokenizerFast):
        pass

    other = Other(tokenizer_object=gpt2.backend_tokenizer, eos_token="<|endoftext|>")
    same = PreTrainedTokenizerFast(tokenizer_object=gpt2.backend_tokenizer, eos_token="<|endoftext|>")
    assert key_of(same) == key_of(gpt2)
    assert key_of(other) != key_of(gpt2)


def test_the_key_depends_on_every_token(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = ByT5Tokenizer()
    before = key_of(tokenizer)
    convert = tokenizer._convert_id_to_token
    monkeypatch.setattr(
        tokenizer, "_convert_id_to_token", lambda token: "å" if token == 9 else convert(token)
    )
    assert key_of(tokenizer) != before


def test_padding_and_truncation_of_calls_do_not_matter() -> None:
    tokenizer = t5_like()
    before = key_of(tokenizer)
    tokenizer(["a dog", "a dog runs"], padding=True, truncation=True, max_length=3)
    assert key_of(tokenizer) == before


def test_tokens_added_after_the_first_use_are_in_the_vocabulary(cache: Path) -> None:
    tokenizer = gpt2_like()
    before = kept(tokenizer)
    tokenizer.add_tokens(["<new>"])
    after = kept(tokenizer)
    assert len(after) == len(before) + 1
    assert after.pieces[-1] == b"<new>"
    assert len(files(cache)) == 2


def test_small_vocabularies_get_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gpt2: Any) -> None:
    monkeypatch.setenv("NEUROLOGIC_CACHE", str(tmp_path))
    assert_same(kept(gpt2), made(gpt2))
    assert list(tmp_path.iterdir()) == []


# --- Damaged and foreign files -----------------------------------------------------------------


def _archive(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


class _Harmful:
    """Unpickling this would raise."""

    def __reduce__(self) -> Any:
        return exec, ("raise SystemExit('executed')",)


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "cut off": lambda data: data[: len(data) // 2],
    "without its last byte": lambda data: data[:-1],
    "a flipped bit": lambda data: data[:500] + bytes([data[500] ^ 1]) + data[501:],
    "zeros": lambda data: bytes(len(data)),
    "a text": lambda data: "Wörter".encode("utf-16"),
    "other arrays": lambda data: _archive(pieces_bytes=np.arange(3)),
    "arrays of different lengths": lambda data: _archive(
        **{**np.load(io.BytesIO(data)), "inside_counts": np.array([1, 2])}
    ),
    "code": lambda data: _archive(
        **{**np.load(io.BytesIO(data)), "most_words": np.array(_Harmful(), dtype=object)}
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_made_anew(cache: Path, gpt2: Any, damage: str) -> None:
    kept(gpt2)
    (path,) = files(cache)
    whole = path.read_bytes()
    path.write_bytes(DAMAGES[damage](whole))
    again = kept(gpt2)
    assert not is_from_file(again)
    assert_same(again, made(gpt2))
    assert is_from_file(kept(gpt2))


def test_the_file_of_another_tokenizer_is_made_anew(cache: Path, gpt2: Any) -> None:
    kept(gpt2)
    (path,) = files(cache)
    kept(llama2_like())
    (other,) = (file for file in files(cache) if file != path)
    other.replace(path)
    assert_same(kept(gpt2), made(gpt2))
    assert is_from_file(kept(gpt2))


# --- Folders that are not writable -------------------------------------------------------------


def test_a_file_in_place_of_the_folder(cache: Path, gpt2: Any) -> None:
    cache.parent.mkdir(parents=True)
    cache.write_text("")
    assert_same(kept(gpt2), made(gpt2))
    assert cache.read_text() == ""


def test_a_file_system_that_refuses(cache: Path, gpt2: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(llama2_like())

    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(vocabulary_cache.os, "utime", refuse)
    monkeypatch.setattr(vocabulary_cache, "write_whole", refuse)
    assert_same(kept(gpt2), made(gpt2))
    assert is_from_file(kept(llama2_like()))


def test_a_user_without_a_home(cache: Path, gpt2: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(user: int) -> None:
        raise KeyError(user)

    for name in ("NEUROLOGIC_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert_same(kept(gpt2), made(gpt2))


def test_a_tokenizer_that_is_refused_is_still_refused(cache: Path) -> None:
    backend = gpt2_like().backend_tokenizer
    backend.decoder = decoders.CTC()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, eos_token="<|endoftext|>")
    for _ in range(2):
        with pytest.raises(ModelError, match="CTC"):
            kept(tokenizer)
    assert files(cache) == []


# --- Several at once, and old files ------------------------------------------------------------


def test_several_threads_share_one_file(cache: Path, gpt2: Any) -> None:
    with ThreadPoolExecutor(4) as pool:
        vocabularies = list(pool.map(lambda _: kept(gpt2), range(8)))
    for vocabulary in vocabularies:
        assert vocabulary.pieces == made(gpt2).pieces
    assert len(files(cache)) == 1
    assert is_from_file(kept(gpt2))


def test_only_the_files_used_last_stay(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary_cache, "MOST_FILES", 3)
    for age, name in enumerate(["gpt2", "t5", "llama2"]):
        kept(TOKENIZERS[name]())
        (new,) = (path for path in files(cache) if path.stat().st_mtime > time.time() - 1000)
        os.utime(new, times=(time.time() - 5000 + age,) * 2)
    assert is_from_file(kept(TOKENIZERS["gpt2"]()))  # now it is the newest, and t5 the oldest
    kept(TOKENIZERS["bert"]())
    assert len(files(cache)) == 3
    assert is_from_file(kept(TOKENIZERS["gpt2"]()))
    assert not is_from_file(kept(TOKENIZERS["t5"]()))


def test_other_files_in_the_folder_are_left_alone(
    cache: Path, gpt2: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vocabulary_cache, "MOST_FILES", 1)
    cache.mkdir(parents=True)
    other = cache / "notes.txt"
    other.write_text("mine")
    os.utime(other, times=(0, 0))
    kept(gpt2)
    assert other.read_text() == "mine"
