"""The candidates of one input that NeuroLogic ranks: the likeliest, down to the alpha-th that may live.

Hundreds of candidates are looked at in every step, but hardly any of them differ in what they do: most
tokens neither bring a phrase forward nor finish one. So what becomes of a candidate is worked out once per
*kind*: the row, the matcher's state after the token, and the phrases found by it. And of candidates that rank
alike, since their group and what is added to their likelihood are the same, only the likeliest are listed;
the rest is counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from neurologic.search.beam import Beam
from neurologic.search.hypothesis import Candidate

# Candidates that rank alike are listed up to so many times k: k can be chosen at most, and some may turn out
# to have the same text as a likelier one.
_ALIKE = 2


@dataclass(slots=True, eq=False)
class _Kind:
    """What all candidates of a kind have in common.

    first  the first of them
    bonus  what is added to its likelihood
    alike  how many candidates that rank alike have been listed; shared by kinds
    """

    first: Candidate
    bonus: float
    alike: list[int]


class Proposal:
    """Candidates in the order of their likelihood.

    considered  those that are listed
    alive       how many need not be dropped, whether they are listed or not
    is_cut      whether some were counted only
    """

    def __init__(self, beam: Beam, *, whole: bool = False) -> None:
        """With `whole` every candidate is listed."""
        self.beam = beam
        self.considered: list[Candidate] = []
        self.alive = 0
        self.is_cut = False
        self._enough = None if whole else _ALIKE * beam.settings.num_beams
        # Stop strings make a difference between tokens of a kind.
        self._one_by_one = bool(beam.settings.stop_strings)
        self._kinds: list[dict[tuple[int, int], _Kind]] = [{} for _ in beam.hypotheses]
        self._alike: dict[tuple[int, bool, float], list[int]] = {}

    def fill(self, rows: Iterable[int], tokens: Iterable[int], logprobs: Iterable[float], alpha: int) -> bool:
        """Add candidates, best first, until `alpha` are alive; False if they are too few."""
        beam, kinds = self.beam, self._kinds
        ends = beam.constraint.vocabulary.end_ids
        step = beam.constraint.matcher.step
        states = [hypothesis.state for hypothesis in beam.hypotheses]
        enough = self._enough
        for row, token, logprob in zip(rows, tokens, logprobs, strict=True):
            if token in ends or self._one_by_one:
                self._add(self._worked_out(row, token, logprob))
            else:
                after = step(states[row], token)
                kind = kinds[row].get(after)
                if kind is None:
                    kind = kinds[row][after] = self._worked_out(row, token, logprob)
                    self._add(kind)
                elif kind.first.fate and beam.is_planned(row, token):
                    self._add(
                        self._worked_out(row, token, logprob)
                    )  # it may do what others of its kind may not
                elif enough is not None and kind.alike[0] >= enough:
                    self.alive += 1
                    self.is_cut = True
                else:
                    self._add_another(kind, token, logprob)
            if self.alive == alpha:
                return True
        return False

    def _worked_out(self, row: int, token: int, logprob: float) -> _Kind:
        candidate = self.beam.consider(row, token, logprob)
        bonus = 0.0 if candidate.fate else add_bonus(self.beam, candidate)
        rank = (candidate.status.irreversible, candidate.inside, bonus)
        return _Kind(candidate, bonus, self._alike.setdefault(rank, [0]))

    def _add(self, kind: _Kind) -> None:
        self.considered.append(kind.first)
        if not kind.first.fate:
            self.alive += 1
            kind.alike[0] += not kind.first.ends

    def _add_another(self, kind: _Kind, token: int, logprob: float) -> None:
        first = kind.first
        self.considered.append(
            Candidate(
                first.row,
                token,
                logprob,
                first.state,
                first.found,
                first.status,
                score=logprob + kind.bonus,
                fate=first.fate,
                inside=first.inside,
            )
        )
        if not first.fate:
            self.alive += 1
            kind.alike[0] += 1


def add_bonus(beam: Beam, candidate: Candidate) -> float:
    """Score a candidate: log-likelihood plus lambda times the largest matched fraction of a literal of a
    clause in S1; gives what was added.

    Beyond the paper: a text that would fail if it ended here is trusted less, since its last word still has
    to become another one. And a candidate inside of a wanted phrase is marked, for its group.
    """
    settings = beam.settings
    outlook = beam.constraint.outlook(candidate.state, candidate.found)
    bonus = settings.lambda_ * outlook.fraction - settings.doubt * outlook.would_fail
    candidate.inside = settings.phrase_groups and outlook.fraction > 0
    candidate.score = candidate.logprob + bonus
    return bonus
