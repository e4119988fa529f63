"""Segment a piece of text that continues another one, as the tokenizer usually would.

Tokenizers segment whole texts: SentencePiece and WordPiece put a space in front of every text, so " dog"
and "dog" come out alike. `Segmenter` asks the tokenizer in several ways and takes the first answer that
adds exactly the wanted bytes; if none does, it looks for the fewest tokens itself. It ignores
the context.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from tokenizers import Tokenizer

from neurologic.matching.tokens_by_bytes import TokensByBytes
from neurologic.matching.vocabulary import TokenIds

# Texts that seldom merge with the text after them, in the order of trial: a letter for continuations of a
# word, punctuation and a digit for tokenizers that split words by rules.
_ANCHORS = ("a", "x", "1", ".", "\n")


class Segmenter:
    """Callable: text → tokens; empty if no tokens spell the text."""

    def __init__(self, tokenizer: Any, pieces: Sequence[bytes | None]) -> None:
        self._tokenizer = tokenizer
        self._pieces = pieces
        self._table = TokensByBytes(pieces)

    def __call__(self, text: str) -> TokenIds:
        if not text:
            return ()
        wanted = text.encode("utf-8", "surrogatepass")
        tried: list[TokenIds] = []
        for tokens in self._proposals(text):
            if self._bytes(tokens) == wanted:
                return tokens
            tried.append(tokens)
        cover = self._table.fewest_tokens(wanted)
        if cover:
            return cover
        # An uncased vocabulary cannot write "Dog", but "dog" matches a phrase that ignores case.
        folded = _fold(text)
        for tokens in tried:
            spelled = self._bytes(tokens)
            if spelled is not None and _fold(spelled.decode("utf-8", "replace")) == folded:
                return tokens
        return self._table.fewest_tokens(folded.encode("utf-8", "surrogatepass"))

    def _proposals(self, text: str) -> Iterator[TokenIds]:
        yield self._encode(text)
        if text[0] == " " and len(text) > 1:
            yield self._encode(text[1:])
        for anchor in _ANCHORS:
            alone, together = self._encode(anchor), self._encode(anchor + text)
            if alone and together[: len(alone)] == alone:
                yield together[len(alone) :]

    def _encode(self, text: str) -> TokenIds:
        return encode_plain(self._tokenizer, text)

    def _bytes(self, tokens: TokenIds) -> bytes | None:
        parts = [self._pieces[token] if token < len(self._pieces) else None for token in tokens]
        return None if None in parts or not parts else b"".join(part for part in parts if part)


def encode_plain(tokenizer: Any, text: str) -> TokenIds:
    """Return the tokens of `text` on the target side, without special tokens."""
    if hasattr(tokenizer, "spm_target"):
        # Marian has a SentencePiece model per side and switches between them by changing itself, which is not
        # safe with several threads; so ask the target side directly.
        encoder = tokenizer.target_encoder if tokenizer.separate_vocabs else tokenizer.encoder
        unknown = encoder[str(tokenizer.unk_token)]
        return tuple(encoder.get(piece, unknown) for piece in tokenizer.spm_target.encode(text, out_type=str))
    fast = getattr(tokenizer, "backend_tokenizer", None)
    if isinstance(fast, Tokenizer) and fast.truncation is None and fast.padding is None:
        # The same without what goes around it, which takes five times as long for a word.
        return tuple(fast.encode(text, add_special_tokens=False).ids)
    ids = tokenizer(text, add_special_tokens=False, return_attention_mask=False)["input_ids"]
    return tuple(ids)


def _fold(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
