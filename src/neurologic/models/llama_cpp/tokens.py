"""The tokens of a GGUF file as llama.cpp knows them: pieces, segmentation, prompts.

Nothing of Hugging Face's is asked: a token's piece is what llama.cpp writes for it, prompts are cut up by its
own tokenizer, and conversations are written out by the chat template of the file. Limits: control tokens, and
markers in angle or square brackets that the file calls user-defined, are never written.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from neurologic.errors import ModelError, PromptError
from neurologic.matching.vocabulary import TokenIds, Vocabulary
from neurologic.models.base import EncodedPrompt
from neurologic.models.llama_cpp.file import LlamaFile
from neurologic.models.prompts import Prompt, check_messages
from neurologic.models.segmentation import Segmenter

_LONGEST_PIECE = 1024  # bytes
_MARKER = re.compile(rb"<.*>|\[.*\]")


class LlamaTokens:
    """The tokenizer of a model of llama.cpp."""

    def __init__(self, file: LlamaFile) -> None:
        self._file = file
        self._library = file.library
        self._vocab = file.library.llama_model_get_vocab(file.pointer)
        self._name = file.path.name

    def __call__(self, text: str, **_: Any) -> Mapping[str, TokenIds]:
        """The tokens of a plain text, in the form in which Hugging Face's tokenizers give them."""
        return {"input_ids": self.tokens_of(text)}

    def tokens_of(self, text: str, *, parse_special: bool = False) -> TokenIds:
        """The tokens of a text; with `parse_special` control tokens that are written out count as such."""
        data = text.encode("utf-8", "surrogatepass")
        room = len(data) + 8
        buffer = (self._library.llama_token * room)()
        count = self._library.llama_tokenize(self._vocab, data, len(data), buffer, room, False, parse_special)
        if count < 0:
            raise PromptError(f"llama.cpp cannot cut the text {text[:40]!r} into tokens")
        return tuple(buffer[:count])

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """What every token adds to a text."""
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
        """The tokens of a prompt; `raw` texts get the token that the model wants in front of every text."""
        if not isinstance(prompt, str):
            conversation = check_messages(prompt)
            if raw:
                raise PromptError("raw=True sends a string as it is; a list of messages is written out")
            if self.chat_template is None:
                raise PromptError(
                    "the file has no chat template, so it takes a string, not a list of messages"
                )
            return EncodedPrompt(self._chat(conversation))
        if self.chat_template is not None and not raw:
            return EncodedPrompt(self._chat([{"role": "user", "content": prompt}]))
        return EncodedPrompt(self._opening(prompt) + self.tokens_of(prompt), prompt)

    def _opening(self, prompt: str) -> TokenIds:
        """The token that opens a raw prompt, where the model wants one or there is nothing else."""
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

    def _chat(self, messages: list[dict[str, str]]) -> TokenIds:
        try:
            text = self._formatter(messages=messages).prompt
        except Exception as error:  # templates raise whatever their author liked
            roles = ", ".join(message["role"] for message in messages)
            raise PromptError(
                f"the file's chat template refuses this conversation ({roles}): {error}"
            ) from error
        # The template has written its own control tokens; adding more would double the first one.
        return self.tokens_of(text, parse_special=True)

    @cached_property
    def _formatter(self) -> Any:
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter

        begin, end = self._library.llama_vocab_bos(self._vocab), self._library.llama_vocab_eos(self._vocab)
        return Jinja2ChatFormatter(
            template=self.chat_template, bos_token=self._text(begin), eos_token=self._text(end)
        )

    def _text(self, token: int) -> str:
        return "" if token < 0 else self._library.llama_vocab_get_text(self._vocab, token).decode()
