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
from neurologic.matching.vocabulary import TokenIds
from neurologic.search.beam import Beam
from neurologic.search.hypothesis import Candidate
from neurologic.search.score_matrix import ScoreMatrix
from neurologic.search.settings import SearchSettings

# A proposal lists candidates that rank alike up to this factor times the number of places (the beam size, or
# more for A*), since some may turn out to have the same text as a likelier one.
_ALIKE = 2
_CLOSING_MARKS = (b".", b"!", b"?")


class _Kind(NamedTuple):
    """The common properties of all candidates of a kind.

    fate    why the beam drops them, "" if it does not
    bonus   added to their log-likelihood
    inside  whether they are inside a wanted phrase
    paid    whether the text may end after them
    after_phrase
            whether a required phrase ends with them, if the next character allows it
    alike   the number of listed candidates that rank alike by lineage, which several kinds share
    stage   how many sentences, lines or paragraphs they have, where the formula counts them
    """

    state: int
    found: int
    status: Status
    fate: str
    bonus: float
    inside: bool
    paid: bool
    after_phrase: bool
    alike: dict[TokenIds, int]
    stage: tuple[int, ...] = ()

    def candidate(self, row: int, token: int, logprob: float, lineage: TokenIds = ()) -> Candidate:
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
            stage=self.stage,
            lineage=lineage,
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
        self._one_by_one = [
            bool(beam.settings.stop_strings) or beam.may_open_badly(row)
            for row in range(len(beam.hypotheses))
        ]
        self._ends_soon = beam.ends_soon
        closing = beam.closing
        self._crowded = frozenset(
            row
            for row, hypothesis in enumerate(beam.hypotheses)
            if closing.in_time and closing.is_crowded(hypothesis)
        )
        self._kinds: dict[tuple[int, int], _Kind] = {}
        self._alike: dict[tuple[int, int, bool, float, tuple[int, ...]], dict[TokenIds, int]] = {}
        self._lineages = [closing.lineage(hypothesis) for hypothesis in beam.hypotheses]

    def fill(self, rows: Iterable[int], tokens: Iterable[int], logprobs: Iterable[float], alpha: int) -> bool:
        """Add candidates, best first, until `alpha` are alive; False if they are too few."""
        beam, kinds, one_by_one = self.beam, self._kinds, self._one_by_one
        ends, step = beam.constraint.vocabulary.end_ids, beam.constraint.matcher.step
        states = [hypothesis.state for hypothesis in beam.hypotheses]
        founds = [hypothesis.found for hypothesis in beam.hypotheses]
        enough, closing = self._enough, beam.constraint.vocabulary.sentence_ends
        crowded, lineages, limited = self._crowded, self._lineages, beam.closing.in_time
        required = beam.constraint.tracker.wanted if beam.settings.max_run else 0
        for row, token, logprob in zip(rows, tokens, logprobs, strict=True):
            if token in ends or one_by_one[row]:
                self._add_by_itself(row, token, logprob)
            else:
                state, new = step(states[row], token)
                found = new | founds[row]
                kind = kinds.get((state, found))
                if kind is None:
                    kind = kinds[state, found] = self._kind(state, found)
                if kind.fate:
                    self._add_dropped(kind, row, token, logprob)
                elif limited and not self._ends_well(row, token, logprob):
                    self.considered.append(replace(kind.candidate(row, token, logprob), fate="no room"))
                elif (kind.after_phrase or new & required) and beam.lists(row, token, state):
                    self.considered.append(replace(kind.candidate(row, token, logprob), fate="list"))
                elif token in closing and (kind.paid or row in crowded):
                    candidate = kind.candidate(row, token, logprob, lineages[row])
                    candidate.closes = True
                    self.considered.append(candidate)
                    self.alive += 1
                elif enough is not None and kind.alike.get(lineages[row], 0) >= enough:
                    self.alive += 1
                    self.is_cut = True
                else:
                    self.considered.append(kind.candidate(row, token, logprob, lineages[row]))
                    self.alive += 1
                    kind.alike[lineages[row]] = kind.alike.get(lineages[row], 0) + 1
            if self.alive == alpha:
                return True
        return False

    def _ends_well(self, row: int, token: int, logprob: float) -> bool:
        """Return whether a candidate leads to a proper end, where the formula limits the length of a text.

        The plan of a row need not: where nothing else is left, `add_planned` takes it.
        """
        beam, hypothesis = self.beam, self.beam.hypotheses[row]
        closing = beam.closing
        if closing.fills_up(hypothesis, token, logprob) or closing.breaks_line(hypothesis, token):
            return beam.owed_tokens(row) is not None
        if token in beam.constraint.vocabulary.sentence_ends:
            return self._closes_properly(row, token, logprob)
        return row not in self._crowded or closing.leads_to_end(hypothesis, token, logprob)

    def _closes_properly(self, row: int, token: int, logprob: float) -> bool:
        """Return whether a token that ends a sentence does so after a word."""
        return self.beam.closing.closes_properly(self.beam.hypotheses[row], token, logprob)

    def add_closing(self, matrix: ScoreMatrix, *, at_any_price: bool = False) -> None:
        """Add what ends a sentence to the rows that are soon too long, however unlikely it is.

        With `at_any_price` even where it is so unlikely that no sentence ends there.
        """
        if not self._crowded:
            return
        token_of = self.beam.constraint.vocabulary.token_of
        listed = {
            (candidate.row, candidate.token)
            for candidate in self.considered
            if not (at_any_price and candidate.fate)
        }
        marks = [token_of[mark] for mark in _CLOSING_MARKS if mark in token_of]
        cells = [
            (row, token) for row in sorted(self._crowded) for token in marks if (row, token) not in listed
        ]
        (logprobs,) = matrix.at([cells])
        for (row, token), logprob in zip(cells, logprobs, strict=True):
            asked = 0.0 if at_any_price else logprob
            if not math.isinf(logprob) and self._closes_properly(row, token, asked):
                self._add_by_itself(row, token, logprob)
                self.considered[-1].closes = True

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
            return _Kind(state, found, nothing, "not text", 0.0, False, False, False, {})
        outlook = self.beam.constraint.outlook(state, found)
        status = outlook.status
        bonus, inside = rank(self.beam.settings, outlook)
        stage = self._stage(state)
        alike = self._alike.setdefault((status.satisfied, status.irreversible, inside, bonus, stage), {})
        fate = self.beam.fate(state, found, status)
        paid = self._ends_soon and not fate and self.beam.constraint.planner.may_end(state, found)
        ending = self.beam.constraint.matcher.provisional(state) & self.beam.constraint.tracker.wanted
        after_phrase = bool(ending) and self.beam.settings.max_run > 0
        return _Kind(state, found, status, fate, bonus, inside, paid, after_phrase, alike, stage)

    def _stage(self, state: int) -> tuple[int, ...]:
        return self.beam.constraint.matcher.stage(state) + self.beam.closing.landing(state)

    def _add_by_itself(self, row: int, token: int, logprob: float) -> None:
        candidate = self.beam.consider(row, token, logprob)
        if not candidate.fate:
            outlook = self.beam.constraint.outlook(candidate.state, candidate.found)
            bonus, candidate.inside = rank(self.beam.settings, outlook)
            candidate.score = logprob + bonus
            candidate.stage = self._stage(candidate.state)
            candidate.lineage = self._lineages[row]
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
    text that would fail if it ended here gets less, since its last word still has to become another one; and
    a wish adds its weight where it is true, or the matched fraction of it.
    """
    bonus = settings.lambda_ * outlook.fraction - settings.doubt * outlook.would_fail + outlook.wished
    return bonus, settings.phrase_groups and outlook.inside
