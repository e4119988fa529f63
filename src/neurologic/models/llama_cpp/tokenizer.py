"""The tokenizer of a GGUF file, run by llama.cpp: vocabulary, segmentation, prompts.

It uses nothing of Hugging Face: llama.cpp writes the text of each token and splits prompts, and the file's
chat template writes conversations. Limits: no text contains control tokens, nor markers in angle or square
brackets that the file calls user-defined.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from neurologic.errors import ModelError, PromptError
from neurologic.matching.vocabulary import TokenIds, Vocabulary
from neurologic.models.base import EncodedPrompt, Prompt
from neurologic.models.control_tokens import spells_control_token, written_out
from neurologic.models.llama_cpp.file import LlamaFile
from neurologic.models.prompts import apply_template, messages_or_text
from neurologic.models.segmentation import Segmenter

_LONGEST_PIECE = 1024  # bytes
_MARKER = re.compile(rb"<.*>|\[.*\]")


class LlamaTokenizer:
    """The tokenizer of a model of llama.cpp."""

    def __init__(self, file: LlamaFile) -> None:
        self._file = file
        self._library = file.library
        self._vocab = file.library.llama_model_get_vocab(file.pointer)
        self._name = file.path.name

    def __call__(self, text: str, **_: Any) -> Mapping[str, TokenIds]:
        """Return the tokens of a plain text as Hugging Face's tokenizers do."""
        return {"input_ids": self.tokens_of(text)}

    def tokens_of(self, text: str, *, parse_special: bool = False) -> TokenIds:
        """Return the tokens of a text; `parse_special` recognises control tokens that it spells."""
        data = text.encode("utf-8", "surrogatepass")
        room = len(data) + 8
        buffer = (self._library.llama_token * room)()
        count = self._library.llama_tokenize(self._vocab, data, len(data), buffer, room, False, parse_special)
        if count < 0:
            raise PromptError(f"llama.cpp cannot split the text {text[:40]!r} into tokens")
        return tuple(buffer[:count])

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The bytes that each token adds to a text."""
        library, vocab = self._library, self._vocab
        tokens = range(library.llama_vocab_n_tokens(vocab))
        end_ids = frozenset(token for token in tokens if library.llama_vocab_is_eog(vocab, token))
        if not end_ids:
            raise ModelError(f"{self._name} names no token that ends a text")
        pieces = tuple(None if token in end_ids else self._piece(token) for token in tokens)
        return Vocabulary(pieces, end_ids, Segmenter(self, pieces), name=f"llama.cpp's of {self._name}")

    def _piece(self, token: int) -> bytes | None:
        library = self._library
        attributes = library.llama_vocab_get_attr(self._vocab, token)
        silent = (
            library.LLAMA_TOKEN_ATTR_UNKNOWN
            | library.LLAMA_TOKEN_ATTR_UNUSED
            | library.LLAMA_TOKEN_ATTR_CONTROL
        )
        if attributes & silent:
            return None
        buffer = ctypes.create_string_buffer(_LONGEST_PIECE)
        length = library.llama_token_to_piece(self._vocab, token, buffer, _LONGEST_PIECE, 0, False)
        piece = buffer.raw[: max(0, length)]
        if attributes & library.LLAMA_TOKEN_ATTR_USER_DEFINED and _MARKER.fullmatch(piece):
            return None
        return piece or None

    # -- prompts --------------------------------------------------------------------------------

    def encode(self, prompt: Prompt, *, raw: bool = False) -> EncodedPrompt:
        """Return the tokens of a prompt; a raw text gets the token that the model wants before every text."""
        content = messages_or_text(prompt, raw=raw, has_template=self.chat_template is not None)
        if isinstance(content, str):
            return EncodedPrompt(self._opening(content) + self.tokens_of(content), content)

        def write(messages: Sequence[Mapping[str, str]]) -> str:
            return apply_template(content, lambda: self._formatter(messages=messages).prompt)

        def encode(text: str) -> TokenIds:
            # The template has written its own control tokens; adding more would double the first one.
            return self.tokens_of(text, parse_special=True)

        if not spells_control_token(content, self._controls):
            return EncodedPrompt(encode(write(content)))
        return EncodedPrompt(
            written_out(content, self._controls, write=write, encode=encode, encode_plainly=self.tokens_of)
        )

    @cached_property
    def _controls(self) -> dict[str, int]:
        """The control tokens by the text that spells them."""
        library, controls = self._library, {}
        buffer = ctypes.create_string_buffer(_LONGEST_PIECE)
        for token, piece in enumerate(self.vocabulary.pieces):
            if piece is None:
                length = library.llama_token_to_piece(self._vocab, token, buffer, _LONGEST_PIECE, 0, True)
                text = buffer.raw[: max(0, length)].decode(errors="ignore").strip()
                if text:
                    controls[text] = token
        return controls

    def _opening(self, prompt: str) -> TokenIds:
        """Return the token before a raw prompt, if the model wants one or the prompt is empty."""
        begin, end = self._library.llama_vocab_bos(self._vocab), self._library.llama_vocab_eos(self._vocab)
        if self._library.llama_vocab_get_add_bos(self._vocab) and begin >= 0:
            return (begin,)
        if prompt:
            return ()
        first = next((token for token in (begin, end) if token >= 0), None)
        if first is None:
            raise PromptError("the prompt is empty, and the model has no token that begins a text")
        return (first,)

    @cached_property
    def chat_template(self) -> str | None:
        """The file's chat template, in Jinja."""
        template = self._library.llama_model_chat_template(self._file.pointer, None)
        return None if template is None else template.decode()

    @cached_property
    def _formatter(self) -> Any:
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter

        begin, end = self._library.llama_vocab_bos(self._vocab), self._library.llama_vocab_eos(self._vocab)
        return Jinja2ChatFormatter(
            template=self.chat_template, bos_token=self._text(begin), eos_token=self._text(end)
        )

    def _text(self, token: int) -> str:
        return "" if token < 0 else self._library.llama_vocab_get_text(self._vocab, token).decode()
