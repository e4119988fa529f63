"""Toy models for the tests, beside those that `neurologic.testing.toys` ships."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch

from neurologic.errors import PromptError
from neurologic.matching.vocabulary import TokenIds
from neurologic.models.base import EncodedPrompt
from neurologic.testing.toys import END, ToyModel, random_model, toy_vocabulary

__all__ = ["END", "ToyLoadedModel", "ToyModel", "random_model", "toy_vocabulary", "word_model"]


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
