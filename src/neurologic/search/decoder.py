"""What every decoder on the beam engine is: one method, from scores to selections."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from neurologic.search.beam import Beam, Rule
from neurologic.search.hypothesis import Candidate
from neurologic.search.score_matrix import ScoreMatrix
from neurologic.search.settings import SearchSettings

if TYPE_CHECKING:
    import torch

    from neurologic.feasibility.constraint import CompiledConstraint
    from neurologic.models.base import Decoding, LanguageModel


@dataclass
class Selection:
    """What a step chose.

    running     candidates to go on with
    ending      candidates that end a text
    considered  all that were looked at, for traces
    """

    running: list[Candidate] = field(default_factory=list)
    ending: list[Candidate] = field(default_factory=list)
    considered: list[Candidate] = field(default_factory=list)

    @classmethod
    def of(cls, candidates: Sequence[Candidate]) -> Selection:
        """A selection of all the candidates."""
        for candidate in candidates:
            candidate.fate = "finished" if candidate.ends else "selected"
        return cls(
            [candidate for candidate in candidates if not candidate.ends],
            [candidate for candidate in candidates if candidate.ends],
            list(candidates),
        )

    @property
    def is_empty(self) -> bool:
        """Whether nothing could be chosen."""
        return not self.running and not self.ending


class Decoder(ABC):
    """Chooses, per step and input, which candidates go on and which end.

    rule              which candidates are dropped, and when a text may end; see `search.beam.Rule`
    processes_logits  whether processors act on the model's raw scores instead of log-probabilities: as in
                      Hugging Face, where it is one or the other by the kind of decoding
    """

    name: str
    rule: Rule = Rule.UNPLANNED
    processes_logits = False

    def require(self, constraint: CompiledConstraint) -> None:  # noqa: B027 - most decoders refuse nothing
        """Refuse a constraint that would cost too much, before the model runs."""

    def start(self, model: LanguageModel, decoding: Decoding, settings: SearchSettings) -> Decoding:
        """The rows to search on; a decoder that looks ahead puts its own in front of the model's."""
        return decoding

    @abstractmethod
    def choose(self, beams: Sequence[Beam], matrix: ScoreMatrix) -> list[Selection]:
        """One step of all inputs: what goes on and what ends, from the cumulative log-likelihoods.

        A score of -inf marks a token that is not allowed. A selection may hold any number of candidates: the
        engine does not assume that a beam has k rows.
        """

    def step(self, beam: Beam, scores: torch.Tensor) -> Selection:
        """One step of one input alone, from its scores [rows, vocabulary]."""
        return self.choose([beam], ScoreMatrix.of(scores))[0]
