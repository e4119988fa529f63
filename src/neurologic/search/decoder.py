"""The base of all decoders on the beam engine: one method, from scores to selections."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from neurologic.search.beam import Beam
from neurologic.search.hypothesis import Candidate
from neurologic.search.rules import Rule
from neurologic.search.score_matrix import ScoreMatrix
from neurologic.search.settings import SearchSettings

if TYPE_CHECKING:
    import torch

    from neurologic.feasibility.compiled_constraint import CompiledConstraint
    from neurologic.models.base import LanguageModel
    from neurologic.search.look_ahead import LookAhead
    from neurologic.search.two_prompts import TwoPromptRows


@dataclass
class Selection:
    """The choice of one step for one input.

    running     candidates to continue with
    ending      candidates that end a text
    considered  all candidates that the decoder looked at, for traces
    """

    running: list[Candidate] = field(default_factory=list)
    ending: list[Candidate] = field(default_factory=list)
    considered: list[Candidate] = field(default_factory=list)

    @classmethod
    def of(cls, ranked: Sequence[Candidate], places: int | None = None) -> Selection:
        """Return a selection of the first candidates that fit into `places`; by default all of them."""
        selection = cls(considered=list(ranked))
        selection.fill(ranked, len(ranked) if places is None else places)
        return selection

    def fill(self, ranked: Iterable[Candidate], places: int) -> None:
        """Give the first of the ranked candidates the places.

        An end takes no place, but counts only if it ranks among the first `places`, as in Hugging Face's beam
        search.
        """
        taken = 0
        for rank, candidate in enumerate(ranked):
            if candidate.ends and rank < places:
                candidate.fate = "finished"
                self.ending.append(candidate)
            elif not candidate.ends and taken < places:
                candidate.fate = "selected"
                self.running.append(candidate)
                taken += 1
            else:
                candidate.fate = "not selected"

    @property
    def is_empty(self) -> bool:
        return not self.running and not self.ending


class Decoder(ABC):
    """Chooses, per step and input, which candidates continue and which end.

    rule              which candidates the search drops, and when a text may end; see `search.beam.Rule`
    processes_logits  whether processors act on the model's raw scores instead of log-probabilities, which in
                      Hugging Face depends on the kind of decoding
    """

    name: str
    rule: Rule = Rule.UNPLANNED
    processes_logits = False

    def require(self, constraint: CompiledConstraint) -> None:  # noqa: B027 - most decoders refuse nothing
        """Refuse a constraint that would cost too much, before the model runs."""

    def start(
        self, model: LanguageModel, rows: TwoPromptRows, settings: SearchSettings
    ) -> TwoPromptRows | LookAhead:
        """Return the rows to search on; a decoder that looks ahead wraps them."""
        return rows

    def weighs(self, settings: SearchSettings) -> bool:
        """Return whether `choose` needs `ScoreMatrix.own` and `ScoreMatrix.mass`."""
        return False

    @abstractmethod
    def choose(self, beams: Sequence[Beam], matrix: ScoreMatrix) -> list[Selection]:
        """Choose the next step of all inputs from the cumulative log-likelihoods.

        A score of -inf forbids a token. A selection may hold any number of candidates: the engine does not
        assume that a beam has k rows.
        """

    def step(self, beam: Beam, scores: torch.Tensor) -> Selection:
        """Choose the next step of one input alone, from its scores [rows, vocabulary]."""
        return self.choose([beam], ScoreMatrix.of(scores))[0]
