"""Tiny vocabularies and models, small enough to compare a search with brute force."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence

import torch

from neurologic.matching.vocabulary import TokenIds, Vocabulary
from neurologic.models.base import EncodedPrompt

END = 0


def toy_vocabulary(*pieces: str | bytes) -> Vocabulary:
    """Return a vocabulary whose token 0 ends a text and whose other tokens add the given pieces."""
    encoded = (None, *(piece.encode() if isinstance(piece, str) else piece for piece in pieces))
    vocabulary: Vocabulary

    def segment(text: str) -> TokenIds:
        return vocabulary.table.fewest_tokens(text.encode())

    vocabulary = Vocabulary(pieces=encoded, end_ids=frozenset({END}), segment=segment, name="toy")
    return vocabulary


class ToyDecoding:
    """Rows of a toy model, each the tokens of its text so far."""

    def __init__(self, rows: list[TokenIds], model: ToyModel) -> None:
        self._rows = rows
        self._model = model
        self._width = max(map(len, rows))
        model.calls += 1
        model.rows_read += len(rows)

    @property
    def logits(self) -> torch.Tensor:
        return torch.stack([self._model.logits_of(row) for row in self._rows])

    def advance(self, parents: torch.Tensor, tokens: torch.Tensor) -> None:
        pairs = zip(parents.tolist(), tokens.tolist(), strict=True)
        self._rows = [(*self._rows[parent], token) for parent, token in pairs]
        self._width += 1
        self._model.calls += 1
        self._model.rows_read += len(self._rows)

    def admit(self, prompts: Sequence[EncodedPrompt]) -> None:
        self._rows = [*self._rows, *(prompt.ids for prompt in prompts)]
        self._width = max(self._width, *(len(prompt.ids) for prompt in prompts))
        self._model.rows_read += len(prompts)

    def input_ids(self) -> torch.Tensor:
        return torch.tensor([(END,) * (self._width - len(row)) + row for row in self._rows])

    def branch(self, parents: torch.Tensor) -> ToyDecoding:
        other = copy.copy(self)
        other._rows = [self._rows[parent] for parent in parents.tolist()]
        return other

    @property
    def can_rewind(self) -> bool:
        return self._model.can_rewind

    def rewind(self, count: int, logits: torch.Tensor) -> None:
        self._rows = [row[: len(row) - count] for row in self._rows]
        self._width -= count

    def join(self, other: ToyDecoding) -> None:
        self._rows = self._rows + other._rows


class ToyModel:
    """A language model given by a function from tokens (prompt included) to logits.

    calls      how often it was run, for any number of rows
    rows_read  how many rows it has read one token further, or from the start
    """

    def __init__(self, vocabulary: Vocabulary, logits_of: Callable[[TokenIds], torch.Tensor]) -> None:
        self.vocabulary = vocabulary
        self.logits_of = logits_of
        self.calls = 0
        self.rows_read = 0
        self.can_rewind = True

    def start(self, prompts: Sequence[EncodedPrompt]) -> ToyDecoding:
        return ToyDecoding([prompt.ids for prompt in prompts], self)


def random_model(vocabulary: Vocabulary, seed: int, sharpness: float = 2.0) -> ToyModel:
    """Return a model with random distributions, fixed by the seed and the tokens so far."""

    def logits_of(tokens: TokenIds) -> torch.Tensor:
        mixed = hash((seed, *tokens)) & 0x7FFFFFFF
        generator = torch.Generator().manual_seed(mixed)
        return sharpness * torch.randn(len(vocabulary), generator=generator)

    return ToyModel(vocabulary, logits_of)
