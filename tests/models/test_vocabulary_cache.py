"""Vocabularies on disk: as if made anew, found by all that they depend on, and never a reason to fail."""

from __future__ import annotations

import hashlib
import io
import os
import pwd
import resource
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, pre_tokenizers
from transformers import AutoTokenizer, ByT5Tokenizer, PreTrainedTokenizerFast

from models.tiny_tokenizers import TINY, gpt2_like, llama2_like, t5_like
from neurologic.errors import ModelError
from neurologic.logic.formula import Phrase
from neurologic.matching.advancing_tokens import advancing_tokens
from neurologic.matching.matcher import Matcher
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models import default_model, loading, vocabulary_cache
from neurologic.models.cache_folder import partial_of
from neurologic.models.tokenizers import vocabulary_of
from neurologic.models.vocabulary_cache import FORMAT, file_of, kept_vocabulary, read, vocabulary_key, write

TABLES = ("starting", "word_start", "inside")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, in which tiny vocabularies are kept as well."""
    monkeypatch.setenv("NEUROLOGIC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(vocabulary_cache, "FEWEST_TOKENS", 0)
    return tmp_path / "cache" / "neurologic" / "vocabularies"


@pytest.fixture(scope="module")
def gpt2() -> Any:
    return gpt2_like()


def end_of(tokenizer: Any) -> int:
    return next((i for i in (tokenizer.eos_token_id, tokenizer.sep_token_id) if i is not None), 0)


def made(tokenizer: Any, *, starts_text: bool = False, size: int | None = None) -> Vocabulary:
    ends = frozenset({end_of(tokenizer)})
    return vocabulary_of(tokenizer, size or len(tokenizer), end_ids=ends, starts_text=starts_text)


def kept(tokenizer: Any, *, starts_text: bool = False) -> Vocabulary:
    ends = frozenset({end_of(tokenizer)})
    return kept_vocabulary(tokenizer, len(tokenizer), end_ids=ends, starts_text=starts_text)


def key_of(
    tokenizer: Any, *, size: int | None = None, ends: tuple[int, ...] = (0,), starts: bool = False
) -> str:
    key = vocabulary_key(tokenizer, size or len(tokenizer), end_ids=frozenset(ends), starts_text=starts)
    assert key is not None
    return key


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
@pytest.mark.parametrize("name", sorted(TINY))
def test_a_file_gives_what_was_made(cache: Path, name: str, starts_text: bool) -> None:
    assert_kept_as_made(TINY[name](), starts_text=starts_text)


@pytest.mark.parametrize("starts_text", [False, True])
def test_a_file_gives_what_was_made_for_tokenizers_in_python(cache: Path, starts_text: bool) -> None:
    assert_kept_as_made(ByT5Tokenizer(), starts_text=starts_text)


def test_a_file_gives_what_was_made_for_real_tokenizers(
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
    with np.load(io.BytesIO(vocabulary_cache._payload(vocabulary))) as arrays:
        again = vocabulary_cache._kept(arrays)
    assert again.pieces == vocabulary.pieces
    assert again.first_pieces == vocabulary.first_pieces
    assert again.lookups.most_words_in_a_token == vocabulary.most_words_in_a_token
    for name in TABLES:
        assert dict(getattr(again.lookups.token_index, name)) == getattr(vocabulary.token_index, name)


def test_a_file_brings_phrases_forward_by_the_same_tokens(cache: Path, gpt2: Any) -> None:
    phrases = [Phrase("lazy dog"), Phrase("shell", match="substring"), Phrase("Jäger")]
    found = []
    for _ in range(2):
        vocabulary = kept(gpt2)
        matcher = Matcher(phrases, vocabulary, wanted=0b111)
        found.append(advancing_tokens(matcher, matcher.start(), 0b111))
    assert found[0] == found[1] != ()
    assert {type(token) for token in found[1]} == {
        int
    }  # not NumPy's, which JSON and sets of ids stumble over


def test_a_second_tokenizer_of_the_same_content_finds_the_file(
    cache: Path, tmp_path: Path, gpt2: Any
) -> None:
    gpt2.save_pretrained(tmp_path / "saved")
    first, second = (AutoTokenizer.from_pretrained(tmp_path / "saved") for _ in range(2))
    ends = frozenset({end_of(gpt2)})
    assert not is_from_file(loading._vocabulary(first, len(first), len(first), ends, False))
    assert is_from_file(loading._vocabulary(second, len(second), len(second), ends, False))
    assert len(files(cache)) == 1


# --- What enters the key -----------------------------------------------------------------------


def test_the_key_knows_what_is_asked_for(cache: Path, gpt2: Any) -> None:
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


@pytest.mark.parametrize("name", ["_code", "FORMAT", "__version__"])
def test_the_key_knows_the_code_that_makes_vocabularies(
    cache: Path, gpt2: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = key_of(gpt2)
    others = {"_code": lambda: "other", "FORMAT": b"neurologic vocabulary 0\n", "__version__": "0.0.0"}
    monkeypatch.setattr(vocabulary_cache, name, others[name])
    assert key_of(gpt2) != before


def test_a_change_of_the_code_is_noticed(cache: Path, gpt2: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = vocabulary_cache._code()
    assert len(before) == 64
    monkeypatch.setattr(vocabulary_cache, "_MAKERS", vocabulary_cache._MAKERS[1:])
    assert vocabulary_cache._code.__wrapped__() != before


@pytest.mark.parametrize(
    "name", ["unicodedata.unidata_version", "transformers.__version__", "tokenizers.__version__"]
)
def test_the_key_knows_the_versions_of_others(
    cache: Path, gpt2: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = key_of(gpt2)
    monkeypatch.setattr(f"neurologic.models.vocabulary_cache.{name}", "0.0")
    assert key_of(gpt2) != before


def _with_added_token(tokenizer: Any) -> None:
    tokenizer.add_tokens(["<new>"])


def _with_special_token(tokenizer: Any) -> None:
    tokenizer.add_special_tokens({"additional_special_tokens": ["<think>"]})


def _with_special_added_token(tokenizer: Any) -> None:
    tokenizer.add_tokens([AddedToken("<think>", special=True)], special_tokens=True)


def _with_unknown_token(tokenizer: Any) -> None:
    tokenizer.unk_token = "a"


def _with_other_decoder(tokenizer: Any) -> None:
    tokenizer.backend_tokenizer.decoder = decoders.Fuse()


@pytest.mark.parametrize(
    "change",
    [
        _with_added_token,
        _with_special_token,
        _with_special_added_token,
        _with_unknown_token,
        _with_other_decoder,
    ],
)
def test_the_key_knows_the_tokenizer(cache: Path, change: Any) -> None:
    tokenizer = gpt2_like()
    size = len(tokenizer) + 1
    before = key_of(tokenizer, size=size)
    change(tokenizer)
    assert key_of(tokenizer, size=size) != before


def test_the_key_knows_every_token(cache: Path) -> None:
    tokenizer = llama2_like()
    written = tokenizer.backend_tokenizer.to_str()
    other = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(written.replace('"ning"', '"nong"')),
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
    )
    assert len(other) == len(tokenizer)
    assert key_of(other) != key_of(tokenizer)


def test_the_key_knows_the_class(cache: Path, gpt2: Any) -> None:
    class Other(PreTrainedTokenizerFast):
        pass

    other = Other(tokenizer_object=gpt2.backend_tokenizer, eos_token="<|endoftext|>")
    same = PreTrainedTokenizerFast(tokenizer_object=gpt2.backend_tokenizer, eos_token="<|endoftext|>")
    assert key_of(same) == key_of(gpt2)
    assert key_of(other) != key_of(gpt2)


def test_the_key_knows_tokenizers_in_python(cache: Path) -> None:
    plain, fewer, added = ByT5Tokenizer(), ByT5Tokenizer(extra_ids=124), ByT5Tokenizer()
    added.add_tokens(["<new>"])
    keys = {key_of(tokenizer, size=500) for tokenizer in (plain, fewer, added)}
    assert len(keys) == 3
    assert key_of(ByT5Tokenizer(), size=500) in keys


def test_the_key_knows_every_token_of_tokenizers_in_python(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer = ByT5Tokenizer()
    before = key_of(tokenizer)
    convert = tokenizer._convert_id_to_token
    monkeypatch.setattr(
        tokenizer, "_convert_id_to_token", lambda token: "å" if token == 9 else convert(token)
    )
    assert key_of(tokenizer) != before


def test_padding_and_truncation_of_calls_do_not_matter(cache: Path) -> None:
    tokenizer = t5_like()
    before = key_of(tokenizer)
    plain = tokenizer.backend_tokenizer.to_str()
    tokenizer(["a dog", "a dog runs"], padding=True, truncation=True, max_length=3)
    assert tokenizer.backend_tokenizer.to_str() != plain
    assert key_of(tokenizer) == before


def test_tokens_added_after_the_first_use_are_in_the_vocabulary(cache: Path) -> None:
    tokenizer = gpt2_like()
    before = kept(tokenizer)
    tokenizer.add_tokens(["<new>"])
    after = kept(tokenizer)
    assert len(after) == len(before) + 1
    assert after.pieces[-1] == b"<new>"
    assert len(files(cache)) == 2


def test_a_tokenizer_that_cannot_be_written_out_is_not_kept(cache: Path) -> None:
    class Nothing:
        def pre_tokenize(self, text: Any) -> None:
            pass

    tokenizer = gpt2_like()
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(Nothing())
    vocabulary = kept(tokenizer)
    assert vocabulary.pieces == made(gpt2_like()).pieces
    assert files(cache) == []


def test_small_vocabularies_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gpt2: Any) -> None:
    monkeypatch.setenv("NEUROLOGIC_CACHE", str(tmp_path))
    assert_same(kept(gpt2), made(gpt2))
    assert list(tmp_path.iterdir()) == []


# --- Files that are not what they should be ----------------------------------------------------


def _flip(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def _with_check_sum(key: str, payload: bytes) -> bytes:
    return FORMAT + hashlib.sha256(key.encode() + payload).digest() + payload


DAMAGES = {
    "empty": lambda data: b"",
    "cut off in the header": lambda data: data[:20],
    "cut off in the check sum": lambda data: data[: len(FORMAT) + 5],
    "without content": lambda data: data[: len(FORMAT) + 32],
    "cut off": lambda data: data[: len(data) // 2],
    "without its last byte": lambda data: data[:-1],
    "with one byte more": lambda data: data + b"\0",
    "a bit of the header": lambda data: _flip(data, 3),
    "a bit of the check sum": lambda data: _flip(data, len(FORMAT)),
    "a bit of the content": lambda data: _flip(data, len(data) // 2),
    "zeros": lambda data: bytes(len(data)),
    "only the arrays": lambda data: data[len(FORMAT) + 32 :],
    "a text": lambda data: "Wörter".encode("utf-16"),
}


@pytest.mark.parametrize("damage", sorted(DAMAGES))
def test_a_damaged_file_is_made_anew(cache: Path, gpt2: Any, damage: str) -> None:
    kept(gpt2)
    (path,) = files(cache)
    whole = path.read_bytes()
    path.write_bytes(DAMAGES[damage](whole))
    again = kept(gpt2)
    assert not is_from_file(again)
    assert_same(again, made(gpt2))
    assert path.read_bytes() == whole
    assert is_from_file(kept(gpt2))


def test_the_file_of_another_tokenizer_is_not_believed(cache: Path, gpt2: Any) -> None:
    kept(llama2_like())
    (foreign,) = files(cache)
    path = file_of(key_of(gpt2, ends=(end_of(gpt2),)))
    assert path is not None
    foreign.rename(path)
    assert not is_from_file(kept(gpt2))
    assert is_from_file(kept(gpt2))


def test_a_file_that_contradicts_the_tokenizer_is_not_believed(cache: Path, gpt2: Any) -> None:
    right = made(gpt2)
    shifted = Vocabulary((*right.pieces[1:], b"?"), right.end_ids, right.segment)
    key = key_of(gpt2, ends=(end_of(gpt2),))
    path = file_of(key)
    assert path is not None
    write(path, key, shifted)
    assert read(path, key) is not None
    assert_same(kept(gpt2), right)
    assert is_from_file(kept(gpt2))


def test_nothing_in_a_file_is_executed(cache: Path, gpt2: Any, tmp_path: Path) -> None:
    class Harmful:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(tmp_path / "executed"),)

    kept(gpt2)
    (path,) = files(cache)
    key = path.stem
    with np.load(io.BytesIO(path.read_bytes()[len(FORMAT) + 32 :])) as whole:
        arrays = dict(whole)
    arrays["most_words"] = np.array(Harmful(), dtype=object)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    path.write_bytes(_with_check_sum(key, buffer.getvalue()))
    assert not is_from_file(kept(gpt2))
    assert not (tmp_path / "executed").exists()


def _single_array() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.arange(3))
    return buffer.getvalue()


@pytest.mark.parametrize("payload", [b"", b"PK\x03\x04", b"no archive", _single_array()])
def test_a_right_check_sum_of_nonsense_is_not_enough(cache: Path, gpt2: Any, payload: bytes) -> None:
    kept(gpt2)
    (path,) = files(cache)
    path.write_bytes(_with_check_sum(path.stem, payload))
    assert not is_from_file(kept(gpt2))
    assert is_from_file(kept(gpt2))


def test_arrays_that_do_not_belong_together_are_not_enough(cache: Path, gpt2: Any) -> None:
    kept(gpt2)
    (path,) = files(cache)
    with np.load(io.BytesIO(path.read_bytes()[len(FORMAT) + 32 :])) as whole:
        arrays = dict(whole)
    for change in ({"inside_counts": arrays["inside_counts"][1:]}, {"inside_pairs": np.array([1, 2])}):
        buffer = io.BytesIO()
        np.savez(buffer, **{**arrays, **change})
        path.write_bytes(_with_check_sum(path.stem, buffer.getvalue()))
        assert read(path, path.stem) is None


# --- Places that cannot be written to ----------------------------------------------------------


def assert_works_without(gpt2: Any) -> None:
    vocabulary = kept(gpt2)
    assert "token_index" not in vars(vocabulary)  # nothing was worked out for a file that cannot be
    assert_same(vocabulary, made(gpt2))


def test_a_file_in_place_of_the_folder(cache: Path, gpt2: Any) -> None:
    cache.parent.mkdir(parents=True)
    cache.write_text("")
    assert_works_without(gpt2)
    assert cache.read_text() == ""


def test_a_folder_in_place_of_the_file(cache: Path, gpt2: Any) -> None:
    path = file_of(key_of(gpt2, ends=(end_of(gpt2),)))
    assert path is not None
    path.mkdir(parents=True)
    for _ in range(2):
        assert_same(kept(gpt2), made(gpt2))
    assert files(cache) == [path]


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may write to every folder")
def test_a_folder_that_is_read_only(cache: Path, gpt2: Any) -> None:
    kept(llama2_like())
    cache.chmod(0o500)
    try:
        assert_works_without(gpt2)
        assert is_from_file(kept(llama2_like()))
    finally:
        cache.chmod(0o700)


def test_a_file_system_that_refuses(cache: Path, gpt2: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(llama2_like())

    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(vocabulary_cache.os, "utime", refuse)
    monkeypatch.setattr(Path, "mkdir", refuse)
    assert_works_without(gpt2)
    assert is_from_file(kept(llama2_like()))


def test_a_full_disk_leaves_nothing(cache: Path, gpt2: Any) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))  # bytes of a file, fewer than this one has
    try:
        vocabulary = kept(gpt2)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert_same(vocabulary, made(gpt2))
    assert cache.is_dir()
    assert files(cache) == []


def test_a_user_without_a_home(cache: Path, gpt2: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(user: int) -> None:
        raise KeyError(user)

    for name in ("NEUROLOGIC_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert_works_without(gpt2)
    with pytest.raises(ModelError, match="set NEUROLOGIC_CACHE"):
        default_model.cache_folder()


def test_a_tokenizer_that_is_refused_is_still_refused(cache: Path) -> None:
    backend = gpt2_like().backend_tokenizer
    backend.decoder = decoders.CTC()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, eos_token="<|endoftext|>")
    for _ in range(2):
        with pytest.raises(ModelError, match="CTC"):
            kept(tokenizer)
    assert files(cache) == []


# --- Several at once, and old files ------------------------------------------------------------


def test_readers_see_a_whole_file_or_none(cache: Path, gpt2: Any) -> None:
    vocabulary = made(gpt2)
    key = key_of(gpt2)
    path = file_of(key)
    assert path is not None

    def write_and_read(number: int) -> bool:
        write(path, key, vocabulary)
        found = read(path, key)  # every writer has written before it reads, and files never vanish
        return found is not None and found.pieces == vocabulary.pieces

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(write_and_read, range(40)))
    assert files(cache) == [path]


def test_processes_that_start_at_once_share_one_file(cache: Path, gpt2: Any, tmp_path: Path) -> None:
    gpt2.save_pretrained(tmp_path / "saved")
    script = textwrap.dedent(
        """
        import sys
        from transformers import AutoTokenizer
        from neurologic.models import vocabulary_cache
        vocabulary_cache.FEWEST_TOKENS = 0
        tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
        for _ in range(2):
            vocabulary = vocabulary_cache.kept_vocabulary(
                tokenizer, len(tokenizer), end_ids=frozenset({0}), starts_text=False
            )
        print(vocabulary.known is not None)
        """
    )
    source = str(Path(vocabulary_cache.__file__).parents[2])
    started = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path / "saved")],
            env={**os.environ, "PYTHONPATH": source, "PYTHONHASHSEED": str(number)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(2)
    ]
    for process in started:
        out, err = process.communicate()
        assert (process.returncode, out) == (0, "True\n"), err
    assert [path.name for path in files(cache)] == [f"{key_of(gpt2)}.vocabulary"]


def test_only_the_files_used_last_are_kept(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary_cache, "MOST_FILES", 3)
    names = ["gpt2", "t5", "llama2"]
    for age, name in enumerate(names):
        kept(TINY[name]())
        (new,) = (path for path in files(cache) if path.stat().st_mtime > time.time() - 1000)
        os.utime(new, times=(time.time() - 5000 + age,) * 2)
    oldest, *_, newest = sorted(files(cache), key=lambda path: path.stat().st_mtime)
    assert is_from_file(kept(TINY["gpt2"]()))  # now it is the newest, and t5 the oldest
    kept(TINY["bert"]())
    assert len(files(cache)) == 3
    assert oldest in files(cache)
    assert newest in files(cache)
    assert not is_from_file(kept(TINY["t5"]()))


def test_what_killed_processes_left_is_removed(cache: Path, gpt2: Any) -> None:
    cache.mkdir(parents=True)
    abandoned, under_way = (partial_of(cache / f"{name}.vocabulary") for name in "ab")
    for path in (abandoned, under_way):
        path.write_bytes(b"half")
    os.utime(abandoned, times=(time.time() - 7200,) * 2)
    kept(gpt2)
    assert not abandoned.exists()
    assert under_way.exists()


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
