"""The protocol between the search and a language model.

A `LanguageModel` turns prompts into a `Decoding`: a batch of rows, each a text under way, of
which one asks for the next token's scores and which one advances by naming, for every new
row, the old row it continues and the token it appends. That is all that a search may ask of a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

if TYPE_CHECKING:
    import torch

    from neurologic.matching.vocabulary import Vocabulary


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

    def branch(self, parents: torch.Tensor) -> Self:
        """Rows of their own that go on from rows `parents` of these, which stay as they are.

        Only decoders that look ahead ask for it.
        """

    def input_ids(self) -> torch.Tensor:
        """Per row the tokens that Hugging Face's processors see: [rows, length], int64.

        Prompt (left-padded) and generated tokens for causal models, decoder start and generated
        tokens for encoder–decoder models.
        """


@runtime_checkable
class Rewindable(Decoding, Protocol):
    """A decoding that can take tokens back, so that a look-ahead can be used again."""

    @property
    def can_rewind(self) -> bool:
        """Whether `rewind` and `join` work for this model."""

    def rewind(self, count: int, logits: torch.Tensor) -> None:
        """Take back the last tokens of every row; `logits` are the scores that the rows had before them."""

    def join(self, other: Self) -> None:
        """Put the rows of a branch of the same length after these."""


class LanguageModel(Protocol):
    """Anything that scores next tokens."""

    @property
    def vocabulary(self) -> Vocabulary:
        """What the tokens add to a text."""

    def start(self, prompts: Sequence[EncodedPrompt]) -> Decoding:
        """Run every prompt once; the decoding starts with one row per prompt, in their order."""
