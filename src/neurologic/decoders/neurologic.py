"""NeuroLogic Decoding (Lu et al., NAACL 2021, section 2.3): prune, group, select.

Expresses any formula. Costs O(N·k) model calls for texts of N tokens and k beams, whatever the number of
clauses.

With `do_sample` it draws texts instead: see `decoders.particles`. The guarantee is the same.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from itertools import chain

from neurologic.decoders.candidate_proposal import Proposal
from neurologic.decoders.particles import Particles, weighed
from neurologic.search.beam import Beam
from neurologic.search.decoder import Decoder, Selection
from neurologic.search.hypothesis import Candidate
from neurologic.search.rules import Rule
from neurologic.search.score_matrix import Cells, ScoreMatrix
from neurologic.search.settings import SearchSettings

# Texts that are so many nats behind the best form no groups of their own for how they begin.
_APART = 12.0
# Candidates fetched beyond alpha, so that a few dropped ones rarely make a second fetch necessary.
_MARGIN = 56


class NeuroLogicDecoder(Decoder):
    """The paper's decoder."""

    name = "neurologic"
    rule = Rule.BUDGET

    def __init__(self) -> None:
        self._particles = Particles()

    def weighs(self, settings: SearchSettings) -> bool:
        """Particles have weights."""
        return settings.do_sample

    def choose(self, beams: Sequence[Beam], matrix: ScoreMatrix) -> list[Selection]:
        if not beams[0].settings.do_sample:
            return self._select(beams, matrix)
        selections = self._particles.step(beams, matrix)
        for number, beam in enumerate(beams):
            # Where the beam drops all that could be drawn, choose without drawing: then the plan holds.
            if selections[number].is_empty:
                (selection,) = self._select([beam], matrix.part(number))
                selections[number] = weighed(beam, selection)
        return selections

    def _select(self, beams: Sequence[Beam], matrix: ScoreMatrix) -> list[Selection]:
        proposals = self.propose(beams, matrix)
        selections = [_selected(proposal) for proposal in proposals]
        for number, (selection, proposal) in enumerate(zip(selections, proposals, strict=True)):
            # Places stay free only where nearly all listed candidates have the same text as a likelier one.
            if proposal.is_cut and len(selection.running) < proposal.beam.settings.num_beams:
                selections[number] = _selected(self.whole_proposal(proposal.beam, matrix.part(number)))
        return selections

    def places(self, settings: SearchSettings) -> int:
        """Return the most candidates that the decoder chooses for an input."""
        return settings.num_beams

    def propose(self, beams: Sequence[Beam], matrix: ScoreMatrix) -> list[Proposal]:
        """Return the likeliest candidates of each input, down to the alpha-th that the beam does not drop.

        So the selection is the same as if the decoder ranked the whole matrix.
        """
        listed = matrix.ranked(beams[0].settings.alpha + _MARGIN)
        return [
            self._proposal(beam, matrix.part(number), cells)
            for number, (beam, cells) in enumerate(zip(beams, listed, strict=True))
        ]

    def whole_proposal(self, beam: Beam, matrix: ScoreMatrix) -> Proposal:
        """Return the proposal of one input with every candidate listed."""
        return self._proposal(beam, matrix, whole=True)

    def _proposal(
        self, beam: Beam, matrix: ScoreMatrix, cells: Cells | None = None, *, whole: bool = False
    ) -> Proposal:
        alpha = beam.settings.alpha
        asked = alpha + _MARGIN
        while True:
            if cells is None:
                (cells,) = matrix.ranked(asked)
            proposal = Proposal(beam, self.places(beam.settings), whole=whole)
            # A shorter list than asked for has all candidates.
            is_enough = proposal.fill(cells, alpha) or len(cells.tokens) < asked
            has_predicates = beam.constraint.matcher.joint is not None
            if is_enough or has_predicates:
                proposal.add_closing(matrix)
            if has_predicates and not proposal.alive:
                # Predicates may rule out nearly all, as after the last word that a text may have. What is
                # less likely than all these would be no text that anyone wants; where nothing is left, the
                # plan is, after ends of sentences that are hardly likely.
                proposal.add_closing(matrix, at_any_price=True)
                if not proposal.alive:
                    proposal.add_planned(matrix)
            if is_enough or (has_predicates and proposal.alive):
                return proposal
            # With equal values a longer list need not begin with the shorter one, so start again.
            asked, cells = 4 * asked, None


def _selected(proposal: Proposal) -> Selection:
    settings = proposal.beam.settings
    survivors = prune(proposal.considered, settings.alpha, settings.beta)
    selection = select(proposal.beam, group(survivors), settings.num_beams)
    selection.considered = proposal.considered
    return selection


