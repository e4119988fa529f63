"""A tokenizer's vocabulary as bytes: all that matching needs to know about a tokenizer.

`neurologic.models.tokenizers` makes one from a Hugging Face tokenizer; tests make tiny ones by hand.
A `Vocabulary` holds the bytes that each token *adds to the text*, whatever the token's name: "Ġdog" adds
" dog", "##ing" adds "ing", "<0xE2>" adds one byte.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from neurologic.logic.characters import is_word_character, normalise, word_runs
from neurologic.logic.units import word_spans
from neurologic.matching.folded_tokens import FoldedTokens
from neurologic.matching.token_index import TokenIndex
from neurologic.matching.token_shapes import TokenShapes
from neurologic.matching.tokens_by_bytes import TokensByBytes

TokenIds = tuple[int, ...]

# Endings that turn a word into another one in many languages, and how many other tokens are worth trying.
_ENDINGS = (b"s", b"e", b"a", b"er", b"ing", b"o", b"i", b"n", b"t", b"d", b"x", b"z")
_CONTINUATIONS = 40
_DIGITS = tuple(b"%d" % digit for digit in range(10))


_STOPS = tuple(stop.encode() for stop in ".!?…。！？")
_CLOSING = b"\"')]} \n"


@dataclass(frozen=True, eq=False)
class Lookups:
    """The tables made from the pieces that take longest to build, so that a cache can keep them."""

    token_index: TokenIndex
    most_words_in_a_token: int
    shapes: TokenShapes


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The bytes that every token adds to a text.

    pieces        bytes a token adds inside a text; None for tokens that must never be written
                  by a constrained decoder (special tokens, ids without a token)
    first_pieces  bytes a token adds as the very first token of a text, where that differs
                  (SentencePiece and WordPiece drop the leading space); None if it never differs
    end_ids       tokens that end a text; their pieces are None
    segment       the usual segmentation of a text that continues another one: segment(" dog").
                  For tokenizers that add the space themselves the leading space is implied
    name          shown in messages
    known         tables made from the same pieces before, if a cache kept them
    """

    pieces: tuple[bytes | None, ...]
    end_ids: frozenset[int]
    segment: Callable[[str], TokenIds]
    first_pieces: tuple[bytes | None, ...] | None = None
    name: str = "tokenizer"
    known: Lookups | None = None

    def __len__(self) -> int:
        return len(self.pieces)

    @cached_property
    def table(self) -> TokensByBytes:
        """Index the tokens by the bytes that they add inside a text."""
        return TokensByBytes(self.pieces)

    @property
    def token_of(self) -> dict[bytes, int]:
        """Map bytes to the (lowest) token that adds exactly these inside a text."""
        return self.table.token_of

    @cached_property
    def forbidden_ids(self) -> tuple[int, ...]:
        """Return the tokens that no constrained text may contain; end tokens are not among them."""
        return tuple(
            token for token, piece in enumerate(self.pieces) if not piece and token not in self.end_ids
        )

    @cached_property
    def token_index(self) -> TokenIndex:
        """Index the tokens by the characters in them, unless the index is known."""
        if self.known is not None:
            return self.known.token_index
        return TokenIndex.of(self.pieces, self.first_pieces or ())

    @cached_property
    def shapes(self) -> TokenShapes:
        """Return what the tokens do to a text where no phrase is in sight, unless it is known."""
        return TokenShapes.of(self.pieces) if self.known is None else self.known.shapes

    @cached_property
    def folded(self) -> FoldedTokens:
        """Look up tokens by what they spell, in small letters."""
        return FoldedTokens(self.pieces)

    def compared(self, token: int) -> str:
        """Return the whole characters that a token adds inside a text, as phrases are compared with them."""
        known = self._compared.get(token)
        if known is None:
            known = normalise((self.pieces[token] or b"").decode(errors="ignore"), exact_case=False)
            self._compared[token] = known
        return known

    @cached_property
    def _compared(self) -> dict[int, str]:
        return {}

    def pairs_with(self, character: str) -> Sequence[str]:
        """Return the pairs of the token index that begin with a character."""
        return self._pairs_by_character.get(character, ())

    @cached_property
    def _pairs_by_character(self) -> dict[str, list[str]]:
        pairs: dict[str, list[str]] = defaultdict(list)
        for pair in self.token_index.inside:
            pairs[pair[:1]].append(pair)
        return dict(pairs)

    @cached_property
    def word_continuations(self) -> tuple[int, ...]:
        """Return some tokens that continue an unfinished word, the most ordinary endings first."""
        usual = [self.token_of[ending] for ending in _ENDINGS if ending in self.token_of]
        others = (token for piece, token in self.token_of.items() if _is_in_word(piece))
        return tuple(dict.fromkeys(usual + list(islice(others, _CONTINUATIONS))))

    @cached_property
    def sentence_ends(self) -> frozenset[int]:
        """Return the tokens with which a sentence can end: a full stop, maybe with a closing quote."""
        return frozenset(
            token
            for token, piece in enumerate(self.pieces)
            if piece and piece.rstrip(_CLOSING).endswith(_STOPS)
        )

    @cached_property
    def ends_sentence(self) -> NDArray[np.bool_]:
        """For every token whether it is one of `sentence_ends`."""
        return np.isin(np.arange(len(self)), list(self.sentence_ends))

    @cached_property
    def word_parts(self) -> frozenset[int]:
        """Return the tokens that add nothing but characters of words: they continue an unfinished one."""
        return frozenset(token for piece, token in self.token_of.items() if _is_in_word(piece))

    @cached_property
    def digits(self) -> tuple[int, ...]:
        """Return the tokens that add a single digit."""
        return tuple(self.token_of[digit] for digit in _DIGITS if digit in self.token_of)

    @cached_property
    def most_words_in_a_token(self) -> int:
        """Return how many different words one token can touch."""
        if self.known is not None:
            return self.known.most_words_in_a_token
        return max((len(word_runs(piece.decode(errors="replace"))) for piece in self.token_of), default=1)

    @cached_property
    def most_units_in_a_token(self) -> int:
        """Return how many words, as predicates count them, one token can touch.

        In ASCII these are at most as many as the runs of word characters; other scripts need a look.
        """
        others = (piece.decode(errors="replace") for piece in self.token_of if not piece.isascii())
        return max(self.most_words_in_a_token, max((len(word_spans(text)) for text in others), default=1))

    def decode_inside(self, tokens: TokenIds) -> bytes:
        """Return the bytes that tokens add inside a text."""
        return b"".join(self.pieces[token] or b"" for token in tokens)

    def decode(self, tokens: TokenIds) -> bytes:
        """Return the bytes of a whole text of these tokens (end and special tokens add nothing)."""
        text = b""
        for token in tokens:
            pieces = self.pieces if text or self.first_pieces is None else self.first_pieces
            text += pieces[token] or b""
        return text


def _is_in_word(piece: bytes) -> bool:
    try:
        text = piece.decode()
    except UnicodeDecodeError:
        return False
    return all(map(is_word_character, text))
