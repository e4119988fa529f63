"""Make a `Vocabulary` from a Hugging Face tokenizer: the bytes that every token adds to a text.

Causal models continue a prompt, so their tokens are always *inside* a text; the tokens of encoder–decoder
models start one (`starts_text`). Decoding skips special tokens and Hugging Face's clean-up of spaces, which
would change text after the search has checked it.

`check_vocabulary` compares every vocabulary with the tokenizer's own decoding on random sequences, because
everything that neurologic promises rests on it. Limits: it does not compare whitespace at the ends of a text,
and it refuses tokenizers that decode several tokens together.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any

from neurologic.errors import ModelError
from neurologic.matching.vocabulary import Lookups, TokenIds, Vocabulary
from neurologic.models.segmentation import Segmenter, encode_plain
from neurologic.models.token_bytes import SPACE_SYMBOL, Transducer, transducer_of

# The bytes that each token adds; None for tokens that no text may contain.
Pieces = tuple[bytes | None, ...]

_CHECKED_SEQUENCES = 300

# Tokens that are markers, although their tokenizers do not declare them special: reserved places (BERT,
# Gemma), T5's sentinels, Marian's target languages, chat markers.
_PLACEHOLDER = re.compile(r"[\[<](unused|reserved|extra_id)[-_]?\d+[\]>]|>>\S+<<")
_MARKER = re.compile(r"<\|.*\|>")


def vocabulary_of(
    tokenizer: Any, size: int, *, end_ids: frozenset[int] | set[int], starts_text: bool
) -> Vocabulary:
    """Make the vocabulary of a tokenizer for a model with `size` logits.

    Special tokens, placeholders, the unknown token, end tokens and ids without a token get no piece.
    """
    tokens = token_strings(tokenizer, size)
    silent = _silent_ids(tokenizer, tokens) | set(end_ids)
    pieces, first_pieces = _pieces_of(tokenizer, tokens, silent, starts_text)
    return vocabulary_with(tokenizer, pieces, first_pieces, end_ids=end_ids, starts_text=starts_text)


def vocabulary_with(
    tokenizer: Any,
    pieces: Pieces,
    first_pieces: Pieces | None,
    *,
    end_ids: frozenset[int] | set[int],
    starts_text: bool,
    known: Lookups | None = None,
) -> Vocabulary:
    """Make the vocabulary from known pieces, and compare them with the tokenizer's decoding."""
    vocabulary = Vocabulary(
        pieces=pieces,
        first_pieces=first_pieces,
        end_ids=frozenset(end_ids),
        segment=Segmenter(tokenizer, pieces),
        name=_name(tokenizer),
        known=known,
    )
    check_vocabulary(tokenizer, vocabulary, starts_text=starts_text)
    return vocabulary


def decode_text(
    tokenizer: Any, tokens: Sequence[int], *, prompt_ids: Sequence[int] = (), starts_text: bool = False
) -> str:
    """Return the generated text, by the tokenizer's own decoding.

    If a tokenizer decodes the first token of a text differently, decode a text that continues a prompt
    together with the prompt, and then cut the prompt off.
    """
    transducer = transducer_of(tokenizer)
    positional = transducer is None or transducer.positional or transducer.space_after
    if starts_text or not positional or not prompt_ids:
        return _decode(tokenizer, tokens)
    before = _decode(tokenizer, prompt_ids)
    whole = _decode(tokenizer, [*prompt_ids, *tokens])
    if whole.startswith(before):
        return whole[len(before) :]
    raise ModelError(
        f"{_name(tokenizer)} decodes the prompt differently once text follows it ({before[-40:]!r} "
        f"became {whole[max(0, len(before) - 40) : len(before)]!r}); neurologic does not support it"
    )


def check_vocabulary(
    tokenizer: Any,
    vocabulary: Vocabulary,
    *,
    starts_text: bool,
    sequences: int = _CHECKED_SEQUENCES,
    seed: int = 0,
) -> None:
    """Compare a vocabulary with the tokenizer's own decoding on random sequences; raise if they differ."""
    generator = random.Random(seed)
    writable = [token for token, piece in enumerate(vocabulary.pieces) if piece]
    if not writable:
        raise ModelError(f"{_name(tokenizer)} has no token that writes text")
    prompt: TokenIds = () if starts_text else _anchor(tokenizer, vocabulary)
    for _ in range(sequences):
        tokens = tuple(generator.choices(writable, k=generator.randint(1, 12)))
        written = vocabulary.decode(tokens)
        try:
            ours = written.decode()
        except UnicodeDecodeError:
            continue  # torn characters: decoders write different numbers of replacement characters
        theirs = decode_text(tokenizer, tokens, prompt_ids=prompt, starts_text=starts_text)
        if ours.strip() != theirs.strip():
            raise ModelError(
                f"{_name(tokenizer)} decodes tokens {list(tokens)} "
                f"({tokenizer.convert_ids_to_tokens(list(tokens))}) to {theirs!r}, "
                f"but neurologic expects {ours!r}; it does not support this kind of tokenizer"
            )


