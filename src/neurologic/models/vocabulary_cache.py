"""Vocabularies kept on disk: what was worked out about a tokenizer once is read from a file afterwards.

Every process needs the pieces of all tokens, an index of their characters and the words in them. That takes
long for a large vocabulary and comes out the same each time, so there is one file per tokenizer in the part
`vocabularies` of the cache folder. Its name is a hash of all that its content depends on: the tokenizer, the
model's number of logits, the end tokens, the versions of libraries and of Unicode, and the code that made it.
It holds numbers and bytes, nothing that could be executed, and a check sum.

The files are a convenience and never a reason to fail: where one is missing, damaged or cannot be written,
the vocabulary is made as ever, and nothing is said. Nor is a file believed blindly: like a new one, a
vocabulary from a file is compared with the tokenizer's own decoding.

Limits: small vocabularies are not kept, since they are made in a moment; nor are those of tokenizers with
parts that cannot be written out. Making a file works out the index at once, needed or not.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import io
import json
import os
import time
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
import transformers

from neurologic import __version__
from neurologic.errors import ModelError
from neurologic.logic import characters
from neurologic.matching import token_index, tokens_by_bytes
from neurologic.matching import vocabulary as matching_vocabulary
from neurologic.matching.token_index import TokenIndex
from neurologic.matching.vocabulary import Lookups, Vocabulary
from neurologic.models import pieces as transducers
from neurologic.models import tokenizers as reading
from neurologic.models.cache_folder import cache_part, partial_of
from neurologic.models.tokenizers import (
    Pieces,
    special_ids,
    token_strings,
    vocabulary_of,
    vocabulary_with,
)

# Raise the figure when the layout of the files changes.
FORMAT = b"neurologic vocabulary 1\n"
FEWEST_TOKENS = 4096
MOST_FILES = 32

_SUFFIX = ".vocabulary"
_DIGEST_BYTES = hashlib.sha256().digest_size
_ABANDONED_SECONDS = 3600.0

# The code that decides what a file contains: with another version of it, the file is another one.
_MAKERS = (characters, token_index, tokens_by_bytes, matching_vocabulary, transducers, reading)
_TABLES = ("starting", "word_start", "inside")

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Kept:
    """What a file holds."""

    pieces: Pieces
    first_pieces: Pieces | None
    lookups: Lookups


def kept_vocabulary(tokenizer: Any, size: int, *, end_ids: frozenset[int], starts_text: bool) -> Vocabulary:
    """`vocabulary_of`, by way of a file in the cache folder."""
    key = vocabulary_key(tokenizer, size, end_ids=end_ids, starts_text=starts_text)
    path = None if key is None else file_of(key)
    if key is None or path is None:
        return vocabulary_of(tokenizer, size, end_ids=end_ids, starts_text=starts_text)
    kept = read(path, key)
    if kept is not None:
        with contextlib.suppress(ModelError):  # it does not fit the tokenizer, whatever its name says
            return vocabulary_with(
                tokenizer,
                kept.pieces,
                kept.first_pieces,
                end_ids=end_ids,
                starts_text=starts_text,
                known=kept.lookups,
            )
    vocabulary = vocabulary_of(tokenizer, size, end_ids=end_ids, starts_text=starts_text)
    write(path, key, vocabulary)
    return vocabulary


# --- Which file --------------------------------------------------------------------------------


def vocabulary_key(tokenizer: Any, size: int, *, end_ids: frozenset[int], starts_text: bool) -> str | None:
    """A hash of all that a vocabulary depends on; None for one that is not worth a file, or has none."""
    if size < FEWEST_TOKENS:
        return None
    content = _content(tokenizer, size)
    if content is None:
        return None
    kind = type(tokenizer)
    circumstances = {
        "format": FORMAT.decode(),
        "code": _code(),
        "versions": [__version__, transformers.__version__, tokenizers.__version__],
        "unicode": unicodedata.unidata_version,
        "class": f"{kind.__module__}.{kind.__qualname__}",
        "size": size,
        "tokens": len(tokenizer),
        "special_ids": sorted(special_ids(tokenizer), key=repr),
        "unk_token_id": tokenizer.unk_token_id,
        "end_ids": sorted(end_ids),
        "starts_text": starts_text,
    }
    digest = hashlib.sha256(_written(circumstances))
    digest.update(content)
    return digest.hexdigest()


def _content(tokenizer: Any, size: int) -> bytes | None:
    """A tokenizer written out; None if it cannot be."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        added = {token: added.content for token, added in tokenizer.added_tokens_decoder.items()}
        return _written([token_strings(tokenizer, size), added])
    try:
        written: str = backend.to_str()
    except Exception:  # the library has no narrower one for parts that are written in Python
        return None
    # First come the padding and truncation of the last call, which have nothing to do with the vocabulary.
    # Quotes inside of strings are escaped, so this is the first field behind them and nothing else.
    return written[max(0, written.find('"added_tokens":')) :].encode()


def _written(content: Any) -> bytes:
    # Some tokenizers written in Python have tokens that are bytes.
    return json.dumps(content, sort_keys=True, default=repr).encode()


@cache
def _code() -> str:
    """A hash of the code that makes vocabularies, so that changing it needs no new version number."""
    try:
        return hashlib.sha256("".join(map(inspect.getsource, _MAKERS)).encode()).hexdigest()
    except (OSError, TypeError):  # installed without its source; then the version has to do
        return ""


