"""Make vocabularies for models of the user's own: `neurologic.vocabulary`.

A token's piece is the text that it adds, space included: " dog", not "dog". Limits: a piece adds the same
bytes wherever it appears, and the vocabulary splits texts into the fewest pieces, since a list suggests no
better way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from neurologic.errors import ModelError
from neurologic.matching.vocabulary import TokenIds, Vocabulary

Piece = str | bytes | None
# A token by its id, or by its piece.
Token = int | str | bytes


def vocabulary(
    source: Sequence[Piece] | Any, end: Token | Iterable[Token] | None = None, *, size: int | None = None
) -> Vocabulary:
    """Make a vocabulary from pieces or from a tokenizer.

    source  one piece per token, text or bytes, or None for a token that is never written (padding, markers);
            or a Hugging Face tokenizer
    end     the token that ends a text, or several of them, by id or by piece; a tokenizer knows its own
    size    how many tokens the model scores, if that is more than the tokenizer has

    >>> words = vocabulary(["</s>", " the", " dog", "."], end="</s>")
    >>> words.decode((1, 2, 3)), words.segment(" the dog")
    (b' the dog.', (1, 2))
    """
    if hasattr(source, "convert_ids_to_tokens"):
        return _of_tokenizer(source, end, size)
    if isinstance(source, (str, bytes)) or not isinstance(source, Sequence):
        raise TypeError(
            "a vocabulary needs a list with one piece per token, or a Hugging Face tokenizer, "
            f"not {type(source).__name__}"
        )
    if size not in (None, len(source)):
        raise ValueError(f"the list has {len(source)} pieces, but size is {size}")
    if end is None:
        raise ValueError('name the token that ends a text: vocabulary(pieces, end="</s>")')
    encoded = [_bytes(number, piece) for number, piece in enumerate(source)]
    return _of_pieces(encoded, _end_ids(encoded, end))


def _of_pieces(encoded: list[bytes | None], end_ids: frozenset[int]) -> Vocabulary:
    pieces = tuple(None if token in end_ids else piece or None for token, piece in enumerate(encoded))
    if not any(pieces):
        raise ModelError("the vocabulary has no token that writes text")
    made: Vocabulary

    def segment(text: str) -> TokenIds:
        return made.table.fewest_tokens(text.encode("utf-8", "surrogatepass"))

    made = Vocabulary(pieces=pieces, end_ids=end_ids, segment=segment, name=f"{len(pieces)} pieces")
    return made


def _of_tokenizer(tokenizer: Any, end: Token | Iterable[Token] | None, size: int | None) -> Vocabulary:
    from neurologic.models.tokenizers import vocabulary_of

    known = len(tokenizer)
    if end is None:
        if tokenizer.eos_token_id is None:
            raise ModelError(f"{type(tokenizer).__name__} names no end-of-text token; name it: end=…")
        end = int(tokenizer.eos_token_id)
    tokens = tokenizer.convert_ids_to_tokens(list(range(known)))
    end_ids = _end_ids([None if token is None else str(token).encode() for token in tokens], end)
    return vocabulary_of(tokenizer, max(known, size or 0), end_ids=end_ids, starts_text=False)


def _bytes(number: int, piece: Any) -> bytes | None:
    if piece is None or isinstance(piece, bytes):
        return piece
    if isinstance(piece, str):
        return piece.encode()
    raise TypeError(f"piece {number} is {type(piece).__name__}; a piece is text, bytes or None")


def _end_ids(encoded: list[bytes | None], end: Token | Iterable[Token]) -> frozenset[int]:
    tokens = [end] if isinstance(end, (int, str, bytes)) else list(end)
    if not tokens:
        raise ValueError("end is empty; name at least one token that ends a text")
    ids = set()
    for token in tokens:
        if isinstance(token, int):
            if not 0 <= token < len(encoded):
                raise ValueError(f"the end token {token} is not among the {len(encoded)} tokens")
            ids.add(token)
            continue
        piece = token.encode() if isinstance(token, str) else token
        found = [number for number, other in enumerate(encoded) if other == piece]
        if not found:
            raise ValueError(f"the end token {token!r} is not among the {len(encoded)} tokens")
        ids.update(found)
    return frozenset(ids)