def prune(candidates: list[Candidate], alpha: int, beta: int) -> list[Candidate]:
    """Keep the top alpha by likelihood, and of these the top beta tiers by satisfied clauses."""
    alive = sorted(
        (candidate for candidate in candidates if not candidate.fate),
        key=lambda candidate: (-candidate.logprob, candidate.row, candidate.token),
    )
    for candidate in alive[alpha:]:
        candidate.fate = "alpha"
    likely = alive[:alpha]
    tiers = sorted({candidate.status.satisfied for candidate in likely}, reverse=True)[:beta]
    for candidate in likely:
        if candidate.status.satisfied not in tiers:
            candidate.fate = "beta"
    return [candidate for candidate in likely if not candidate.fate]


def group(candidates: list[Candidate]) -> list[list[Candidate]]:
    """Return candidates by their set of irreversibly satisfied clauses, best first; best group first.

    Beyond the paper: candidates inside a wanted phrase form groups of their own. A phrase of one token makes
    a new group at once and so gets a place, however unlikely it is; this gives longer phrases the time to
    become complete. Likewise for candidates that end a sentence when few tokens are left: texts that may end
    there, and otherwise would be truncated. And for candidates that have more sentences than others, where
    the formula counts them: who ends a sentence in time must not lose to who does not. Where a length is
    limited, texts that begin differently form groups too (`Closing.lineage`).
    """
    groups: dict[Hashable, list[Candidate]] = {}
    best = max((candidate.score for candidate in candidates), default=0.0)
    for candidate in sorted(candidates, key=lambda c: (-c.score, c.row, c.token)):
        key = (
            candidate.status.irreversible,
            candidate.inside,
            candidate.closes,
            candidate.stage,
            candidate.lineage if candidate.score > best - _APART else (),
        )
        groups.setdefault(key, []).append(candidate)
    return list(groups.values())


def select(beam: Beam, groups: list[list[Candidate]], k: int) -> Selection:
    """Fill k places in turn. Ends count as in `Selection.fill`."""
    selection = Selection()
    for rank, candidate in enumerate(in_turn(beam, groups)):
        if not candidate.ends:
            candidate.fate = "selected"
            selection.running.append(candidate)
        elif rank < k:
            candidate.fate = "finished"
            selection.ending.append(candidate)
        if len(selection.running) == k:
            break
    for candidate in chain.from_iterable(groups):
        candidate.fate = candidate.fate or "not selected"
    return selection


def in_turn(beam: Beam, groups: list[list[Candidate]]) -> Iterator[Candidate]:
    """Yield candidates in the order of their places: one of each group, then a second one of each, and so on.

    Of candidates with the same text and state the likeliest stays. Beyond the paper: a *dominated* candidate
    waits until all others have had their turn. It is dominated if a text that has all of its irreversibly
    satisfied clauses and more ranks before it: whatever it may still say, the other one is ahead in both
    respects. Without this a few places are soon spread over as many groups, each too narrow to search in.
    """
    waiting: list[list[Candidate]] = []
    if beam.settings.dominance:
        groups, waiting = _split_dominated(groups)
    seen: set[tuple[bytes, int, int, bool]] = set()
    for candidate in chain(_rotate(groups), _rotate(waiting)):
        hypothesis = beam.hypotheses[candidate.row]
        text = hypothesis.text if candidate.ends else beam.text_after(hypothesis, candidate.token)
        key = (text, candidate.state, candidate.found, candidate.ends)
        if key in seen:
            candidate.fate = "same text"
        else:
            seen.add(key)
            yield candidate


def _split_dominated(groups: list[list[Candidate]]) -> tuple[list[list[Candidate]], list[list[Candidate]]]:
    """Return the groups without their dominated candidates, and the dominated ones, grouped the same way.

    A dominated candidate that never gets its turn keeps that as its fate.
    """
    free: list[list[Candidate]] = []
    dominated: list[list[Candidate]] = []
    for members in groups:
        satisfied = members[0].status.irreversible
        ahead = max(
            (other[0].score for other in groups if _has_more(other[0].status.irreversible, satisfied)),
            default=-math.inf,
        )
        for candidate in members:  # a look-ahead may have changed its mind, so say it of all of them
            candidate.fate = "dominated" if candidate.score < ahead else ""
        free.append([candidate for candidate in members if not candidate.fate])
        dominated.append([candidate for candidate in members if candidate.fate])
    return [members for members in free if members], [members for members in dominated if members]


def _has_more(satisfied: int, than: int) -> bool:
    """Return whether a set of clauses is a proper superset of another one."""
    return satisfied != than and satisfied & than == than


def _rotate(groups: list[list[Candidate]]) -> Iterator[Candidate]:
    for round_ in range(max(map(len, groups), default=0)):
        for members in groups:
            if round_ < len(members):
                yield members[round_]
