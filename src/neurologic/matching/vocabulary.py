"""A tokenizer's vocabulary as bytes: all that matching needs to know about a tokenizer.

`neurologic.models.tokenizers` makes one from a Hugging Face tokenizer; tests make tiny ones by hand.
A `Vocabulary` says what each token *adds to the text*, which is what decoding does, not what
the token is called: "Ġdog" adds " dog", "##ing" adds "ing", "<0xE2>" adds one byte.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from neurologic.logic.characters import is_word_character, word_runs
from neurologic.matching.token_index import TokenIndex
from neurologic.matching.tokens_by_bytes import TokensByBytes

TokenIds = tuple[int, ...]

# Endings that turn a word into another one in many languages; then as many others as are worth trying.
_ENDINGS = (b"s", b"e", b"a", b"er", b"ing", b"o", b"i", b"n", b"t", b"d", b"x", b"z")
_CONTINUATIONS = 40


@dataclass(frozen=True, eq=False)
class Lookups:
    """What takes longest of all that is worked out from the pieces, so that it may be kept."""

    token_index: TokenIndex
    most_words_in_a_token: int


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """What every token adds to a text.

    pieces        bytes a token adds inside a text; None for tokens that must never be written
                  by a constrained decoder (special tokens, ids without a token)
    first_pieces  bytes a token adds as the very first token of a text, where that differs
                  (SentencePiece and WordPiece drop the leading space); None if it never differs
    end_ids       tokens that end a text; their pieces are None
    segment       the usual segmentation of a text that continues another one: segment(" dog").
                  For tokenizers that add the space themselves the leading space is implied
    name          shown in messages
    known         what was worked out from the same pieces before, if it was kept
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
        """Tokens by the bytes that they add inside a text."""
        return TokensByBytes(self.pieces)

    @property
    def token_of(self) -> dict[bytes, int]:
        """The (lowest) token that adds exactly these bytes inside a text."""
        return self.table.token_of

    @cached_property
    def forbidden_ids(self) -> tuple[int, ...]:
        """Tokens that no constrained text may contain, end tokens not among them."""
        return tuple(
            token for token, piece in enumerate(self.pieces) if not piece and token not in self.end_ids
        )

    @cached_property
    def token_index(self) -> TokenIndex:
        """Tokens by the characters in them; built when first needed, unless known."""
        if self.known is not None:
            return self.known.token_index
        return TokenIndex.of(self.pieces, self.first_pieces or ())

    @cached_property
    def word_continuations(self) -> tuple[int, ...]:
        """Some tokens that go on with a word under way, the most ordinary endings first."""
        usual = [self.token_of[ending] for ending in _ENDINGS if ending in self.token_of]
        others = (token for piece, token in self.token_of.items() if _is_in_word(piece))
        return tuple(dict.fromkeys(usual + list(islice(others, _CONTINUATIONS))))

    @cached_property
    def most_words_in_a_token(self) -> int:
        """How many different words one token can touch."""
        if self.known is not None:
            return self.known.most_words_in_a_token
        return max((len(word_runs(piece.decode(errors="replace"))) for piece in self.token_of), default=1)

    def decode(self, tokens: TokenIds) -> bytes:
        """The bytes of a whole text made of these tokens (end and special tokens add nothing)."""
        parts: list[bytes] = []
        for token in tokens:
            first = not any(parts) and self.first_pieces is not None
            piece = self.first_pieces[token] if first and self.first_pieces else self.pieces[token]
            parts.append(piece or b"")
        return b"".join(parts)


def _is_in_word(piece: bytes) -> bool:
    try:
        text = piece.decode()
    except UnicodeDecodeError:
        return False
    return all(map(is_word_character, text))
