"""The k×|V| score matrices of all inputs in one step, on the model's device.

Decoders ask for the scores of all inputs at once, so the number of transfers to the host does not grow with
inputs, beams and clauses. `ranked`, `likeliest`, `likeliest_of_rows` and `at` fetch values; everything else
stays on the device. Exceptions: the look-ahead of A* makes transfers of its own, and an input left with too
few candidates repeats its step alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from neurologic.errors import ModelError
from neurologic.search.stopwatch import Stopwatch

MINUS_INFINITY = float("-inf")

# The likeliest n cells lie in the n blocks with the largest maxima, so sorting those is enough. A block is a
# set of tokens at equal distances, whose maxima a processor finds faster than those of neighbours.
_BLOCK = 32


class Cell(NamedTuple):
    """A candidate in the matrix: the row of its input, the token, and the cumulative log-likelihood."""

    row: int
    token: int
    logprob: float


class Cells(NamedTuple):
    """Several cells, as an array of each field of `Cell`."""

    rows: NDArray[np.int64]
    tokens: NDArray[np.int64]
    logprobs: NDArray[np.floating]

    def at(self, place: int) -> Cell:
        """Return one of them."""
        return Cell(int(self.rows[place]), int(self.tokens[place]), float(self.logprobs[place]))


class ScoreMatrix:
    """Cumulative log-likelihoods, -inf for forbidden tokens.

    sizes  the number of rows of each input; the rows of an input are adjacent
    own    log-likelihoods of the next token after the users' own prompts, [rows, vocabulary]; None unless the
           decoder weighs texts by them
    mass   the logarithm of the sum of tempered likelihoods in a row of `own`, forbidden tokens included,
           [rows]; None unless the decoder weighs texts
    """

    own: torch.Tensor | None = None
    mass: torch.Tensor | None = None

    def __init__(
        self,
        scores: torch.Tensor,
        sizes: Sequence[int],
        so_far: Sequence[float] | None = None,
        stopwatch: Stopwatch | None = None,
    ) -> None:
        """Take the log-likelihoods of the next token, [rows, vocabulary], and those of the rows so far.

        The matrix adds the two lazily: most decoders look at a few cells.
        """
        self._scores = scores.contiguous()
        self.sizes = tuple(sizes)
        self.first_rows = tuple(accumulate(self.sizes, initial=0))[:-1]
        self._so_far = None if so_far is None else scores.new_tensor(so_far)  # [rows]
        self._stopwatch = stopwatch or Stopwatch()

    @classmethod
    def of(cls, scores: torch.Tensor) -> ScoreMatrix:
        """Return the matrix of a single input, from cumulative log-likelihoods."""
        return cls(scores, (scores.shape[0],))

    def __len__(self) -> int:
        """Return the number of inputs."""
        return len(self.sizes)

    @property
    def scores(self) -> torch.Tensor:
        """All cumulative log-likelihoods, [rows, vocabulary]."""
        return self._scores if self._so_far is None else self._scores + self._so_far[:, None]

    @property
    def device(self) -> torch.device:
        return self._scores.device

    def part(self, number: int) -> ScoreMatrix:
        """Return the matrix of one of the inputs."""
        first = self.first_rows[number]
        rows = slice(first, first + self.sizes[number])
        part = ScoreMatrix(self._scores[rows], (self.sizes[number],), stopwatch=self._stopwatch)
        part._so_far = None if self._so_far is None else self._so_far[rows]
        return part

    def repeated(self, times: Sequence[int]) -> ScoreMatrix:
        """Return a matrix that has every row of an input several times."""
        each = torch.tensor(times, device=self.device).repeat_interleave(
            torch.tensor(self.sizes, device=self.device)
        )
        sizes = [count * size for count, size in zip(times, self.sizes, strict=True)]
        return ScoreMatrix(self.scores.repeat_interleave(each, dim=0), sizes, stopwatch=self._stopwatch)

    def ranked(self, count: int) -> list[Cells]:
        """Return the `count` likeliest cells of each input, best first; fewer where fewer are allowed."""
        values, places = self._largest(count)  # both [inputs, count]
        size = self._scores.shape[-1]
        first_rows = torch.tensor(self.first_rows, device=self.device)
        rows = places.div(size, rounding_mode="floor") - first_rows[:, None]
        allowed = (values > MINUS_INFINITY).sum(dim=-1, keepdim=True)
        # Two transfers: one for the integers, one for the floats.
        numbers = torch.cat([rows, places.remainder(size), allowed], dim=-1).numpy(force=True)
        best = values.numpy(force=True)
        _require_numbers(best[:, :1])
        width = values.shape[-1]
        return [
            Cells(line[: line[-1]], line[width : width + line[-1]], logprobs[: line[-1]])
            for line, logprobs in zip(numbers, best, strict=True)
        ]

    def likeliest(self, count: int) -> list[list[Cell]]:
        """Return the same as `ranked`, cell by cell."""
        return [
            [Cell(*cell) for cell in zip(*(field.tolist() for field in cells), strict=True)]
            for cells in self.ranked(count)
        ]

    def likeliest_of_rows(self, count: int) -> list[list[dict[int, float]]]:
        """Return the `count` likeliest tokens of each input and row with log-likelihoods, best first."""
        with self._stopwatch.part("top-k"):
            values, tokens = self._scores.topk(min(count, self._scores.shape[-1]), dim=-1)
            if self._so_far is not None:
                values = values + self._so_far[:, None]
        rows = [
            {token: logprob for token, logprob in zip(*row, strict=True) if logprob > MINUS_INFINITY}
            for row in zip(tokens.tolist(), to_host(values), strict=True)
        ]
        return [rows[first : first + size] for first, size in zip(self.first_rows, self.sizes, strict=True)]

    def at(self, places: Sequence[Sequence[tuple[int, int]]]) -> list[list[float]]:
        """Return the log-likelihoods of cells, given for each input as (row, token)."""
        rows = [first + row for first, own in zip(self.first_rows, places, strict=True) for row, _ in own]
        tokens = [token for own in places for _, token in own]
        if not rows:
            return [[] for _ in places]
        chosen = torch.tensor(rows, device=self.device)
        found = self._scores[chosen, torch.tensor(tokens, device=self.device)]
        values = iter(to_host(found if self._so_far is None else found + self._so_far[chosen]))
        return [[next(values) for _ in own] for own in places]

    def allowed_own(self) -> torch.Tensor:
        """Return `own` with -inf for forbidden tokens; without it, the cumulative log-likelihoods."""
        if self.own is None:
            return self.scores
        if self.own is self._scores:
            return self.own
        return self.own.masked_fill(self._scores == MINUS_INFINITY, MINUS_INFINITY)

    def of_tokens(self, tokens: torch.Tensor) -> torch.Tensor:
        """Return the values of some tokens of each row, [rows, n], on the device."""
        values = self._scores.gather(-1, tokens)
        return values if self._so_far is None else values + self._so_far[:, None]

    def _largest(self, count: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the largest values of each input and their places in the flat scores, [inputs, count]."""
        with self._stopwatch.part("top-k"):
            return self._find_largest(count)

    def _find_largest(self, count: int) -> tuple[torch.Tensor, torch.Tensor]:
        size, device = self._scores.shape[-1], self.device
        most = max(self.sizes)
        none = self._scores.shape[0]  # stands for "no row" where an input has fewer rows than others
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
        values = self._scores.flatten().index_select(0, places.flatten()).view(places.shape)
        if self._so_far is not None:
            values += self._so_far[row.clamp(max=none - 1)]
        values = values.masked_fill_(absent, MINUS_INFINITY).flatten(1)
        values, best = values.topk(min(count, values.shape[-1]), dim=-1)
        return values, places.flatten(1).gather(1, best)

    def _block_maxima(self) -> torch.Tensor:
        """Return the largest value of each block, [rows + 1, blocks].

        The extra last row is -inf and stands for a missing row.
        """
        rows, size = self._scores.shape
        width = size // _BLOCK
        maxima = self._scores.new_full((rows + 1, width + 1), MINUS_INFINITY)
        if width:
            whole = self._scores[:, : _BLOCK * width].unflatten(-1, (_BLOCK, width))
            maxima[:rows, :width] = whole.amax(dim=1)
        if _BLOCK * width < size:
            maxima[:rows, width] = self._scores[:, _BLOCK * width :].amax(dim=-1)
        if self._so_far is not None:
            maxima[:rows] += self._so_far[:, None]  # rounding keeps the order, so these are still the maxima
        return maxima


@lru_cache(maxsize=8)
def _blocks(size: int, device: torch.device) -> torch.Tensor:
    """Return the tokens of each block, [blocks, tokens], the rest in a last one; `size` means no token."""
    width = size // _BLOCK
    blocks = torch.arange(_BLOCK * width, device=device).view(_BLOCK, width).T
    rest = torch.arange(_BLOCK * width, _BLOCK * width + _BLOCK, device=device).clamp(max=size)
    return torch.cat([blocks, rest[None]])


def to_host(values: torch.Tensor) -> list[Any]:
    """Return values, [rows, n] best first or [n], as lists; refuse NaN, which ranks first."""
    on_host = values.numpy(force=True)
    _require_numbers(on_host if values.dim() == 1 else on_host[:, :1])
    lists: list[Any] = on_host.tolist()
    return lists


def _require_numbers(values: NDArray[np.float32]) -> None:
    if np.isnan(values).any():
        raise ModelError(
            "the model's scores are not numbers (NaN); half precision on a CPU, a damaged checkpoint or a "
            "logits processor are the usual causes: try dtype=float32"
        )