def space_follows_prompt(tokenizer: Any) -> bool:
    """Return whether a text that continues a prompt always starts a new word (GPT's "</w>")."""
    transducer = transducer_of(tokenizer)
    return transducer is not None and transducer.space_after


def special_ids(tokenizer: Any) -> set[int]:
    """Return the tokens that decoding skips."""
    ids = set(tokenizer.all_special_ids)
    ids.update(token for token, added in tokenizer.added_tokens_decoder.items() if added.special)
    return ids


def control_tokens(tokenizer: Any) -> dict[str, int]:
    """Return the tokens that steer a conversation, by the text that spells them."""
    added = {token: known.content for token, known in tokenizer.added_tokens_decoder.items()}
    special = special_ids(tokenizer)
    names = {text: token for token, text in added.items() if token in special or _MARKER.fullmatch(text)}
    return {text: token for text, token in names.items() if text.strip()}


def _silent_ids(tokenizer: Any, tokens: list[str | None]) -> set[int]:
    silent = special_ids(tokenizer)
    if tokenizer.unk_token_id is not None:
        silent.add(tokenizer.unk_token_id)
    added = tokenizer.added_tokens_decoder
    silent.update(token for token in added if _MARKER.fullmatch(added[token].content))
    # Testing the first character first keeps this fast on a vocabulary of 262,000 tokens.
    suspects = ((token, text) for token, text in enumerate(tokens) if text and text[0] in "[<>")
    silent.update(token for token, text in suspects if _PLACEHOLDER.fullmatch(text))
    return silent


def token_strings(tokenizer: Any, size: int) -> list[str | None]:
    """Return the string of every id; None for ids that the model scores but the tokenizer does not know."""
    known = min(size, len(tokenizer))
    tokens: list[str | None] = list(tokenizer.convert_ids_to_tokens(list(range(known))))
    return tokens + [None] * (size - known)


def _pieces_of(
    tokenizer: Any, tokens: list[str | None], silent: set[int], starts_text: bool
) -> tuple[Pieces, Pieces | None]:
    transducer = transducer_of(tokenizer) or _measuring_transducer(tokenizer, tokens, silent)
    piece = transducer.piece
    pieces = tuple(
        None if text is None or token in silent else piece(text) or None for token, text in enumerate(tokens)
    )
    if not (starts_text and transducer.positional):
        return pieces, None
    first_pieces = tuple(
        None if text is None or pieces[token] is None else piece(text, first=True)
        for token, text in enumerate(tokens)
    )
    return pieces, first_pieces if first_pieces != pieces else None


def _measuring_transducer(tokenizer: Any, tokens: list[str | None], silent: set[int]) -> Transducer:
    """Decode every token between two known ones, for Python tokenizers of an unknown kind.

    This is slow (one decoding per token), and a guess that `check_vocabulary` has to confirm.
    """
    words = (
        text
        for token, text in enumerate(tokens)
        if text and token not in silent and text.strip(SPACE_SYMBOL + "#@</w>").isalpha()
    )
    anchor = next(words, None)
    if anchor is None:
        raise ModelError(f"{_name(tokenizer)} has no plain word among its tokens, which neurologic needs")
    to_text = tokenizer.convert_tokens_to_string
    before = len(to_text([anchor]))
    after = len(to_text([anchor, anchor])) - before

    def step(text: str, first: bool) -> str:
        if first:
            return str(to_text([text]))
        whole = to_text([anchor, text, anchor])
        return str(whole[before : len(whole) - after])

    return Transducer("measured", (step,), positional=True)


def _anchor(tokenizer: Any, vocabulary: Vocabulary) -> TokenIds:
    """Return a short prompt, to compare what tokens add to it."""
    for text in ("The", "a", "the end"):
        tokens = encode_plain(tokenizer, text)
        if tokens and all(vocabulary.pieces[token] for token in tokens):
            return tokens
    return (next(token for token, piece in enumerate(vocabulary.pieces) if piece and piece.strip()),)


def _decode(tokenizer: Any, tokens: Sequence[int]) -> str:
    text = tokenizer.decode(list(tokens), skip_special_tokens=True, clean_up_tokenization_spaces=False)
    return str(text)


def _name(tokenizer: Any) -> str:
    source = str(getattr(tokenizer, "name_or_path", "") or "")
    return f"{type(tokenizer).__name__} of {source}" if source else type(tokenizer).__name__
