"""The candidates of one input that NeuroLogic ranks: the likeliest, down to the alpha-th that may live.

Hundreds of candidates are looked at in every step, but hardly any of them differ in what they do: most
tokens neither bring a phrase forward nor finish one. So what becomes of a candidate is worked out once per
*kind*: the matcher's state after the token, and the phrases found so far. And of candidates that rank alike,
since their tier, their group and what is added to their likelihood are the same, only the likeliest are
listed; the rest is counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from neurologic.feasibility.constraint import Outlook
from neurologic.matching.clause_tracker import Status
from neurologic.matching.matcher import DEAD
from neurologic.search.beam import Beam
from neurologic.search.hypothesis import Candidate
from neurologic.search.settings import SearchSettings

# Candidates that rank alike are listed up to so many times the places that there are, since some may turn out
# to have the same text as a likelier one.
_ALIKE = 2


class _Kind(NamedTuple):
    """What all candidates of a kind have in common.

    fate    why they are dropped, "" if they are not
    bonus   what is added to their likelihood
    inside  whether they are inside of a wanted phrase
    alike   how many candidates that rank alike have been listed, a number that kinds share
    """

    state: int
    found: int
    status: Status
    fate: str
    bonus: float
    inside: bool
    alike: list[int]

    def candidate(self, row: int, token: int, logprob: float) -> Candidate:
        """The candidate of this kind that continues a row with a token."""
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

    considered  those that are listed
    alive       how many need not be dropped, whether they are listed or not
    is_cut      whether some were counted only
    """

    def __init__(self, beam: Beam, places: int, *, whole: bool = False) -> None:
        """At most `places` candidates will be chosen; with `whole` every candidate is listed."""
        self.beam = beam
        self.considered: list[Candidate] = []
        self.alive = 0
        self.is_cut = False
        self._enough = None if whole else _ALIKE * places
        # Stop strings make a difference between tokens of a kind.
        self._one_by_one = bool(beam.settings.stop_strings)
        self._kinds: dict[tuple[int, int], _Kind] = {}
        self._alike: dict[tuple[int, int, bool, float], list[int]] = {}

    def fill(self, rows: Iterable[int], tokens: Iterable[int], logprobs: Iterable[float], alpha: int) -> bool:
        """Add candidates, best first, until `alpha` are alive; False if they are too few."""
        beam, kinds = self.beam, self._kinds
        ends, step = beam.constraint.vocabulary.end_ids, beam.constraint.matcher.step
        states = [hypothesis.state for hypothesis in beam.hypotheses]
        founds = [hypothesis.found for hypothesis in beam.hypotheses]
        enough = self._enough
        for row, token, logprob in zip(rows, tokens, logprobs, strict=True):
            if token in ends or self._one_by_one:
                self._add_by_itself(row, token, logprob)
            else:
                state, found = step(states[row], token)
                found |= founds[row]
                kind = kinds.get((state, found))
                if kind is None:
                    kind = kinds[state, found] = self._kind(state, found)
                if kind.fate:
                    self._add_dropped(kind, row, token, logprob)
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

    def _kind(self, state: int, found: int) -> _Kind:
        if state == DEAD:
            nothing = self.beam.constraint.tracker.status(found)
            return _Kind(state, found, nothing, "not text", 0.0, False, [0])
        outlook = self.beam.constraint.outlook(state, found)
        status = outlook.status
        bonus, inside = rank(self.beam.settings, outlook)
        alike = self._alike.setdefault((status.satisfied, status.irreversible, inside, bonus), [0])
        return _Kind(state, found, status, self.beam.fate(state, found, status), bonus, inside, alike)

    def _add_by_itself(self, row: int, token: int, logprob: float) -> None:
        candidate = self.beam.consider(row, token, logprob)
        if not candidate.fate:
            outlook = self.beam.constraint.outlook(candidate.state, candidate.found)
            bonus, candidate.inside = rank(self.beam.settings, outlook)
            candidate.score = logprob + bonus
            self.alive += 1
        self.considered.append(candidate)

    def _add_dropped(self, kind: _Kind, row: int, token: int, logprob: float) -> None:
        """List a candidate whose kind is dropped; the first token of the row's plan is an exception."""
        if kind.fate == "budget" and self.beam.is_planned(row, token):
            self._add_by_itself(row, token, logprob)
        else:
            self.considered.append(kind.candidate(row, token, logprob))


def rank(settings: SearchSettings, outlook: Outlook) -> tuple[float, bool]:
    """What is added to the log-likelihood, and whether the text is inside of a wanted phrase, for its group.

    That is lambda times the largest matched fraction of a literal of a clause in S1. Beyond the paper: a text
    that would fail if it ended here is trusted less, since its last word still has to become another one.
    """
    bonus = settings.lambda_ * outlook.fraction - settings.doubt * outlook.would_fail
    return bonus, settings.phrase_groups and outlook.inside