def file_of(key: str) -> Path | None:
    """Where the file with this key is or would be; None where there is no place for a cache."""
    try:
        return cache_part("vocabularies") / (key + _SUFFIX)
    except ModelError:
        return None


# --- Files -------------------------------------------------------------------------------------


def read(path: Path, key: str) -> Kept | None:
    """What the file holds; None if there is none, or it is not what was written under this key."""
    try:
        data = path.read_bytes()
        start = len(FORMAT) + _DIGEST_BYTES
        if data[:start] != FORMAT + _check_sum(key, data[start:]):
            return None
        with np.load(io.BytesIO(data[start:]), allow_pickle=False) as arrays:
            kept = _kept(arrays)
    except (OSError, EOFError, ValueError, TypeError, KeyError, zipfile.BadZipFile):
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # used now: `_remove_old` goes by that
    return kept


def write(path: Path, key: str, vocabulary: Vocabulary) -> None:
    """Keep a vocabulary if that is possible; readers see the whole file or none."""
    partial = partial_of(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Opened first: where no file can be made, the index need not be worked out now.
        with partial.open("wb") as file:
            payload = _payload(vocabulary)
            file.write(FORMAT + _check_sum(key, payload) + payload)
        os.replace(partial, path)
        _remove_old(path.parent)
    except OSError:
        pass
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def _check_sum(key: str, payload: bytes) -> bytes:
    """With the key in it, so that a file under another's name is noticed too."""
    return hashlib.sha256(key.encode() + payload).digest()


def _remove_old(folder: Path) -> None:
    """Remove all but the files that were used last, and what killed processes left behind."""
    files = sorted(folder.glob(f"*{_SUFFIX}"), key=_last_used, reverse=True)
    now = time.time()
    abandoned = (path for path in folder.glob("*.partial") if now - _last_used(path) > _ABANDONED_SECONDS)
    for path in chain(files[MOST_FILES:], abandoned):
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def _last_used(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # another process has just removed it
        return time.time()


# --- Vocabularies as arrays --------------------------------------------------------------------


def _payload(vocabulary: Vocabulary) -> bytes:
    arrays: dict[str, Any] = {
        **_piece_arrays("pieces", vocabulary.pieces),
        "most_words": np.array(vocabulary.most_words_in_a_token),
    }
    if vocabulary.first_pieces is not None:
        arrays.update(_piece_arrays("first_pieces", vocabulary.first_pieces))
    for name in _TABLES:
        arrays.update(_table_arrays(name, getattr(vocabulary.token_index, name)))
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def _kept(arrays: Mapping[str, np.ndarray]) -> Kept:
    has_first = "first_pieces_lengths" in arrays
    return Kept(
        _pieces(arrays, "pieces"),
        _pieces(arrays, "first_pieces") if has_first else None,
        Lookups(
            TokenIndex(**{name: _KeptTable(arrays, name) for name in _TABLES}), int(arrays["most_words"])
        ),
    )


def _piece_arrays(name: str, pieces: Pieces) -> Arrays:
    # A length of 0 stands for None, every other one is one more than it is: b"" is not None.
    lengths = (0 if piece is None else len(piece) + 1 for piece in pieces)
    return {
        f"{name}_bytes": _bytes_array(b"".join(piece or b"" for piece in pieces)),
        f"{name}_lengths": _smallest(lengths),
    }


def _pieces(arrays: Mapping[str, np.ndarray], name: str) -> Pieces:
    data = arrays[f"{name}_bytes"].tobytes()
    lengths = arrays[f"{name}_lengths"].astype(np.int64)
    ends = np.cumsum(np.maximum(lengths - 1, 0))
    return tuple(
        None if length == 0 else data[end + 1 - length : end]
        for length, end in zip(lengths.tolist(), ends.tolist(), strict=True)
    )


def _table_arrays(name: str, table: Mapping[str, Sequence[int]]) -> Arrays:
    return {
        # Not as an array of strings: NumPy drops null characters at their ends.
        f"{name}_pairs": _bytes_array(json.dumps(list(table)).encode()),
        f"{name}_counts": _smallest(map(len, table.values())),
        f"{name}_tokens": _smallest(chain.from_iterable(table.values())),
    }


class _KeptTable(Mapping[str, Sequence[int]]):
    """A table of the index that makes lists only where it is asked: a search looks at few of its pairs."""

    def __init__(self, arrays: Mapping[str, np.ndarray], name: str) -> None:
        pairs = json.loads(arrays[f"{name}_pairs"].tobytes())
        self._tokens = arrays[f"{name}_tokens"]
        self._ends = [0, *np.cumsum(arrays[f"{name}_counts"], dtype=np.int64).tolist()]
        self._places = dict(zip(pairs, range(len(self._ends) - 1), strict=True))

    def __getitem__(self, pair: str) -> list[int]:
        place = self._places[pair]
        tokens: list[int] = self._tokens[self._ends[place] : self._ends[place + 1]].tolist()
        return tokens

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _bytes_array(data: bytes) -> np.ndarray:
    return np.frombuffer(data, dtype=np.uint8)


def _smallest(numbers: Iterable[int]) -> np.ndarray:
    """Numbers from 0 on in the smallest type that holds them: two bytes are enough for most token ids."""
    array = np.fromiter(numbers, dtype=np.int64)
    return array.astype(np.min_scalar_type(int(array.max(initial=0))))
