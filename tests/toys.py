"""Tiny vocabularies and models, small enough to compare with brute force."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from neurologic.errors import PromptError
from neurologic.matching.vocabulary import TokenIds, Vocabulary
from neurologic.models.base import EncodedPrompt

END = 0


def toy_vocabulary(*pieces: str | bytes) -> Vocabulary:
    """A vocabulary whose token 0 ends a text and whose other tokens add the given pieces."""
    encoded = (None, *(piece.encode() if isinstance(piece, str) else piece for piece in pieces))
    vocabulary: Vocabulary

    def segment(text: str) -> TokenIds:
        return vocabulary.table.fewest_tokens(text.encode())

    vocabulary = Vocabulary(pieces=encoded, end_ids=frozenset({END}), segment=segment, name="toy")
    return vocabulary


class ToyDecoding:
    """Rows of a toy model; `logits_of` maps the tokens so far to the next token's logits."""

    def __init__(self, rows: list[TokenIds], model: ToyModel) -> None:
        self._rows = rows
        self._model = model
        self._prompts = list(rows)
        model.calls += 1
        model.rows_read += len(rows)

    @property
    def logits(self) -> torch.Tensor:
        return torch.stack([self._model.logits_of(row) for row in self._rows])

    def advance(self, parents: torch.Tensor, tokens: torch.Tensor) -> None:
        pairs = zip(parents.tolist(), tokens.tolist(), strict=True)
        self._rows = [(*self._rows[parent], token) for parent, token in pairs]
        self._model.calls += 1
        self._model.rows_read += len(self._rows)

    def admit(self, prompts: Sequence[EncodedPrompt]) -> None:
        self._rows = [*self._rows, *(prompt.ids for prompt in prompts)]
        self._model.rows_read += len(prompts)

    def input_ids(self) -> torch.Tensor:
        return torch.tensor(self._rows)

    def branch(self, parents: torch.Tensor) -> ToyDecoding:
        other = copy.copy(self)
        other._rows = [self._rows[parent] for parent in parents.tolist()]
        return other

    @property
    def can_rewind(self) -> bool:
        return self._model.can_rewind

    def rewind(self, count: int, logits: torch.Tensor) -> None:
        self._rows = [row[: len(row) - count] for row in self._rows]

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
    """A model whose distributions are random but fixed by the seed and the tokens so far."""

    def logits_of(tokens: TokenIds) -> torch.Tensor:
        mixed = hash((seed, *tokens)) & 0x7FFFFFFF
        generator = torch.Generator().manual_seed(mixed)
        return sharpness * torch.randn(len(vocabulary), generator=generator)

    return ToyModel(vocabulary, logits_of)


def word_model(following: Mapping[str, Mapping[str, float]]) -> ToyModel:
    """A model of whole words, given by the probabilities of what follows each.

    The prompt is one end token, after it stands what follows ""; "</s>" is the end. Words that are not listed
    share the rest evenly.
    """
    words = sorted({word for chances in following.values() for word in chances} | {*following} - {""})
    words.remove("</s>")
    names = ["</s>", *words]

    def logits_of(tokens: TokenIds) -> torch.Tensor:
        chances = following[names[tokens[-1]] if len(tokens) > 1 else ""]
        rest = (1 - sum(chances.values())) / (len(names) - len(chances))
        return torch.tensor([math.log(max(chances.get(name, rest), 1e-9)) for name in names])

    return ToyModel(toy_vocabulary(*(word if word == "." else " " + word for word in words)), logits_of)


class ToyLoadedModel:
    """A toy in the shape of `LoadedModel`: prompts are texts of one token, and nothing is a chat."""

    is_encoder_decoder = False

    def __init__(self, model: ToyModel) -> None:
        self._model = model
        self.vocabulary = model.vocabulary
        self.lies = False

    def start(self, prompts: Any) -> Any:
        return self._model.start(prompts)

    def encode(self, prompt: Any, raw: bool = False, **_: Any) -> EncodedPrompt:
        if not isinstance(prompt, str):
            raise PromptError("a toy knows no conversations")
        return EncodedPrompt((1 + len(prompt) % 3,), before=prompt if raw else "")

    def decode(self, tokens: TokenIds, prompt: EncodedPrompt) -> str:
        return "nothing" if self.lies else self.vocabulary.decode(tokens).decode()

    def check_length(self, prompt: EncodedPrompt, max_new_tokens: int) -> None:
        if max_new_tokens > 100:
            raise PromptError("the context holds 100 tokens")

    def processors(self, *_: Any) -> tuple[list[Any], bool]:
        return [], False
