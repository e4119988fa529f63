"""Greedy decoding: the likeliest token at each step, until that token ends the text.

Costs O(N) model calls. Cannot express any constraint.
"""

from __future__ import annotations

import torch

from neurologic.search.beam import Beam, Rule
from neurologic.search.decoder import Decoder, Selection


class Greedy(Decoder):
    """One row, one token."""

    name = "greedy"
    rule = Rule.FREE
    processes_logits = True

    def step(self, beam: Beam, scores: torch.Tensor) -> Selection:
        logprob, token = (one.item() for one in scores[0].max(dim=-1))
        if logprob == float("-inf"):
            return Selection()
        candidate = beam.consider(0, int(token), logprob)
        return Selection.of([candidate])
