"""Make a language model from one function: `neurologic.Scorer`.

The function takes texts as token ids and returns the scores of each one's next token; this module handles
rows, copies and branches. Limit: every step passes whole texts. An engine with a cache of its own should
implement the protocol of `base`, which says which rows continue.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from neurologic.errors import ModelError
from neurologic.matching.vocabulary import TokenIds, Vocabulary
from neurologic.models.base import EncodedPrompt
from neurologic.models.token_rows import TokenRows


@dataclass(frozen=True, eq=False)
class Scorer:
    """A language model that is a function; `neurologic.wrap` takes it.

    score       maps a list of texts, each a tuple of token ids that starts with the prompt's, to the scores
                of the next token: [texts, vocabulary], a torch tensor, a NumPy array or nested lists.
                It may return logits or log-probabilities; -inf means never
    vocabulary  the bytes that each token adds to a text (`neurologic.vocabulary`)
    context     how many tokens the function can read, prompt included; None means any number
    """

    score: Callable[[list[TokenIds]], Any]
    vocabulary: Vocabulary
    context: int | None = None

    def start(self, prompts: Sequence[EncodedPrompt]) -> ScoredRows:
        """Score every prompt; see `LanguageModel.start`."""
        return ScoredRows(self, [prompt.ids for prompt in prompts])

    def logits(self, rows: list[TokenIds]) -> torch.Tensor:
        """Return the scores of these texts, [texts, vocabulary], checked and as float32."""
        given = self.score(list(rows))
        try:
            scores = _table(given)
        except (TypeError, ValueError, RuntimeError) as error:
            raise ModelError(
                f"score returned {type(given).__name__}, not a table of numbers ({error}); it must return "
                f"{len(rows)} rows of {len(self.vocabulary)} scores"
            ) from error
        expected = (len(rows), len(self.vocabulary))
        if tuple(scores.shape) != expected:
            raise ModelError(
                f"score returned the shape {list(scores.shape)} for {expected[0]} texts and a vocabulary of "
                f"{expected[1]} tokens; it must return the shape {list(expected)}"
            )
        self._require_numbers(rows, scores)
        return scores

    def _require_numbers(self, rows: list[TokenIds], scores: torch.Tensor) -> None:
        sums = scores.logsumexp(dim=-1)  # [texts]; finite unless a score is NaN or inf, or all are -inf
        if bool(sums.isfinite().all()):
            return
        row = int(sums.isfinite().logical_not().nonzero()[0])
        if bool(scores[row].isnan().any()):
            problem = "a score that is not a number (NaN)"
        elif bool(scores[row].isposinf().any()):
            problem = "an infinite score"
        else:
            problem = "-inf for every token"
        text = self.vocabulary.decode(rows[row]).decode(errors="replace")
        raise ModelError(f"score returned {problem} after the text {text[-60:]!r}")


def _table(given: Any) -> torch.Tensor:
    """Copy scores into a new tensor, since processors may change it in place."""
    if given is None:
        raise TypeError("the function returned nothing")
    if isinstance(given, (list, tuple)) and given and all(isinstance(row, torch.Tensor) for row in given):
        given = torch.stack(list(given))
    if isinstance(given, torch.Tensor):
        return given.detach().to(torch.float32, copy=True)
    return torch.tensor(np.asarray(given, dtype=np.float32))


class ScoredRows(TokenRows):
    """Unfinished texts in a `Scorer`, which remembers nothing but the texts."""

    def __init__(self, scorer: Scorer, rows: list[TokenIds]) -> None:
        super().__init__(rows, pad_id=min(scorer.vocabulary.end_ids, default=0))
        self._scorer = scorer
        self._read()

    def _read(self) -> None:
        self._logits = self._scorer.logits(self._rows)
