"""The bytes that one token adds to a text, for each kind of tokenizer.

Decoding is not a map from tokens to bytes. WordPiece puts a space before every token without "##" except
the first one, SentencePiece drops the space in front of a text, GPT writes a space after a word instead of
before it. A `Transducer` knows what a token adds *inside* a text and what it adds as the *first* token,
which is enough for all of them.

`parse_decoder` reads the rules from the tokenizer's own decoder, step by step, so a new model of a known
kind needs no code. Limits: whitespace at the two ends of a text is not exact (several decoders strip it),
but no occurrence of a phrase depends on it. A transducer cannot express a decoder that looks at more than
one token at a time (CTC, Moses detokenisation); `tokenizers.vocabulary_of` notices and refuses it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from neurologic.errors import ModelError

# A token on its way through the decoder's steps: a string until a step turns it into bytes.
Text = str | bytes
# Takes the token, and whether it is the first one of a text.
Step = Callable[[Any, bool], Text]

SPACE_SYMBOL = "▁"
_BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>")


@dataclass(frozen=True)
class Transducer:
    """The rule for what tokens add to a text.

    kind         the name of the rule, for messages
    steps        functions to apply in turn to a token's string
    positional   whether the first token of a text adds something else
    space_after  whether words include the space after them (GPT's "</w>")
    """

    kind: str
    steps: tuple[Step, ...]
    positional: bool
    space_after: bool = False

    def piece(self, token: str, *, first: bool = False) -> bytes:
        """Return the bytes that `token` adds, inside a text or as its first token."""
        text: Text = token
        for step in self.steps:
            text = step(text, first)
        return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")


def transducer_of(tokenizer: Any) -> Transducer | None:
    """Return the rule of a Hugging Face tokenizer; None for Python tokenizers of an unknown kind."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        return _python_transducer(tokenizer)
    if backend.decoder is None:
        # Without a decoder, spaces join the tokens.
        return Transducer("words", (_space_before_word,), positional=True)
    return parse_decoder(json.loads(backend.decoder.__getstate__()))


def parse_decoder(state: dict[str, Any]) -> Transducer:
    """Return the rule of a decoder of the `tokenizers` library, from its JSON state."""
    steps: list[Step] = []
    kinds: list[str] = []
    fused = False
    for part in _flatten(state):
        kind = part["type"]
        if kind == "Fuse":
            fused = True
            continue
        make = _STEPS.get(kind)
        if make is None or (fused and kind not in ("Strip", "Replace")):
            raise ModelError(
                f"neurologic does not support tokenizers that decode with {kind!r}: "
                "what a token adds to the text depends on more than the token"
            )
        steps.append(make(part, fused))
        kinds.append(kind)
    positional = any(kind in ("Metaspace", "WordPiece") for kind in kinds) or (fused and "Strip" in kinds)
    return Transducer("+".join(kinds), tuple(steps), positional, space_after="BPEDecoder" in kinds)


def _flatten(state: dict[str, Any]) -> list[dict[str, Any]]:
    if state["type"] == "Sequence":
        return [part for inner in state["decoders"] for part in _flatten(inner)]
    return [state]


# --- Steps of the `tokenizers` library ---------------------------------------------------------
#
# A part is a step's JSON state. `fused` steps come after "Fuse" and see the whole text, not single tokens.


@cache
def byte_table() -> dict[int, str]:
    """Return GPT-2's table of printable characters for bytes, for `str.translate` back to bytes."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in set(printable)]
    table = {byte: chr(byte) for byte in printable}
    table.update({256 + index: chr(byte) for index, byte in enumerate(others)})
    return table


def _byte_level(part: dict[str, Any], fused: bool) -> Step:
    table = byte_table()
    alphabet = frozenset(chr(code) for code in table)

    def step(text: Any, first: bool) -> Text:
        if alphabet.issuperset(text):
            return text.translate(table).encode("latin-1")
        return text.encode()  # an added token such as "<|my token|>" stands for itself

    return step


def _replace(part: dict[str, Any], fused: bool) -> Step:
    pattern, new = part["pattern"], part["content"]
    if "String" not in pattern or (fused and len(pattern["String"]) != 1):
        raise ModelError(f"neurologic does not support decoders that replace {pattern} in the whole text")
    old = pattern["String"]

    def step(text: Any, first: bool) -> Text:
        return text.replace(_like(text, old), _like(text, new))

    return step


def _byte_fallback(part: dict[str, Any], fused: bool) -> Step:
    def step(text: Any, first: bool) -> Text:
        match = _BYTE_TOKEN.fullmatch(text)
        return bytes([int(match[1], 16)]) if match else text

    return step


def _strip(part: dict[str, Any], fused: bool) -> Step:
    def step(text: Any, first: bool) -> Text:
        if fused and not first:
            return text
        content = _like(text, part["content"])
        for _ in range(part["start"]):
            text = text.removeprefix(content)
        # Whitespace at the end of the whole text does not matter.
        for _ in range(0 if fused else part["stop"]):
            text = text.removesuffix(content)
        return text

    return step


def _like(text: Text, other: str) -> Text:
    """Return a string in the type of a partly decoded text."""
    return other if isinstance(text, str) else other.encode()


def _metaspace(part: dict[str, Any], fused: bool) -> Step:
    symbol, drops = part["replacement"], part.get("prepend_scheme", "always") != "never"
    # The library drops every symbol of the first token, not only the leading one.
    return lambda text, first: text.replace(symbol, "" if first and drops else " ")


def _word_piece(part: dict[str, Any], fused: bool) -> Step:
    prefix, cleanup = part["prefix"], part["cleanup"]

    def step(text: Any, first: bool) -> Text:
        if not first:
            text = text.removeprefix(prefix) if text.startswith(prefix) else " " + text
        for old, new in _CLEANUP if cleanup else ():
            text = text.replace(old, new)
        return text

    return step


# The library applies these to every token by itself, in this order.
_CLEANUP = (
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
)


def _bpe_suffix(part: dict[str, Any], fused: bool) -> Step:
    return lambda text, first: text.replace(part["suffix"], " ")


_STEPS: dict[str, Callable[[dict[str, Any], bool], Step]] = {
    "ByteLevel": _byte_level,
    "Replace": _replace,
    "ByteFallback": _byte_fallback,
    "Strip": _strip,
    "Metaspace": _metaspace,
    "WordPiece": _word_piece,
    "BPEDecoder": _bpe_suffix,
}


# --- Tokenizers written in Python --------------------------------------------------------------


def _space_before_word(text: Any, first: bool) -> Text:
    return text if first else " " + text


def _sentence_piece(text: Any, first: bool) -> Text:
    text = text.replace(SPACE_SYMBOL, " ")
    return text.lstrip() if first else text


def _single_byte(text: Any, first: bool) -> Text:
    return text.encode("latin-1") if len(text) == 1 and ord(text) < 256 else text.encode()


def _python_transducer(tokenizer: Any) -> Transducer | None:
    names = {base.__name__ for base in type(tokenizer).__mro__}
    if "MarianTokenizer" in names:
        return Transducer("SentencePiece", (_sentence_piece,), positional=True)
    if "ByT5Tokenizer" in names:
        return Transducer("bytes", (_single_byte,), positional=False)
    if "SentencePieceBackend" in names:
        owner = next(base for base in type(tokenizer).__mro__ if "convert_tokens_to_string" in vars(base))
        if owner.__name__ == "SentencePieceBackend":
            return Transducer("SentencePiece", (_sentence_piece,), positional=True)
    return None
