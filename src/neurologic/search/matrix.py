"""The k×|V| matrices of all inputs in one step: what decoders see of the model's scores.

The scores stay on the model's device. Whatever a decoder wants to know of them is asked for all inputs at
once, so the number of transfers to the host is the same for any number of inputs, beams and clauses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

import torch

from neurologic.errors import ModelError

MINUS_INFINITY = float("-inf")

# The likeliest n cells lie in the n blocks with the largest maxima, so that only those have to be sorted. A
# block is a set of tokens at equal distances, whose maxima a processor finds faster than those of neighbours.
_BLOCK = 32


class Cell(NamedTuple):
    """A candidate by its place: the row of its input, the token, and the cumulative log-likelihood."""

    row: int
    token: int
    logprob: float


class Matrix:
    """Cumulative log-likelihoods, -inf where a token is not allowed.

    scores  [rows, vocabulary]; the rows of an input stand together
    sizes   how many rows each input has
    """

    def __init__(self, scores: torch.Tensor, sizes: Sequence[int]) -> None:
        self.scores = scores.contiguous()
        self.sizes = tuple(sizes)
        self.first_rows = tuple(accumulate(self.sizes, initial=0))[:-1]

    @classmethod
    def of(cls, scores: torch.Tensor) -> Matrix:
        """The matrix of a single input."""
        return cls(scores, (scores.shape[0],))

    def __len__(self) -> int:
        """How many inputs there are."""
        return len(self.sizes)

    def part(self, number: int) -> Matrix:
        """The matrix of one of the inputs."""
        first = self.first_rows[number]
        return Matrix.of(self.scores[first : first + self.sizes[number]])

    def repeated(self, times: int) -> Matrix:
        """Every row several times."""
        return Matrix(self.scores.repeat_interleave(times, dim=0), [times * size for size in self.sizes])

    def likeliest(self, count: int) -> list[list[Cell]]:
        """Per input its `count` likeliest cells, best first; fewer where fewer are allowed."""
        values, places = self._largest(count)  # both [inputs, count]
        size = self.scores.shape[-1]
        cells = []
        for first, logprobs, indices in zip(self.first_rows, to_host(values), places.tolist(), strict=True):
            pairs = zip(logprobs, indices, strict=True)
            cells.append(
                [
                    Cell(index // size - first, index % size, logprob)
                    for logprob, index in pairs
                    if logprob > MINUS_INFINITY
                ]
            )
        return cells

    def likeliest_of_rows(self, count: int) -> list[list[dict[int, float]]]:
        """Per input and row the `count` likeliest tokens with their log-likelihoods, best first."""
        values, tokens = self.scores.topk(min(count, self.scores.shape[-1]), dim=-1)
        rows = [
            {token: logprob for token, logprob in zip(*one, strict=True) if logprob > MINUS_INFINITY}
            for one in zip(tokens.tolist(), to_host(values), strict=True)
        ]
        return [rows[first : first + size] for first, size in zip(self.first_rows, self.sizes, strict=True)]

    def at(self, places: Sequence[Sequence[tuple[int, int]]]) -> list[list[float]]:
        """The log-likelihoods of some cells, given per input as (row, token)."""
        rows = [first + row for first, own in zip(self.first_rows, places, strict=True) for row, _ in own]
        tokens = [token for own in places for _, token in own]
        if not rows:
            return [[] for _ in places]
        device = self.scores.device
        values = iter(
            to_host(self.scores[torch.tensor(rows, device=device), torch.tensor(tokens, device=device)])
        )
        return [[next(values) for _ in own] for own in places]

    def alpha_th(self, alpha: int) -> torch.Tensor:
        """For every row the alpha-th largest value of its input, -inf if fewer are allowed: [rows]."""
        values, _ = self._largest(alpha)
        sizes = torch.tensor(self.sizes, device=values.device)
        return values[:, -1].repeat_interleave(sizes, output_size=self.scores.shape[0])

    def _largest(self, count: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The largest values of every input and their places in the flattened scores."""
        size, device = self.scores.shape[-1], self.scores.device
        most = max(self.sizes)
        # A row that stands for none, where an input has fewer rows than others.
        none = self.scores.shape[0]
        rows = torch.tensor(
            [
                [*range(first, first + own), *[none] * (most - own)]
                for first, own in zip(self.first_rows, self.sizes, strict=True)
            ],
            device=device,
        )  # [inputs, most rows]
        columns = _blocks(size, device)  # [blocks, tokens of a block]
        blocks = columns.shape[0]
        per_input = self._block_maxima()[rows].flatten(1)  # [inputs, most rows × blocks]
        chosen = per_input.topk(min(count, per_input.shape[-1]), dim=-1, sorted=False).indices
        row = rows.gather(1, chosen // blocks)[:, :, None]  # [inputs, chosen, 1]
        column = columns[chosen % blocks]  # [inputs, chosen, tokens of a block]
        absent = (column == size) | (row == none)
        places = (row * size + column).masked_fill_(absent, 0)
        values = self.scores.flatten().index_select(0, places.flatten()).view(places.shape)
        values = values.masked_fill_(absent, MINUS_INFINITY).flatten(1)
        values, best = values.topk(min(count, values.shape[-1]), dim=-1)
        return values, places.flatten(1).gather(1, best)

    def _block_maxima(self) -> torch.Tensor:
        """The largest value of every block, [rows + 1, blocks]; a last row of -inf stands for no row."""
        rows, size = self.scores.shape
        width = size // _BLOCK
        maxima = self.scores.new_full((rows + 1, width + 1), MINUS_INFINITY)
        if width:
            whole = self.scores[:, : _BLOCK * width].unflatten(-1, (_BLOCK, width))
            maxima[:rows, :width] = whole.amax(dim=1)
        if _BLOCK * width < size:
            maxima[:rows, width] = self.scores[:, _BLOCK * width :].amax(dim=-1)
        return maxima


@lru_cache(maxsize=8)
def _blocks(size: int, device: torch.device) -> torch.Tensor:
    """The tokens of every block, [blocks, tokens], the rest in a last one; `size` stands for no token."""
    width = size // _BLOCK
    blocks = torch.arange(_BLOCK * width, device=device).view(_BLOCK, width).T
    rest = torch.arange(_BLOCK * width, _BLOCK * width + _BLOCK, device=device).clamp(max=size)
    return torch.cat([blocks, rest[None]])


def to_host(values: torch.Tensor) -> list[Any]:
    """Values, [rows, n] best first or [n], as lists. What is not a number ranks first, so it shows here."""
    lists: list[Any] = values.tolist()
    if any(math.isnan(first) for first in (lists if values.dim() == 1 else [row[0] for row in lists if row])):
        raise ModelError(
            "the model's scores are not numbers (NaN); half precision on a CPU, a damaged checkpoint or a "
            "logits processor are the usual causes: try dtype=float32"
        )
    return lists
