"""The protocol between the search and a language model.

A `LanguageModel` turns prompts into a `Decoding`: a batch of rows, each a text under way, of
which one asks for the next token's scores and which one advances by naming, for every new
row, the old row it continues and the token it appends. That is all that a search may ask of a model.

A `TextModel` also knows text: it takes prompts as people write them and reads tokens back. `lm.generate`
needs no more than that. docs/own_models.md shows how to write a model of one's own; no torch is needed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

if TYPE_CHECKING:
    import torch

    from neurologic.matching.vocabulary import Vocabulary
    from neurologic.models.prompts import Prompt


@dataclass(frozen=True)
class EncodedPrompt:
    """A prompt as the model takes it.

    ids      the prompt's tokens (of the encoder for encoder–decoder models)
    before   the text directly before the generated one where it continues a raw prompt, else ""
    opening  tokens that an encoder–decoder model's text always opens with, after its start token
             (mBART's target language, BART's <s>); they are given, not generated
    """

    ids: tuple[int, ...]
    before: str = ""
    opening: tuple[int, ...] = ()


class Decoding(Protocol):
    """A batch of rows under way; rows of one input stand together, inputs keep their order."""

    @property
    def logits(self) -> torch.Tensor:
        """Scores of the next token, shape [rows, vocabulary], float32, not normalised."""

    def advance(self, parents: torch.Tensor, tokens: torch.Tensor) -> None:
        """New row i continues old row parents[i] with tokens[i]; both have shape [new rows], int64.

        Rows that no entry of `parents` names are dropped, rows named several times are copied.
        """

    def branch(self, parents: torch.Tensor) -> Decoding:
        """Rows of their own that go on from rows `parents` of these, which stay as they are.

        Only decoders that look ahead ask for it.
        """

    def input_ids(self) -> torch.Tensor:
        """Per row the tokens that Hugging Face's processors see: [rows, length], int64.

        Prompt (left-padded) and generated tokens for causal models, decoder start and generated
        tokens for encoder–decoder models. The length is that of the longest prompt and what was generated,
        also when the rows of that prompt are gone: by it a look-ahead knows how far it has come.
        """


@runtime_checkable
class Admitting(Decoding, Protocol):
    """A decoding that takes further inputs while others are under way."""

    def admit(self, prompts: Sequence[EncodedPrompt]) -> None:
        """Run every prompt once; their rows, one each, come after those that are there."""


@runtime_checkable
class Rewindable(Decoding, Protocol):
    """A decoding whose branches can take tokens back, so that a look-ahead can be used again."""

    @property
    def can_rewind(self) -> bool:
        """Whether `rewind` and `join` work for branches of this model's rows."""

    def rewind(self, count: int, logits: torch.Tensor) -> None:
        """Take back the last tokens of every row; `logits` are the scores that the rows had before them."""

    def join(self, other: Self) -> None:
        """Put the rows of a branch of the same length after these."""


@runtime_checkable
class LanguageModel(Protocol):
    """Anything that scores next tokens; `neurologic.wrap` takes it."""

    @property
    def vocabulary(self) -> Vocabulary:
        """What the tokens add to a text."""

    def start(self, prompts: Sequence[EncodedPrompt]) -> Decoding:
        """Run every prompt once; the decoding starts with one row per prompt, in their order."""


class TextModel(LanguageModel, Protocol):
    """A language model that takes prompts and gives texts: all that `ConstrainedModel` needs of one."""

    @property
    def model(self) -> Any:
        """What the user knows as the model."""

    @property
    def tokenizer(self) -> Any:
        """What the user knows as the tokenizer; None where there is none."""

    @property
    def is_encoder_decoder(self) -> bool:
        """Whether the text stands apart from its prompt instead of continuing it."""

    def encode(
        self, prompt: Prompt, raw: bool = False, *, forced_bos_token_id: int | None = None
    ) -> EncodedPrompt:
        """A string or a list of messages as the model takes it; `PromptError` where it cannot."""

    def decode(self, tokens: Sequence[int], prompt: EncodedPrompt | None = None) -> str:
        """The text of generated tokens up to the end token."""

    def check_length(self, prompt: EncodedPrompt, max_new_tokens: int) -> None:
        """Raise `PromptError` if prompt and text exceed what the model can read."""

    def processors(
        self, prompt_length: int, max_new_tokens: int, settings: Mapping[str, Any] | None = None
    ) -> tuple[Sequence[Any], bool]:
        """Hugging Face's logits processors for these settings, and whether they force an end."""
