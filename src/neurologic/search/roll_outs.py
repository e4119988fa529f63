"""Roll-outs: short continuations, and the probabilities of watched tokens on the way.

greedy  one roll-out: the likeliest token each time
beam    a small beam search: the `width` likeliest continuations; the best probability of a token counts
sample  `width` independent draws; the mean probability of a watched token counts
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import torch

from neurologic.search.two_prompts import TwoPromptRows

Kind = Literal["greedy", "beam", "sample"]
# The log-probabilities of the watched tokens at each step of a roll-out.
Seen = list[list[float]]


@dataclass(frozen=True, eq=False)
class NextTokenScores:
    """The model's scores for the next tokens of several rows.

    logits     [rows, vocabulary]
    likeliest  the token that each row would write next
    alone      log-probabilities after the users' own prompts, [rows, vocabulary]; None if no row has a twin
    """

    logits: torch.Tensor
    likeliest: list[int]
    alone: torch.Tensor | None = None

    def alone_at(self, row: int) -> torch.Tensor:
        """Return the log-probabilities of a row after the user's own prompt, [vocabulary]."""
        return torch.log_softmax(self.logits[row], dim=-1) if self.alone is None else self.alone[row]

    @cached_property
    def _normalisers(self) -> torch.Tensor:
        return self.logits.logsumexp(dim=-1)  # [rows]

    def watch(self, rows: Sequence[int], watched: Sequence[Sequence[int]]) -> list[list[float]]:
        """Return log-probabilities of given tokens in given rows, with tokens of its own for each row."""
        most = max(map(len, watched), default=0)
        if not most:
            return [[] for _ in watched]
        device = self.logits.device
        padded = torch.tensor([[*tokens, *[0] * (most - len(tokens))] for tokens in watched], device=device)
        chosen = torch.tensor(rows, device=device)[:, None]
        values = (self.logits[chosen, padded] - self._normalisers[chosen]).tolist()
        return [row[: len(tokens)] for row, tokens in zip(values, watched, strict=True)]


@dataclass(frozen=True, eq=False)
class Reader:
    """Reads the model's scores; roll-outs never write the tokens `never`."""

    never: torch.Tensor

    def read(self, rows: TwoPromptRows) -> NextTokenScores:
        logits = rows.logits
        return NextTokenScores(logits, self._writable(logits).argmax(dim=-1).tolist(), rows.alone)

    def logprobs(self, logits: torch.Tensor) -> torch.Tensor:
        """Return log-probabilities of the tokens that a roll-out may write."""
        return torch.log_softmax(self._writable(logits), dim=-1)

    def _writable(self, logits: torch.Tensor) -> torch.Tensor:
        return logits.index_fill(-1, self.never, float("-inf"))


def roll_on(
    first: Any,
    reader: Reader,
    watched: Sequence[Sequence[int]],
    kind: Kind,
    width: int,
    steps: int,
    chance: torch.Tensor,
) -> list[Seen]:
    """Roll `steps` further steps from each row of `first`; return the probabilities of watched tokens.

    The rows of `first` stay as they are. `chance` holds numbers between 0 and 1, [rows, steps * width], for
    drawing.
    """
    count = len(watched)
    seen: list[Seen] = [[] for _ in range(count)]
    if not steps:
        return seen
    width = min(width, first.logits.shape[-1])
    rows = first.branch(torch.arange(count))
    scores = torch.zeros(count, 1, device=first.logits.device)
    for step in range(steps):
        logprobs = reader.logprobs(rows.logits).reshape(count, scores.shape[1], -1)
        if kind == "sample":
            tokens, origins = _draw(logprobs, chance[:, step * width : (step + 1) * width])
            scores = scores[:, :1].expand(count, width)
        else:
            total = (scores[:, :, None] + logprobs).flatten(1)
            scores, indices = total.topk(width, dim=-1)
            tokens, origins = indices % logprobs.shape[-1], indices // logprobs.shape[-1]
        parents = torch.arange(count)[:, None] * logprobs.shape[1] + origins.cpu()
        rows.advance(parents.flatten(), tokens.flatten().cpu())
        repeated = [tokens for tokens in watched for _ in range(width)]
        several = reader.read(rows).watch(range(count * width), repeated)
        for number in range(count):
            seen[number].append(_together(several[number * width : (number + 1) * width], kind))
    return seen


def _draw(logprobs: torch.Tensor, chance: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw a token for each roll-out, and name the one it continues, both [rows, width].

    logprobs  [rows, 1 or width, vocabulary]
    """
    count, width = chance.shape
    whole = logprobs.exp().cumsum(dim=-1).expand(count, width, logprobs.shape[-1])
    limit = chance.to(whole.device)[:, :, None] * whole[..., -1:]
    tokens = torch.searchsorted(whole.contiguous(), limit).squeeze(-1).clamp(max=whole.shape[-1] - 1)
    origins = torch.arange(width).expand(count, width) if logprobs.shape[1] > 1 else torch.zeros(count, width)
    return tokens, origins.long()


def _together(several: Sequence[Sequence[float]], kind: Kind) -> list[float]:
    """Combine what several roll-outs say of each watched token."""
    if kind != "sample":
        return [max(of_token) for of_token in zip(*several, strict=True)]
    return [
        math.log(max(sum(map(math.exp, of_token)) / len(several), 1e-30))
        for of_token in zip(*several, strict=True)
    ]
