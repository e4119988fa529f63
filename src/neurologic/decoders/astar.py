"""NeuroLogic A*esque (Lu et al., NAACL 2022): NeuroLogic with a look-ahead.

The decoder proposes, prunes and groups candidates as NeuroLogic does. It rolls out those that could get a
place for some tokens, and ranks them by how likely an unmet literal is on the way:

    score + look_ahead_weight · the best log-probability, in the roll-out, of the next token of a literal

so that a text which is about to write an unmet literal comes before one that is not. Texts with all clauses
satisfied need no roll-out.

Expresses any formula. Costs O(N·k·l) model calls for a look-ahead of l tokens; roll-outs of all inputs run in
one batch, and the search reuses those of texts that continue (see `search.look_ahead`). Only the next token
of a multi-token literal counts.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from neurologic.decoders.candidate_proposal import Proposal
from neurologic.decoders.neurologic import NeuroLogicDecoder, group, in_turn, prune, select
from neurologic.feasibility.spelling import spellings
from neurologic.matching.clause_tracker import bits
from neurologic.models.base import LanguageModel
from neurologic.search.beam import Beam
from neurologic.search.decoder import Selection
from neurologic.search.hypothesis import Candidate
from neurologic.search.look_ahead import LookAhead, View, Way
from neurologic.search.score_matrix import ScoreMatrix
from neurologic.search.settings import SearchSettings
from neurologic.search.two_prompts import TwoPromptRows

# Candidates to roll out per place of the beam, and the least number beyond the places.
_PER_PLACE = 1.5
_MORE_AT_LEAST = 2


class AStarDecoder(NeuroLogicDecoder):
    """NeuroLogic with the look-ahead of one search."""

    name = "astar"

    def start(self, model: LanguageModel, rows: TwoPromptRows, settings: SearchSettings) -> LookAhead:
        vocabulary = model.vocabulary
        self._look_ahead = LookAhead(
            rows,
            {*vocabulary.forbidden_ids, *vocabulary.end_ids},
            kind=settings.look_ahead_kind,
            steps=settings.look_ahead,
            width=settings.look_ahead_width,
        )
        return self._look_ahead

    def choose(self, beams: Sequence[Beam], matrix: ScoreMatrix) -> list[Selection]:
        self._correct_calls(beams)
        proposed = self.propose(beams, matrix)
        listed = [self._shortlist(proposal) for proposal in proposed]
        for number, (beam, proposal) in enumerate(zip(beams, proposed, strict=True)):
            continuing = sum(not candidate.ends for candidate in listed[number])
            if proposal.is_cut and continuing < self.places(beam.settings):
                proposed[number] = self.whole_proposal(beam, matrix.part(number))
                listed[number] = self._shortlist(proposed[number])
        self._look(beams, listed)
        selections = []
        for beam, proposal, shortlist in zip(beams, proposed, listed, strict=True):
            selection = select(beam, group(shortlist), beam.settings.num_beams)
            selection.considered = proposal.considered
            selections.append(selection)
        return selections

    def step(self, beam: Beam, scores: torch.Tensor) -> Selection:
        """Repeat a step of one input without a look-ahead, which knows the rows of all inputs only."""
        return NeuroLogicDecoder.choose(self, [beam], ScoreMatrix.of(scores))[0]

    def places(self, settings: SearchSettings) -> int:
        """Return how many candidates to roll out."""
        k = settings.num_beams
        return max(round(_PER_PLACE * k), k + _MORE_AT_LEAST)

    def _correct_calls(self, beams: Sequence[Beam]) -> None:
        """Subtract the rows that a roll-out had read and counted: the engine has counted them once more."""
        row = 0
        for beam in beams:
            rows = range(row, row + len(beam.hypotheses))
            beam.calls -= len(self._look_ahead.served.intersection(rows))
            row = rows.stop

    def _shortlist(self, proposal: Proposal) -> list[Candidate]:
        """Return the candidates that would get a place without a look-ahead, and some more."""
        beam = proposal.beam
        survivors = prune(proposal.considered, beam.settings.alpha, beam.settings.beta)
        most = self.places(beam.settings)
        shortlist: list[Candidate] = []
        continuing = 0
        for candidate in in_turn(beam, group(survivors)):
            if continuing < most:
                shortlist.append(candidate)
                continuing += not candidate.ends
            else:
                candidate.fate = "not selected"
        return shortlist

    def _look(self, beams: Sequence[Beam], listed: Sequence[list[Candidate]]) -> None:
        """Add the prospects of their roll-outs to the candidates' scores."""
        ways: list[Way] = []
        owing: list[tuple[Beam, Candidate, dict[int, int]]] = []
        first_row = 0
        for beam, candidates in zip(beams, listed, strict=True):
            for candidate in candidates:
                if candidate.status.wanted and not candidate.ends:
                    watched = _watched(beam, candidate)
                    owing.append((beam, candidate, watched))
                    ways.append(_way(beam, candidate, first_row, tuple(watched)))
            first_row += len(beam.hypotheses)
        most = beams[0].left
        for (beam, candidate, watched), view in zip(owing, self._look_ahead.explore(ways, most), strict=True):
            beam.calls += view.calls
            beam.reused += view.reused
            candidate.score += beam.settings.look_ahead_weight * _prospect(watched, view)


def _watched(beam: Beam, candidate: Candidate) -> dict[int, int]:
    """Map the tokens that begin or continue an unmet literal to the last step at which each counts."""
    planner, matcher = beam.constraint.planner, beam.constraint.matcher
    tokens: dict[int, int] = {}
    for phrase in bits(candidate.status.wanted):
        spelling = planner.usual_spelling(phrase)
        if spelling:
            tokens[spelling[0]] = beam.settings.look_ahead
    for phrase, matched in matcher.partial_matches(candidate.state):
        if candidate.status.wanted >> phrase & 1:
            rest = matcher.rest(phrase, matched)
            following = rest if isinstance(rest, tuple) else next(spellings(rest, matcher.vocabulary), ())
            if following:
                tokens.setdefault(following[0], 1)
    return tokens


def _way(beam: Beam, candidate: Candidate, first_row: int, watched: tuple[int, ...]) -> Way:
    settings = beam.settings
    draws = settings.look_ahead * settings.look_ahead_width if settings.look_ahead_kind == "sample" else 0
    chance = tuple(beam.random.random() for _ in range(draws))
    return Way(first_row + candidate.row, candidate.token, watched, chance)


def _prospect(watched: dict[int, int], view: View) -> float:
    """Return the best log-probability of a watched token in a step at which it counts."""
    return max(
        (
            logprob
            for step, seen in enumerate(view.seen)
            for logprob, until in zip(seen, watched.values(), strict=True)
            if step < until
        ),
        default=0.0,
    )
