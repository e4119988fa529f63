"""A tiny real model that answers the prompt P by "The text of P.", one character per token.

Whatever it has written, it expects the next character of that answer with probability exp(-1/2). So the
answer scores -0.5, and a constraint makes the model write something else. All of the library runs as with any
other model: compiling, scheduling, search and verdict.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch

from neurologic.errors import PromptError
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.matching.vocabulary import TokenIds
from neurologic.models.base import EncodedPrompt
from toys import END, ToyLoadedModel, ToyModel, toy_vocabulary

CHARACTERS = [*map(chr, range(32, 127)), "é", "\u2028"]
CONTEXT = 400
# Options with which it writes as if there were no formula; the verdict is on the formula all the same.
UNCONSTRAINED = ("--decoder", "beam", "--reduce")
INTERRUPT, CRASH = "~", "^"  # prompts during which the user hits Ctrl-C, or a bug shows


class EchoModel(ToyLoadedModel):
    """A model of characters; prompts may be conversations."""

    model = tokenizer = None

    def __init__(self) -> None:
        super().__init__(ToyModel(toy_vocabulary(*CHARACTERS), self._logits_of))
        self._answers: list[list[int]] = []

    def encode(self, prompt: Any, raw: bool = False, **_: Any) -> EncodedPrompt:
        text = prompt if isinstance(prompt, str) else " / ".join(map(_message, prompt))
        self._answers.append([*map(_token, f"The text of {text}."), END])
        # The first token names the prompt; one for each character follows, so that lengths are real.
        number = len(CHARACTERS) + len(self._answers)
        return EncodedPrompt((number, *map(_token, text)), before=text if raw else "")

    def check_length(self, prompt: EncodedPrompt, max_new_tokens: int) -> None:
        if len(prompt.ids) + max_new_tokens > CONTEXT:
            raise PromptError(f"the prompt has {len(prompt.ids) - 1} tokens")

    def _logits_of(self, tokens: TokenIds) -> torch.Tensor:
        answer = self._answers[tokens[0] - len(CHARACTERS) - 1]
        length = len(answer) - len("The text of .") - 1
        prompt = "".join(CHARACTERS[token - 1] for token in tokens[1 : 1 + length])
        if prompt == INTERRUPT:
            raise KeyboardInterrupt
        if prompt == CRASH:
            raise ZeroDivisionError("oh no")
        chances = torch.full((len(self.vocabulary),), (1 - math.exp(-0.5)) / len(CHARACTERS))
        written = len(tokens) - 1 - length
        chances[answer[min(written, len(answer) - 1)]] = math.exp(-0.5)
        return chances.log()


def _token(character: str) -> int:
    return CHARACTERS.index(character) + 1


def _message(message: Mapping[str, str]) -> str:
    return f"{message['role']}: {message['content']}"


class RecordedModel(ConstrainedModel):
    """The model of characters, with a record of what it was asked.

    loaded_with  name and options of `neurologic.load`, None before
    prompts      of all requests, as the model reads them
    options      of the last call
    """

    def __init__(self) -> None:
        super().__init__(EchoModel())
        self.loaded_with: dict[str, Any] | None = None
        self.prompts: list[Any] = []
        self.options: dict[str, Any] = {}

    def stream(self, requests: Any, **options: Any) -> Any:
        self.options = options
        return super().stream(map(self._recorded, requests), **options)

    def _recorded(self, request: Any) -> Any:
        prompt = request.prompt
        if isinstance(prompt, str):
            self.prompts.append(("raw " if request.raw else "") + prompt)
        else:
            self.prompts.append(" / ".join(map(_message, prompt)))
        return request
