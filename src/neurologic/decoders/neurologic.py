"""NeuroLogic Decoding (Lu et al., NAACL 2021, section 2.3): prune, group, select.

Expresses any formula. Costs O(N·k) model calls for texts of N tokens and k beams, whatever the number of
clauses.

With `do_sample` the same clause machinery works on drawn candidates (temperature, top-k, top-p, seed): other
seeds give other texts, and the guarantee is the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from neurologic.decoders.sampling import keep_drawn
from neurologic.search.beam import Beam, Rule
from neurologic.search.decoder import Decoder, Selection
from neurologic.search.hypothesis import Candidate
from neurologic.search.matrix import Cell, Matrix

# Candidates fetched beyond alpha, so that a few dropped ones seldom make a second fetch necessary.
_MARGIN = 56
# Candidates of one row that lead to the same state are listed up to so many times k: k can be chosen at
# most, and some may turn out to have the same text as a likelier one.
_ALIKE = 2


class NeuroLogicDecoder(Decoder):
    """The paper's decoder."""

    name = "neurologic"
    rule = Rule.BUDGET

    def choose(self, beams: Sequence[Beam], matrix: Matrix) -> list[Selection]:
        if not beams[0].settings.do_sample:
            return self._select(beams, matrix)
        selections = self._select(beams, keep_drawn(beams, matrix))
        for number, beam in enumerate(beams):
            # Where all that was drawn has to be dropped, the payment plan needs no luck.
            if selections[number].is_empty:
                selections[number] = self._select([beam], matrix.part(number))[0]
        return selections

    def _select(self, beams: Sequence[Beam], matrix: Matrix) -> list[Selection]:
        selections = []
        for beam, considered in zip(beams, self.propose(beams, matrix), strict=True):
            survivors = prune(considered, beam.settings.alpha, beam.settings.beta)
            self.score(beam, survivors)
            selection = select(beam, group(survivors), beam.settings.num_beams)
            selection.considered = considered
            selections.append(selection)
        return selections

    def propose(self, beams: Sequence[Beam], matrix: Matrix) -> list[list[Candidate]]:
        """Per input its likeliest candidates, down to the alpha-th that need not be dropped.

        So what is selected is the same as if the whole matrix had been ranked. Of the many candidates of a
        row that lead to the same state and the same phrases, only the likeliest can be selected; those after
        them are counted, but not listed.
        """
        alpha = beams[0].settings.alpha
        count = alpha + _MARGIN
        proposed = []
        for number, (beam, cells) in enumerate(zip(beams, matrix.likeliest(count), strict=True)):
            proposal = Proposal(beam)
            asked = count
            # Fewer than asked for are all that there are.
            while not proposal.fill(cells, alpha) and len(cells) == asked:
                # Of equal values a longer list need not begin with a shorter one, hence from its start.
                asked *= 4
                (cells,) = matrix.part(number).likeliest(asked)
            proposed.append(proposal.considered)
        return proposed

    def score(self, beam: Beam, candidates: list[Candidate]) -> None:
        """Log-likelihood plus lambda times the largest matched fraction of a literal of a clause in S1.

        Beyond the paper: a text that would fail if it ended here is trusted less, since its last word
        still has to become another one.
        """
        settings = beam.settings
        for candidate in candidates:
            candidate.score = candidate.logprob
            if beam.constraint.would_fail(candidate.state, candidate.found):
                candidate.score -= settings.doubt
            if candidate.status.wanted:
                fraction = beam.constraint.matched_fraction(candidate.state, candidate.status.wanted)
                candidate.score += settings.lambda_ * fraction
                candidate.inside = settings.phrase_groups and fraction > 0


class Proposal:
    """Candidates in the order of their likelihood; `alive` counts those that need not be dropped."""

    def __init__(self, beam: Beam) -> None:
        self.beam = beam
        self.considered: list[Candidate] = []
        self.alive = 0
        self._seen: set[tuple[int, int]] = set()
        self._enough = _ALIKE * beam.settings.num_beams
        self._alike: dict[tuple[int, int, int], int] = {}

    def fill(self, cells: Iterable[Cell], alpha: int) -> bool:
        """Add cells, best first, until `alpha` are alive; False if they are too few."""
        for cell in cells:
            self.add(*cell)
            if self.alive == alpha:
                return True
        return False

    def add(self, row: int, token: int, logprob: float) -> None:
        """Work out a candidate, unless enough likelier ones of its row are just like it."""
        if (row, token) in self._seen:
            return
        self._seen.add((row, token))
        key = (row, *self.beam.after(row, token))
        alike = self._alike.get(key, 0)
        self._alike[key] = alike + 1
        if alike >= self._enough:
            self.alive += 1
            return
        candidate = self.beam.consider(row, token, logprob)
        self.considered.append(candidate)
        if candidate.fate:
            self._alike[key] = 0  # a dropped one must not make others count as alive
        else:
            self.alive += 1


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
    """Candidates by their set of irreversibly satisfied clauses, best first; best group first.

    Beyond the paper: those that are inside of a wanted phrase form groups of their own. A phrase of one token
    makes a new group at once and so gets a place, however unlikely it is; this gives longer ones the time to
    become complete.
    """
    groups: dict[tuple[int, bool], list[Candidate]] = {}
    for candidate in sorted(candidates, key=lambda c: (-c.score, c.row, c.token)):
        groups.setdefault((candidate.status.irreversible, candidate.inside), []).append(candidate)
    return list(groups.values())


def select(beam: Beam, groups: list[list[Candidate]], k: int) -> Selection:
    """Fill k places in turn.

    An end takes no place in the new beam, but counts as an end only if it ranks among the first k, as in
    Hugging Face's beam search.
    """
    selection = Selection()
    for rank, candidate in enumerate(in_turn(beam, groups)):
        if len(selection.running) == k:
            candidate.fate = "not selected"
        elif not candidate.ends:
            candidate.fate = "selected"
            selection.running.append(candidate)
        elif rank < k:
            candidate.fate = "finished"
            selection.ending.append(candidate)
        else:
            candidate.fate = "not selected"
    return selection


def in_turn(beam: Beam, groups: list[list[Candidate]]) -> Iterator[Candidate]:
    """The order in which candidates get places: one of each group, then a second one of each, and so on.

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
    """The groups without their dominated candidates, and those."""
    free: list[list[Candidate]] = []
    dominated: list[list[Candidate]] = []
    for members in groups:
        satisfied = members[0].status.irreversible
        ahead = max(
            (other[0].score for other in groups if _has_more(other[0].status.irreversible, satisfied)),
            default=-math.inf,
        )
        free.append([candidate for candidate in members if candidate.score >= ahead])
        dominated.append([candidate for candidate in members if candidate.score < ahead])
    return [members for members in free if members], [members for members in dominated if members]


def _has_more(satisfied: int, than: int) -> bool:
    """Whether a set of clauses holds all of another one and more."""
    return satisfied != than and satisfied & than == than


def _rotate(groups: list[list[Candidate]]) -> Iterator[Candidate]:
    for round_ in range(max(map(len, groups), default=0)):
        for members in groups:
            if round_ < len(members):
                yield members[round_]
