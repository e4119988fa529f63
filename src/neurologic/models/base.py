"""The protocol between the search and a language model.

A `LanguageModel` turns prompts into a `Decoding`: a batch of rows, each a partial text. The search reads
the scores of each row's next token, and advances the batch by naming, for every new row, the old row that
it continues and the token that it appends. A search asks nothing else of a model.

A `TextModel` also knows text: it encodes prompts as people write them and decodes tokens. `lm.generate` needs
no more than that. docs/guides/own_models.md shows how to write a model of your own, and `neurologic.testing`
checks it. This module imports no torch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

if TYPE_CHECKING:
    import torch

    from neurologic.matching.vocabulary import Vocabulary

# A text, or a conversation: a list of messages with "role" and "content".
Prompt = str | Sequence[Mapping[str, str]]


@dataclass(frozen=True)
class EncodedPrompt:
    """A prompt as the model takes it.

    ids      the prompt's tokens (for encoder–decoder models: the encoder's)
    before   the text directly before the generated one where it continues a raw prompt, else ""
    opening  tokens that an encoder–decoder model's text always opens with, after its start token
             (mBART's target language, BART's <s>); they are given, not generated
    """

    ids: tuple[int, ...]
    before: str = ""
    opening: tuple[int, ...] = ()


class Decoding(Protocol):
    """A batch of unfinished texts, one per row; rows of an input are adjacent, inputs keep their order."""

    @property
    def logits(self) -> torch.Tensor:
        """Scores of the next token, shape [rows, vocabulary], float32, not normalised."""

    def advance(self, parents: torch.Tensor, tokens: torch.Tensor) -> None:
        """Let new row i continue old row parents[i] with tokens[i]; both have shape [new rows], int64.

        Drop rows that `parents` does not name; copy rows that it names several times.
        """

    def branch(self, parents: torch.Tensor) -> Decoding:
        """Return rows that continue rows `parents` of these independently; these stay as they are.

        Only decoders that look ahead call it.
        """

    def input_ids(self) -> torch.Tensor:
        """Return the tokens of each row as Hugging Face's processors see them: [rows, length], int64.

        These are prompt (left-padded) and generated tokens for causal models, decoder start and generated
        tokens for encoder–decoder models. The length is that of the longest prompt plus the generated
        tokens, even when the rows of that prompt are gone: a look-ahead measures its progress with it.
        """


@runtime_checkable
class Admitting(Decoding, Protocol):
    """A decoding that takes further inputs while others are unfinished."""

    def admit(self, prompts: Sequence[EncodedPrompt]) -> None:
        """Run every prompt once and put their rows, one each, after the others."""


@runtime_checkable
class Rewindable(Decoding, Protocol):
    """A decoding with branches that can take tokens back, so that a look-ahead can reuse them."""

    @property
    def can_rewind(self) -> bool:
        """Whether `rewind` and `join` work for branches of this model's rows."""

    def rewind(self, count: int, logits: torch.Tensor) -> None:
        """Take back the last tokens of every row; `logits` are the scores from before these tokens."""

    def join(self, other: Self) -> None:
        """Append the rows of a branch of the same length."""


@runtime_checkable
class LanguageModel(Protocol):
    """Anything that scores next tokens; `neurologic.wrap` takes it."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The bytes that each token adds to a text."""

    def start(self, prompts: Sequence[EncodedPrompt]) -> Decoding:
        """Run every prompt once; return a decoding with one row per prompt, in their order."""


class TextModel(LanguageModel, Protocol):
    """A language model that takes prompts and returns texts: all that `ConstrainedModel` needs."""

    @property
    def model(self) -> Any:
        """The object that the user knows as the model."""

    @property
    def tokenizer(self) -> Any:
        """The object that the user knows as the tokenizer; None if there is none."""

    @property
    def is_encoder_decoder(self) -> bool:
        """Whether the text is separate from its prompt instead of continuing it."""

    def encode(
        self, prompt: Prompt, raw: bool = False, *, forced_bos_token_id: int | None = None
    ) -> EncodedPrompt:
        """Encode a string or a list of messages; raise `PromptError` if the model cannot take it."""

    def decode(self, tokens: Sequence[int], prompt: EncodedPrompt | None = None) -> str:
        """Return the text of generated tokens up to the end token."""

    def check_length(self, prompt: EncodedPrompt, max_new_tokens: int) -> None:
        """Raise `PromptError` if prompt and text together exceed the model's context."""

    def processors(
        self, prompt_length: int, max_new_tokens: int, settings: Mapping[str, Any] | None = None
    ) -> tuple[Sequence[Any], bool]:
        """Return Hugging Face's logits processors for these settings, and whether they force an end."""
