"""Rows that may read two prompts: the user's own, and a twin that says more or less about the text.

A formula does not tell the model what is coming. A prompt that names the required words does, but invites the
model to copy the list. So a text may be scored after both: the score of a token is the weighted mean of its
log-probabilities, a product of experts, and what only one of the prompts likes loses (classifier-free
guidance, Sanchez et al., ICML 2024, with a weight below 1). `generation.hint` writes the twins.

`TwoPromptRows` wraps a model's rows. To the search it looks like one row per text; to the model a text with
a twin is two rows, which always continue with the same token. The search drops the twin of a text that owes
nothing, and the user's own prompt continues alone. Rows without a twin pass through unchanged.

Limits: the tokens of a row, as processors see them, are those of the user's own prompt.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import torch

from neurologic.models.base import Admitting, EncodedPrompt, LanguageModel
from neurologic.models.cached_rows import is_identity

_NONE = -1  # instead of a row: there is no twin


@dataclass(frozen=True)
class Twin:
    """A second prompt for a text.

    weight    the weight of its log-probabilities, between 0 and 1
    has_hint  whether it names the required phrases; otherwise the user's own prompt does
    """

    prompt: EncodedPrompt
    weight: float
    has_hint: bool = True

    def weight_at(self, urgency: float) -> float:
        """Return the weight where a share `urgency` of the rest goes to the prompt with the hint as well."""
        if self.has_hint:
            return self.weight + (1 - self.weight) * urgency
        return self.weight * (1 - urgency)


# A prompt of the user's and its twin, if it has one.
Pair = tuple[EncodedPrompt, Twin | None]


class _Places(NamedTuple):
    """Where the rows of texts are; see `TwoPromptRows`."""

    own: torch.Tensor
    twin: torch.Tensor
    weight: torch.Tensor
    inputs: torch.Tensor


class TwoPromptRows:
    """A batch of unfinished texts; implements `Decoding`, and `Rewindable` where the model's rows do.

    It keeps, per row, on the host:

    _own     the model's row after the user's prompt
    _twin    the model's row after the twin, -1 without one
    _weight  the weight of the twin
    _input   the number of the input, ascending

    and on the device:

    _logits  the scores of the next token, [rows, vocabulary]; None until somebody asks for them
    _alone   log-probabilities after the user's prompt alone, [rows, vocabulary]; None without any twin
    """

    def __init__(
        self, rows: Any, own: torch.Tensor, twin: torch.Tensor, weight: torch.Tensor, inputs: torch.Tensor
    ) -> None:
        """Take the model's rows, and say which of them belong to which text."""
        self._rows = rows
        self._own, self._twin, self._weight, self._input = own, twin, weight, inputs
        self._logits: torch.Tensor | None = None
        self._alone: torch.Tensor | None = None
        # Without twins the rows are the model's, and nothing here needs to look at numbers.
        self._passes_through = False

    @classmethod
    def start(cls, model: LanguageModel, pairs: Sequence[Pair]) -> Self:
        """Let a model read prompts and their twins."""
        rows = cls(model.start(_prompts(pairs)), *_numbered(pairs, first_row=0, first_input=0))
        rows._passes_through = all(twin is None for _, twin in pairs)
        return rows

    # -- scores ---------------------------------------------------------------------------------

    @property
    def logits(self) -> torch.Tensor:
        """Scores of the next token, [rows, vocabulary]."""
        if self._logits is None:
            self._logits = self._mixed()
        return self._logits

    @property
    def alone(self) -> torch.Tensor | None:
        """Log-probabilities after the user's own prompt, [rows, vocabulary]; None if no text has a twin."""
        return self._alone if self.logits is not None else None

    def _mixed(self) -> torch.Tensor:
        """Return the model's scores; where there are twins, the weighted mean of log-probabilities."""
        logits = self._rows.logits
        if self._passes_through:
            self._alone = None
            return logits
        own = _rows_at(logits, self._own)
        with_twin = (self._twin != _NONE).nonzero()[:, 0]
        if not len(with_twin):
            self._alone = None
            return own
        self._alone = torch.log_softmax(own.float(), dim=-1)
        places = with_twin.to(logits.device)
        weight = self._weight[with_twin].to(logits.device)[:, None]
        twins = torch.log_softmax(_rows_at(logits, self._twin[with_twin]).float(), dim=-1)
        alone = self._alone[places]
        mean = (1 - weight) * alone + weight * twins
        # What one prompt rules out stays ruled out, also where its weight is 0.
        mean.masked_fill_(torch.isneginf(alone) | torch.isneginf(twins), -torch.inf)
        # Rows without a twin keep the model's own scores, to the bit: a text must not depend on its batch.
        return own.float().index_copy(0, places, mean)

    def weigh_twins(self, weights: Sequence[float]) -> None:
        """Give the twin of every row a new weight; a row with a weight of 0 loses its twin for good.

        Scores that `rewind` has brought back keep the weights that they were made with, but for 0.
        """
        if self._passes_through:
            return
        self._weight = torch.tensor(weights)
        dropped = ((self._weight == 0) & (self._twin != _NONE)).nonzero()[:, 0]
        self._twin[dropped] = _NONE
        if self._logits is not None and len(dropped):
            assert self._alone is not None
            places = dropped.to(self._logits.device)
            self._logits = self._logits.index_copy(0, places, self._alone[places])

    # -- moving on ------------------------------------------------------------------------------

    def input_ids(self) -> torch.Tensor:
        """Return the tokens of every row with the user's own prompt, [rows, length]."""
        if self._passes_through:
            return self._rows.input_ids()
        return _rows_at(self._rows.input_ids(), self._own)

    def advance(self, parents: torch.Tensor, tokens: torch.Tensor) -> None:
        """Let new row i continue old row parents[i] with tokens[i], after both prompts."""
        self._logits = None
        if self._passes_through:
            self._take_plain(parents)
            self._rows.advance(parents, tokens)
            return
        remaining, order = self._take(parents.cpu())
        both = torch.cat([tokens.cpu(), tokens.cpu()[self._twin != _NONE]])
        self._rows.advance(remaining, both[order])
        self._passes_through = len(remaining) == len(self._own)

    def _take_plain(self, parents: torch.Tensor) -> None:
        """Let row i become a copy of row parents[i], where no row has a twin."""
        self._own = torch.arange(len(parents))
        self._twin, self._weight, self._input = (
            self._twin[parents],
            self._weight[parents],
            self._input[parents],
        )

    def _take(self, parents: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Let row i become a copy of row parents[i].

        Return the model's rows that remain, and their order: the numbers that they have if rows after the
        users' prompts come first and those after twins follow. The model wants the rows of a prompt side by
        side, and the prompts in the order in which it read them.
        """
        own, twin, inputs = self._own[parents], self._twin[parents], self._input[parents]
        has_twin = twin != _NONE
        both = torch.cat([own, twin[has_twin]])
        order = torch.cat([2 * inputs, 2 * inputs[has_twin] + 1]).argsort(stable=True)
        place = torch.empty_like(both)
        place[order] = torch.arange(len(both))
        self._own = place[: len(own)]
        self._twin = torch.full_like(own, _NONE)
        self._twin[has_twin] = place[len(own) :]
        self._weight, self._input = self._weight[parents], inputs
        return both[order], order

    # -- more inputs ----------------------------------------------------------------------------

    @property
    def can_admit(self) -> bool:
        """Whether the model can read further prompts now."""
        return isinstance(self._rows, Admitting)

    def admit(self, pairs: Sequence[Pair]) -> None:
        """Read further prompts and put their rows, one each, after the others."""
        added = _numbered(pairs, self._model_rows, first_input=int(self._input.max()) + 1)
        self._rows.admit(_prompts(pairs))
        self._append(added)
        self._passes_through = self._passes_through and all(twin is None for _, twin in pairs)
        self._logits = None

    @property
    def _model_rows(self) -> int:
        return len(self._rows.logits)

    def _append(self, added: _Places) -> None:
        self._own = torch.cat([self._own, added.own])
        self._twin = torch.cat([self._twin, added.twin])
        self._weight = torch.cat([self._weight, added.weight])
        self._input = torch.cat([self._input, added.inputs])

    # -- look-ahead -----------------------------------------------------------------------------

    @property
    def can_rewind(self) -> bool:
        """Whether `rewind` and `join` work for branches of these rows."""
        return bool(getattr(self._rows, "can_rewind", False))

    def branch(self, parents: torch.Tensor) -> Self:
        """Return rows that continue these independently; the rows here stay as they are."""
        other = copy.copy(self)
        if self._passes_through:
            other._take_plain(parents)
            remaining = parents
        else:
            remaining, _ = other._take(parents.cpu())
        other._rows = self._rows.branch(remaining)
        other._logits = _rows_at(self.logits, parents)
        other._alone = None if self._alone is None else _rows_at(self._alone, parents)
        return other

    def rewind(self, count: int, logits: torch.Tensor, alone: torch.Tensor | None = None) -> None:
        """Take back the last tokens of every row; `logits` and `alone` are those from before these tokens."""
        self._logits, self._alone = logits, alone
        # Nobody reads the model's own scores before the next token, so they need only the right shape.
        self._rows.rewind(count, logits.new_zeros(1, 1).expand(self._model_rows, logits.shape[1]))

    def join(self, other: Self) -> None:
        """Append the rows of a branch of the same length."""
        if self.alone is not None or other.alone is not None:
            self._alone = torch.cat([_alone(self), _alone(other)])
        self._logits = torch.cat([self.logits, other.logits])
        shift = self._model_rows
        twin = torch.where(other._twin == _NONE, _NONE, other._twin + shift)
        self._append(_Places(other._own + shift, twin, other._weight, other._input))
        self._rows.join(other._rows)
        self._passes_through = self._passes_through and other._passes_through


def _alone(rows: TwoPromptRows) -> torch.Tensor:
    return torch.log_softmax(rows.logits, dim=-1) if rows.alone is None else rows.alone


def _prompts(pairs: Sequence[Pair]) -> list[EncodedPrompt]:
    """Return the prompts that the model reads: every user's prompt, followed by its twin."""
    return [prompt for own, twin in pairs for prompt in ([own] if twin is None else [own, twin.prompt])]


def _numbered(pairs: Sequence[Pair], first_row: int, first_input: int) -> _Places:
    """Return the places of prompts that the model reads from `first_row` on."""
    own: list[int] = []
    twins: list[int] = []
    row = first_row
    for _, twin in pairs:
        own.append(row)
        twins.append(_NONE if twin is None else row + 1)
        row += 1 if twin is None else 2
    weights = [0.0 if twin is None else twin.weight for _, twin in pairs]
    inputs = torch.arange(first_input, first_input + len(pairs))
    return _Places(torch.tensor(own), torch.tensor(twins), torch.tensor(weights), inputs)


def _rows_at(values: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    if is_identity(rows, len(values)):
        return values
    return values.index_select(0, rows.to(values.device))
