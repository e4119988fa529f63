"""What every decoder on the beam engine is: one method, from scores to a selection."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from neurologic.search.hypothesis import Candidate

if TYPE_CHECKING:
    import torch

    from neurologic.search.beam import Beam


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


class Decoder(Protocol):
    """Chooses, per step and input, which candidates go on and which end."""

    name: str

    def step(self, beam: Beam, scores: torch.Tensor) -> Selection:
        """Choose from `scores`: cumulative log-likelihoods [rows of this input, vocabulary].

        A score of -inf marks a token that is not allowed. The selection may hold any number of
        candidates: the engine does not assume that a beam has k rows.
        """
