"""Vectorised dynamic beam allocation (Hu et al., NAACL 2019).

DBA for whole batches: the candidates of all inputs are in one matrix, and two sorts give every input its k
places. Inside each bank the likeliest candidate ranks first; then the first of every bank come first, the
bank with most tokens covered leading, then the second ones, and so on. A trie tracks the phrases, so that
phrases with a common beginning part only where they differ.

Costs O(N·k) model calls, whatever the number of constraints. Expresses required phrases only; neither
alternatives nor negatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import torch

from neurologic.decoders.dba import proposals
from neurologic.decoders.phrase_trie import PhraseTrie
from neurologic.decoders.required_phrases import RequiredPhrases
from neurologic.search.beam import Beam
from neurologic.search.decoder import Decoder, Selection
from neurologic.search.hypothesis import Candidate, Hypothesis
from neurologic.search.score_matrix import ScoreMatrix


class VectorisedBeamAllocation(Decoder):
    """A hypothesis remembers its places in the trie."""

    name = "vdba"

    def choose(self, beams: Sequence[Beam], matrix: ScoreMatrix) -> list[Selection]:
        listed = self.propose(beams, matrix)
        order = places_in_turn(
            [[(candidate.score, candidate.logprob) for candidate in candidates] for candidates in listed]
        )
        return [
            Selection.of([candidates[place] for place in places], beam.settings.num_beams)
            for beam, candidates, places in zip(beams, listed, order, strict=True)
        ]

    def propose(self, beams: Sequence[Beam], matrix: ScoreMatrix) -> list[list[Candidate]]:
        """Return DBA's candidates of each input, each with its bank as its score."""
        required = [RequiredPhrases(beam.constraint) for beam in beams]
        tries = [PhraseTrie(phrases.tokens) for phrases in required]
        next_tokens = [partial(_next_tokens, *pair) for pair in zip(required, tries, strict=True)]
        listed = proposals(beams, matrix, next_tokens)
        proposed = []
        for beam, phrases, trie, cells in zip(beams, required, tries, listed, strict=True):
            considered = [beam.consider(*cell) for cell in cells]
            candidates = [candidate for candidate in considered if not candidate.fate]
            for candidate in candidates:
                places = beam.hypotheses[candidate.row].memory or ()
                candidate.memory = trie.advance(places, candidate.token, phrases.unmet(candidate))
                candidate.score = phrases.covered(candidate, trie.progress(candidate.memory))
            proposed.append(candidates)
        return proposed


def _next_tokens(phrases: RequiredPhrases, trie: PhraseTrie, hypothesis: Hypothesis) -> set[int]:
    return trie.next_tokens(hypothesis.memory or (), phrases.unmet(hypothesis))


def places_in_turn(listed: Sequence[Sequence[tuple[float, float]]]) -> list[list[int]]:
    """Return the order in which candidates, given as (bank, log-likelihood), get places, for each input.

    >>> places_in_turn([[(0, -1.0), (0, -2.0), (1, -9.0), (2, -8.0), (2, -7.0)]])
    [[4, 2, 0, 3, 1]]
    """
    most = max(map(len, listed), default=0)
    if not most:
        return [[] for _ in listed]
    shape = (len(listed), most)
    banks = torch.full(shape, float("-inf"))  # -inf for padding
    likelihoods = torch.full(shape, float("-inf"))
    for number, candidates in enumerate(listed):
        if candidates:
            values = torch.tensor(candidates)
            banks[number, : len(candidates)], likelihoods[number, : len(candidates)] = values.unbind(-1)
    # Sort by bank, inside a bank by likelihood; both sorts are stable.
    order = likelihoods.sort(dim=-1, descending=True, stable=True).indices
    order = order.gather(-1, banks.gather(-1, order).sort(dim=-1, descending=True, stable=True).indices)
    banks = banks.gather(-1, order)
    # The rank inside a bank is the distance to where the bank begins.
    columns = torch.arange(most).expand(shape)
    begins = torch.ones(shape, dtype=torch.bool)
    begins[:, 1:] = banks[:, 1:] != banks[:, :-1]
    ranks = columns - torch.where(begins, columns, 0).cummax(dim=-1).values
    ranks = ranks.masked_fill(banks == float("-inf"), most)
    order = order.gather(-1, ranks.sort(dim=-1, stable=True).indices)
    return [places[: len(candidates)] for places, candidates in zip(order.tolist(), listed, strict=True)]
