"""A language model from one function: `neurologic.Scorer`.

The function gets texts as token ids and gives the scores of what follows each; rows, copies and branches are
done here. Limits: every step asks for whole texts, so an engine that can remember what it has read is better
served by the protocol of `base`, which says which rows go on.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from neurologic.errors import ModelError
from neurologic.matching.vocabulary import TokenIds, Vocabulary
from neurologic.models.base import EncodedPrompt


@dataclass(frozen=True, eq=False)
class Scorer:
    """A language model that is a function; `neurologic.wrap` takes it.

    score       from a list of texts, each a tuple of token ids that starts with the prompt's, to the scores
                of the next token: [texts, vocabulary], a torch tensor, a NumPy array or nested lists.
                Logits or log-probabilities are fine, since they are normalised; -inf says never
    vocabulary  what the tokens add to a text (`neurologic.vocabulary`)
    context     how many tokens the function can read, prompt included; None for any number
    """

    score: Callable[[list[TokenIds]], Any]
    vocabulary: Vocabulary
    context: int | None = None

    def start(self, prompts: Sequence[EncodedPrompt]) -> ScoredRows:
        return ScoredRows(self, [prompt.ids for prompt in prompts])

    def logits(self, rows: list[TokenIds]) -> torch.Tensor:
        """The scores of these texts, [texts, vocabulary], checked and as float32."""
        given = self.score(list(rows))
        try:
            scores = _table(given)
        except (TypeError, ValueError, RuntimeError) as error:
            raise ModelError(
                f"score gave {type(given).__name__}, which is no table of numbers ({error}); it must give "
                f"{len(rows)} rows of {len(self.vocabulary)} scores"
            ) from error
        expected = (len(rows), len(self.vocabulary))
        if tuple(scores.shape) != expected:
            raise ModelError(
                f"score gave scores of shape {list(scores.shape)} for {expected[0]} texts and a vocabulary "
                f"of {expected[1]} tokens; they must have the shape {list(expected)}"
            )
        self._require_numbers(rows, scores)
        return scores

    def _require_numbers(self, rows: list[TokenIds], scores: torch.Tensor) -> None:
        sums = scores.logsumexp(dim=-1)  # [texts]; not finite if something is NaN or inf, or all is -inf
        if bool(sums.isfinite().all()):
            return
        row = int(sums.isfinite().logical_not().nonzero()[0])
        if bool(scores[row].isnan().any()):
            what = "a score that is not a number (NaN)"
        elif bool(scores[row].isposinf().any()):
            what = "an infinite score"
        else:
            what = "-inf to every token"
        text = self.vocabulary.decode(rows[row]).decode(errors="replace")
        raise ModelError(f"score gave {what} after the text {text[-60:]!r}")


def _table(given: Any) -> torch.Tensor:
    """Scores as a tensor of their own, since processors may change it in place."""
    if given is None:
        raise TypeError("nothing was returned")
    if isinstance(given, (list, tuple)) and given and all(isinstance(row, torch.Tensor) for row in given):
        given = torch.stack(list(given))
    if isinstance(given, torch.Tensor):
        return given.detach().to(torch.float32, copy=True)
    return torch.tensor(np.asarray(given, dtype=np.float32))


class ScoredRows:
    """Texts under way in a `Scorer`. Nothing is remembered but the texts, so taking tokens back is easy."""

    can_rewind = True

    def __init__(self, scorer: Scorer, rows: list[TokenIds]) -> None:
        self._scorer = scorer
        self._rows = rows
        self._width = max(map(len, rows), default=0)  # of `input_ids`, whichever rows are left
        self._pad_id = min(scorer.vocabulary.end_ids, default=0)
        self._logits = scorer.logits(rows)

    @property
    def logits(self) -> torch.Tensor:
        """Scores of the next token, [rows, vocabulary]."""
        return self._logits

    def advance(self, parents: torch.Tensor, tokens: torch.Tensor) -> None:
        """New row i continues old row parents[i] with tokens[i]."""
        pairs = zip(parents.tolist(), tokens.tolist(), strict=True)
        self._rows = [(*self._rows[parent], token) for parent, token in pairs]
        self._width += 1
        self._logits = self._scorer.logits(self._rows)

    def branch(self, parents: torch.Tensor) -> ScoredRows:
        """Rows of their own that go on from these."""
        other = copy.copy(self)
        other._rows = [self._rows[parent] for parent in parents.tolist()]
        other._logits = self._logits.index_select(0, parents.to(self._logits.device))
        return other

    def rewind(self, count: int, logits: torch.Tensor) -> None:
        """Take back the last tokens of every row, which then had these scores."""
        self._rows = [row[: len(row) - count] for row in self._rows]
        self._width -= count
        self._logits = logits

    def join(self, other: ScoredRows) -> None:
        """Put the rows of a branch after these."""
        self._rows = self._rows + other._rows
        self._logits = torch.cat([self._logits, other._logits])

    def input_ids(self) -> torch.Tensor:
        """The tokens of every row, padded on the left: [rows, length]."""
        return left_padded(self._rows, self._width, self._pad_id)


def left_padded(rows: Sequence[TokenIds], width: int, pad_id: int) -> torch.Tensor:
    """Rows of different lengths as one table, padded on the left: [rows, width], int64."""
    padded = [[pad_id] * (width - len(row)) + list(row) for row in rows]
    return torch.tensor(padded, dtype=torch.long).reshape(len(rows), width)
