"""Keep vocabularies on disk.

Every process needs the bytes of all tokens, an index of their characters and the words in them. Making them
takes about a second for a large vocabulary and gives the same result each time, so the folder
`vocabularies` of the cache folder holds one file per tokenizer. Its name is a hash of the tokenizer's
content and of `FORMAT`.

A file is never a reason to fail: if it is missing, damaged or not writable, the vocabulary is made as
usual. A vocabulary from a file goes through the same comparison with the tokenizer's own decoding as a new
one. The folder keeps the files that were used last. Limit: small vocabularies, which take a moment, get no
file.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from neurologic.errors import ModelError
from neurologic.matching.token_index import TokenIndex
from neurologic.matching.token_shapes import TokenShapes
from neurologic.matching.vocabulary import Lookups, Vocabulary
from neurologic.models.cache_folder import cache_part
from neurologic.models.tokenizers import (
    Pieces,
    special_ids,
    token_strings,
    vocabulary_of,
    vocabulary_with,
)
from neurologic.storage import write_whole

# Raise this number when the files, or the rules by which vocabularies are made, change.
FORMAT = 5
FEWEST_TOKENS = 4096
MOST_FILES = 32

_SUFFIX = ".npz"
# Raised for files that are missing, damaged, of another format or of another tokenizer.
_UNUSABLE = (OSError, EOFError, ValueError, TypeError, LookupError, zipfile.BadZipFile, ModelError)
_TABLES = ("starting", "word_start", "inside")

Arrays = Mapping[str, np.ndarray]


def kept_vocabulary(tokenizer: Any, size: int, *, end_ids: frozenset[int], starts_text: bool) -> Vocabulary:
    """Return the result of `vocabulary_of`, from a file in the cache folder if there is one."""
    options: dict[str, Any] = {"end_ids": end_ids, "starts_text": starts_text}
    if size < FEWEST_TOKENS:
        return vocabulary_of(tokenizer, size, **options)
    path = None
    with contextlib.suppress(ModelError):  # there is no place for a cache
        path = cache_part("vocabularies") / (vocabulary_key(tokenizer, size, **options) + _SUFFIX)
    if path is not None:
        with contextlib.suppress(*_UNUSABLE):
            return _read(path, tokenizer, options)
    vocabulary = vocabulary_of(tokenizer, size, **options)
    if path is not None:
        with contextlib.suppress(OSError):
            _write(path, vocabulary)
    return vocabulary


def vocabulary_key(tokenizer: Any, size: int, *, end_ids: frozenset[int], starts_text: bool) -> str:
    """Return a hash of everything that a vocabulary depends on."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    decoder = None if backend is None or backend.decoder is None else backend.decoder.__getstate__()
    content = [
        FORMAT,
        unicodedata.unidata_version,
        f"{type(tokenizer).__module__}.{type(tokenizer).__qualname__}",
        token_strings(tokenizer, size),
        decoder,
        sorted((token, added.content) for token, added in tokenizer.added_tokens_decoder.items()),
        sorted(special_ids(tokenizer)),
        tokenizer.unk_token_id,
        sorted(end_ids),
        starts_text,
    ]
    # A decoder's state is bytes, and so are some tokens of tokenizers written in Python.
    return hashlib.sha256(json.dumps(content, default=repr).encode()).hexdigest()


# --- Files -------------------------------------------------------------------------------------


def _read(path: Path, tokenizer: Any, options: Mapping[str, Any]) -> Vocabulary:
    with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
        pieces, first_pieces, lookups = unpacked(arrays)
    vocabulary = vocabulary_with(tokenizer, pieces, first_pieces, **options, known=lookups)
    with contextlib.suppress(OSError):
        os.utime(path)  # `_remove_old` goes by the last use
    return vocabulary


def _write(path: Path, vocabulary: Vocabulary) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()
    arrays: dict[str, Any] = packed(vocabulary)
    np.savez(buffer, **arrays)
    write_whole(path, buffer.getvalue())
    _remove_old(path.parent)


def _remove_old(folder: Path) -> None:
    """Remove all but the files that were used last, drafts of killed processes among them."""
    ages = {}
    for path in folder.glob(f"*{_SUFFIX}*"):
        with contextlib.suppress(OSError):  # another process has just removed it
            ages[path] = path.stat().st_mtime
    for path in sorted(ages, key=ages.__getitem__, reverse=True)[MOST_FILES:]:
        path.unlink(missing_ok=True)


# --- Vocabularies as arrays --------------------------------------------------------------------


def packed(vocabulary: Vocabulary) -> dict[str, np.ndarray]:
    """Return a vocabulary as arrays of numbers, which hold nothing that could be executed."""
    shapes = vocabulary.shapes
    arrays = {
        "most_words": np.array(vocabulary.most_words_in_a_token),
        "opening": shapes.opening,
        "closing": shapes.closing,
        "ending": shapes.ending,
        "characters": _bytes_array(shapes.characters.encode()),
    }
    for name in ("pieces", "first_pieces"):
        pieces = getattr(vocabulary, name)
        if pieces is not None:
            # Length 0 stands for None; every other length is one too high, since b"" is not None.
            arrays[f"{name}_bytes"] = _bytes_array(b"".join(piece or b"" for piece in pieces))
            arrays[f"{name}_lengths"] = _smallest(0 if piece is None else len(piece) + 1 for piece in pieces)
    for name in _TABLES:
        table: Mapping[str, Sequence[int]] = getattr(vocabulary.token_index, name)
        # JSON, since NumPy drops null characters at the ends of strings.
        arrays[f"{name}_pairs"] = _bytes_array(json.dumps(list(table)).encode())
        arrays[f"{name}_counts"] = _smallest(map(len, table.values()))
        arrays[f"{name}_tokens"] = _smallest(chain.from_iterable(table.values()))
    return arrays


def unpacked(arrays: Arrays) -> tuple[Pieces, Pieces | None, Lookups]:
    """Return the content of `packed`: pieces, first pieces, and the tables worked out from them."""
    first_pieces = _pieces(arrays, "first_pieces") if "first_pieces_lengths" in arrays else None
    index = TokenIndex(**{name: _PackedTable(arrays, name) for name in _TABLES})
    characters = arrays["characters"].tobytes().decode()
    shapes = TokenShapes(arrays["opening"], arrays["closing"], arrays["ending"], characters)
    return _pieces(arrays, "pieces"), first_pieces, Lookups(index, int(arrays["most_words"]), shapes)


def _pieces(arrays: Arrays, name: str) -> Pieces:
    data = arrays[f"{name}_bytes"].tobytes()
    lengths = arrays[f"{name}_lengths"].astype(np.int64)
    ends = np.cumsum(np.maximum(lengths - 1, 0))
    return tuple(
        None if length == 0 else data[end + 1 - length : end]
        for length, end in zip(lengths.tolist(), ends.tolist(), strict=True)
    )


class _PackedTable(Mapping[str, Sequence[int]]):
    """A table of the token index that unpacks only the pairs that a search looks up."""

    def __init__(self, arrays: Arrays, name: str) -> None:
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
    """Return numbers in the smallest type that holds them: two bytes are enough for most token ids."""
    array = np.fromiter(numbers, dtype=np.int64)
    return array.astype(np.min_scalar_type(int(array.max(initial=0))))
