"""The candidates of one input that NeuroLogic ranks: the likeliest, until alpha candidates survive pruning.

A step considers hundreds of candidates, but hardly any of them differ in effect: most tokens neither
continue a phrase nor finish one. So a `Proposal` works out the fate of a candidate once per *kind*: the state
of the matcher after the token, and the phrases found so far. Among candidates that rank alike, with the same
tier, group and bonus, it lists only the likeliest and counts the rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from neurologic.feasibility.compiled_constraint import Outlook
from neurologic.matching.clause_tracker import Status
from neurologic.matching.matcher import DEAD
from neurologic.search.beam import Beam
from neurologic.search.hypothesis import Candidate
from neurologic.search.score_matrix import ScoreMatrix
from neurologic.search.settings import SearchSettings

# A proposal lists candidates that rank alike up to this factor times the number of places (the beam size, or
# more for A*), since some may turn out to have the same text as a likelier one.
_ALIKE = 2


class _Kind(NamedTuple):
    """The common properties of all candidates of a kind.

    fate    why the beam drops them, "" if it does not
    bonus   added to their log-likelihood
    inside  whether they are inside a wanted phrase
    paid    whether the text may end after them
    after_phrase
            whether a required phrase ends with them, if the next character allows it
    alike   the number of listed candidates that rank alike, which several kinds share
    """

    state: int
    found: int
    status: Status
    fate: str
    bonus: float
    inside: bool
    paid: bool
    after_phrase: bool
    alike: list[int]

    def candidate(self, row: int, token: int, logprob: float) -> Candidate:
        """Return the candidate of this kind that continues a row with a token."""
        return Candidate(
            row,
            token,
            logprob,
            self.state,
            self.found,
            self.status,
            score=logprob + self.bonus,
            fate=self.fate,
            inside=self.inside,
        )


class Proposal:
    """Candidates in the order of their likelihood.

    considered  the listed candidates
    alive       the number of candidates that the beam does not drop, listed or not
    is_cut      whether some candidates are not listed
    """

    def __init__(self, beam: Beam, places: int, *, whole: bool = False) -> None:
        """Begin a proposal for a choice of up to `places` candidates; with `whole`, list every candidate."""
        self.beam = beam
        self.considered: list[Candidate] = []
        self.alive = 0
        self.is_cut = False
        self._enough = None if whole else _ALIKE * places
        # With stop strings and forbidden beginnings, tokens of one kind may differ.
        self._one_by_one = bool(beam.settings.stop_strings) or beam.is_opening
        self._ends_soon = beam.ends_soon
        self._kinds: dict[tuple[int, int], _Kind] = {}
        self._alike: dict[tuple[int, int, bool, float], list[int]] = {}

    def fill(self, rows: Iterable[int], tokens: Iterable[int], logprobs: Iterable[float], alpha: int) -> bool:
        """Add candidates, best first, until `alpha` are alive; False if they are too few."""
        beam, kinds = self.beam, self._kinds
        ends, step = beam.constraint.vocabulary.end_ids, beam.constraint.matcher.step
        states = [hypothesis.state for hypothesis in beam.hypotheses]
        founds = [hypothesis.found for hypothesis in beam.hypotheses]
        enough, closing = self._enough, beam.constraint.vocabulary.sentence_ends
        required = beam.constraint.tracker.wanted if beam.settings.max_run else 0
        for row, token, logprob in zip(rows, tokens, logprobs, strict=True):
            if token in ends or self._one_by_one:
                self._add_by_itself(row, token, logprob)
            else:
                state, new = step(states[row], token)
                found = new | founds[row]
                kind = kinds.get((state, found))
                if kind is None:
                    kind = kinds[state, found] = self._kind(state, found)
                if kind.fate:
                    self._add_dropped(kind, row, token, logprob)
                elif (kind.after_phrase or new & required) and beam.lists(row, token, state):
                    self.considered.append(replace(kind.candidate(row, token, logprob), fate="list"))
                elif kind.paid and token in closing:
                    self.considered.append(replace(kind.candidate(row, token, logprob), closes=True))
                    self.alive += 1
                elif enough is not None and kind.alike[0] >= enough:
                    self.alive += 1
                    self.is_cut = True
                else:
                    self.considered.append(kind.candidate(row, token, logprob))
                    self.alive += 1
                    kind.alike[0] += 1
            if self.alive == alpha:
                return True
        return False

    def add_planned(self, matrix: ScoreMatrix) -> None:
        """Add the first token of every row's plan, since no likely candidate is alive."""
        rows = range(len(self.beam.hypotheses))
        cells = [(row, token) for row in rows if (token := self.beam.planned_token(row)) is not None]
        (logprobs,) = matrix.at([cells])
        for (row, token), logprob in zip(cells, logprobs, strict=True):
            if not math.isinf(logprob):
                self._add_by_itself(row, token, logprob)

    def _kind(self, state: int, found: int) -> _Kind:
        if state == DEAD:
            nothing = self.beam.constraint.tracker.status(found)
            return _Kind(state, found, nothing, "not text", 0.0, False, False, False, [0])
        outlook = self.beam.constraint.outlook(state, found)
        status = outlook.status
        bonus, inside = rank(self.beam.settings, outlook)
        alike = self._alike.setdefault((status.satisfied, status.irreversible, inside, bonus), [0])
        fate = self.beam.fate(state, found, status)
        paid = self._ends_soon and not fate and self.beam.constraint.planner.may_end(state, found)
        ending = self.beam.constraint.matcher.provisional(state) & self.beam.constraint.tracker.wanted
        after_phrase = bool(ending) and self.beam.settings.max_run > 0
        return _Kind(state, found, status, fate, bonus, inside, paid, after_phrase, alike)

    def _add_by_itself(self, row: int, token: int, logprob: float) -> None:
        candidate = self.beam.consider(row, token, logprob)
        if not candidate.fate:
            outlook = self.beam.constraint.outlook(candidate.state, candidate.found)
            bonus, candidate.inside = rank(self.beam.settings, outlook)
            candidate.score = logprob + bonus
            self.alive += 1
        self.considered.append(candidate)

    def _add_dropped(self, kind: _Kind, row: int, token: int, logprob: float) -> None:
        """List a candidate of a dropped kind; the first token of the row's plan is an exception."""
        if kind.fate == "budget" and self.beam.is_planned(row, token):
            self._add_by_itself(row, token, logprob)
        else:
            self.considered.append(kind.candidate(row, token, logprob))


def rank(settings: SearchSettings, outlook: Outlook) -> tuple[float, bool]:
    """Return the bonus on the log-likelihood, and whether the text is inside a wanted phrase, for its group.

    The bonus is lambda times the largest matched fraction of a literal of a clause in S1. Beyond the paper: a
    text that would fail if it ended here gets less, since its last word still has to become another one.
    """
    bonus = settings.lambda_ * outlook.fraction - settings.doubt * outlook.would_fail
    return bonus, settings.phrase_groups and outlook.inside
