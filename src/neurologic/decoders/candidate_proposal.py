"""The candidates of one input that NeuroLogic ranks: the likeliest, until alpha candidates survive pruning.

A step considers hundreds of candidates, but hardly any of them differ in effect: most tokens neither
continue a phrase nor finish one. So a `Proposal` works out the fate of a candidate once per *kind*: the state
of the matcher after the token, and the phrases found so far. It finds the kinds of most candidates by a few
array operations (see `matching.lifting`), and looks at the others one by one. Among candidates that rank
alike, with the same tier, group and bonus, it lists only the likeliest and counts the rest.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neurologic.feasibility.compiled_constraint import Outlook
from neurologic.matching.clause_tracker import Status
from neurologic.matching.lifting import UNKNOWN, Openings
from neurologic.matching.matcher import DEAD
from neurologic.matching.token_shapes import ENDINGS
from neurologic.matching.vocabulary import TokenIds
from neurologic.search.beam import Beam
from neurologic.search.hypothesis import Candidate
from neurologic.search.score_matrix import Cells, ScoreMatrix
from neurologic.search.settings import SearchSettings

# A proposal lists candidates that rank alike up to this factor times the number of places (the beam size, or
# more for A*), since some may turn out to have the same text as a likelier one.
_ALIKE = 2
_CLOSING_MARKS = (b".", b"!", b"?")
_NONE = -1  # instead of the number of a kind or a group

# The tier, group and bonus of a candidate, and how its text begins where that matters.
_Rank = tuple[int, int, bool, float, tuple[int, ...], TokenIds]


class _Kind(NamedTuple):
    """The common properties of all candidates of a kind.

    fate    why the beam drops them, "" if it does not
    bonus   added to their log-likelihood
    inside  whether they are inside a wanted phrase
    paid    whether the text may end after them
    after_phrase
            whether a required phrase ends with them, if the next character allows it
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
    stage: tuple[int, ...] = ()

    def candidate(
        self, row: int, token: int, logprob: float, lineage: TokenIds = (), fate: str = ""
    ) -> Candidate:
        """Return the candidate of this kind that continues a row with a token; `fate` is one of its own."""
        return Candidate(
            row,
            token,
            logprob,
            self.state,
            self.found,
            self.status,
            score=logprob + self.bonus,
            fate=fate or self.fate,
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
        closing, rows = beam.closing, range(len(beam.hypotheses))
        self._opening = [row for row in rows if beam.may_open_badly(row)]
        self._ends_soon = beam.ends_soon
        self._crowded = frozenset(
            row for row in rows if closing.in_time and closing.is_crowded(beam.hypotheses[row])
        )
        self._due = frozenset(row for row in rows if beam.sentence_is_due(row))
        self._lineages = [closing.lineage(hypothesis) for hypothesis in beam.hypotheses]
        self._required = beam.constraint.tracker.wanted if beam.settings.max_run else 0
        # With stop strings, tokens of one kind may differ; automata of predicates know no usual effect.
        self._has_usual_kinds = not (
            beam.settings.stop_strings or closing.in_time or beam.constraint.follows_predicates
        )
        # Traces show the dropped candidates, and some callers want all.
        self._lists_dropped = whole or beam.is_traced or closing.in_time
        self._kinds: dict[tuple[int, int], int] = {}
        self._numbered: list[_Kind] = []
        self._groups: dict[_Rank, int] = {}

    def fill(self, cells: Cells, alpha: int) -> bool:
        """Add candidates, best first, until `alpha` are alive; False if they are too few."""
        kinds = self._usual_kinds(cells)  # [candidates]
        fates = [not kind.fate for kind in self._numbered]
        alive = np.array([*fates, False])[kinds]
        group_of = [self._group(kind, ()) for kind in self._numbered]
        groups = np.where(alive, np.array([*group_of, _NONE])[kinds], _NONE)
        listed: dict[int, Candidate] = {}
        before, more = np.cumsum(alive), 0
        for place in np.flatnonzero(kinds == _NONE).tolist():
            if before[place] + more >= alpha:
                break
            row, token, logprob = cells.at(place)
            found = self._look_at(row, token, logprob)
            if isinstance(found, Candidate):
                listed[place], alive[place] = found, not found.fate
            else:
                kinds[place], alive[place] = found, True
                groups[place] = self._group(self._numbered[found], self._lineages[row])
            more += int(alive[place])
        total = np.cumsum(alive)
        is_full = bool(len(total)) and int(total[-1]) >= alpha
        end = int(np.searchsorted(total, alpha)) + 1 if is_full else len(total)
        self.alive += int(total[end - 1]) if end else 0
        likeliest = self._likeliest(groups[:end])
        if self._lists_dropped:
            likeliest += np.flatnonzero((kinds[:end] != _NONE) & ~alive[:end]).tolist()
        for place in likeliest:
            row, token, logprob = cells.at(place)
            kind = self._numbered[kinds[place]]
            listed[place] = kind.candidate(row, token, logprob, () if kind.fate else self._lineages[row])
        self.considered += [listed[place] for place in sorted(listed)]
        return is_full

    def _likeliest(self, groups: NDArray[np.int64]) -> list[int]:
        """Return the places of the candidates to list: of each group the first ones."""
        places: list[int] = []
        for group in range(len(self._groups)):
            own = np.flatnonzero(groups == group)
            if self._enough is not None and len(own) > self._enough:
                own, self.is_cut = own[: self._enough], True
            places += own.tolist()
        return places

    # -- kinds ----------------------------------------------------------------------------------

    def _usual_kinds(self, cells: Cells) -> NDArray[np.int64]:
        """Return the number of every candidate's kind, or `_NONE` where it has to be looked at.

        Candidates of a row are of one kind if their tokens open alike, and have the same effect on a blank
        text.
        """
        kinds = np.full(len(cells.tokens), _NONE)
        if not self._has_usual_kinds or not len(kinds):
            return kinds
        matcher, shapes = self.beam.constraint.matcher, self.beam.constraint.vocabulary.shapes
        openings = self._openings()
        variants = max(len(opening.found) for opening in openings)
        by_row = np.stack([opening.variant for opening in openings])  # [rows, first characters]
        variant = by_row[cells.rows, shapes.opening[cells.tokens]].astype(np.int64)
        effect = self._effects(cells)
        variant[effect == UNKNOWN] = 0
        usual = np.flatnonzero(variant)
        effects = ENDINGS + matcher.usual.known_effects
        keys = (cells.rows[usual] * variants + variant[usual]) * effects + effect[usual]
        numbers = np.full(len(openings) * variants * effects, _NONE)
        numbers[keys] = 0
        for key in np.flatnonzero(numbers == 0).tolist():
            (row, opening), after = divmod(key // effects, variants), key % effects
            numbers[key] = self._number_after(row, openings[row].found[opening], after)
        kinds[usual] = numbers[keys]
        self._leave_exceptions(cells, kinds)
        return kinds

    def _effects(self, cells: Cells) -> NDArray[np.int64]:
        """Return the effect of every token on a blank text: how it ends, or else `ENDINGS` and a number."""
        matcher, usual = self.beam.constraint.matcher, self.beam.constraint.matcher.usual
        effect = self.beam.constraint.vocabulary.shapes.ending[cells.tokens].astype(np.int64)
        blanks = np.array([usual.blank_before(hypothesis.state) for hypothesis in self.beam.hypotheses])
        before = blanks[cells.rows]
        for blank in set(blanks.tolist()):
            usual.learn_effects(blank, cells.tokens[before == blank])
        touching = matcher.lifting.touching[cells.tokens]
        for blank in set(blanks.tolist()):
            own = np.flatnonzero((touching > 0) & (before == blank))
            known = usual.effects(blank)[touching[own]]
            effect[own] = np.where(known < 0, UNKNOWN, known + ENDINGS)
        return effect

    def _number_after(self, row: int, completed: int, effect: int) -> int:
        """Return the kind after a token that completes phrases at once and then has this effect.

        `_NONE` where a required phrase may end, and make a list.
        """
        matcher, hypothesis = self.beam.constraint.matcher, self.beam.hypotheses[row]
        if effect < ENDINGS:
            state = matcher.usual.blank_states(hypothesis.state)[effect]
            return self._number(state, hypothesis.found | completed)
        state, found = matcher.usual.effect(effect - ENDINGS)
        if (found | matcher.provisional(state)) & self._required:
            return _NONE
        return self._number(state, hypothesis.found | completed | found)

    def _openings(self) -> list[Openings]:
        """Return for every row what first characters do to its text; 0 where one has to look."""
        matcher = self.beam.constraint.matcher
        openings: list[Openings] = []
        for hypothesis in self.beam.hypotheses:
            opening = matcher.usual.openings(hypothesis.state)
            # A required phrase that these characters complete may be the last one of a list, unless the text
            # has ended with it before.
            listing = self._required & ~matcher.provisional(hypothesis.state)
            if any(found & listing for found in opening.found):
                usual = np.array([not found & listing for found in opening.found])
                opening = Openings(opening.variant * usual[opening.variant], opening.found)
            openings.append(opening)
        return openings

    def _leave_exceptions(self, cells: Cells, kinds: NDArray[np.int64]) -> None:
        """Leave out the candidates about which something else than their kind decides."""
        if self._ends_soon:
            kinds[self.beam.constraint.vocabulary.ends_sentence[cells.tokens]] = _NONE
        for row in self._due:
            kinds[(cells.rows == row) & self.beam.constraint.vocabulary.ends_sentence[cells.tokens]] = _NONE
        for row in self._opening:
            own = np.flatnonzero(cells.rows == row)
            kinds[own[self.beam.open_badly(row, cells.tokens[own].tolist())]] = _NONE
        if any(kind.fate == "budget" for kind in self._numbered):
            # The first token of a plan is not dropped for time.
            for row in range(len(self.beam.hypotheses)):
                planned = self.beam.first_of_plan(row)
                if planned is not None:
                    kinds[(cells.rows == row) & (cells.tokens == planned)] = _NONE

    def _number(self, state: int, found: int) -> int:
        """Return the number of a kind."""
        number = self._kinds.get((state, found))
        if number is None:
            number = self._kinds[state, found] = len(self._numbered)
            self._numbered.append(self._kind(state, found))
        return number

    def _kind(self, state: int, found: int) -> _Kind:
        if state == DEAD:
            nothing = self.beam.constraint.tracker.status(found)
            return _Kind(state, found, nothing, "not text", 0.0, False, False, False)
        outlook = self.beam.constraint.outlook(state, found)
        status = outlook.status
        bonus, inside = rank(self.beam.settings, outlook)
        stage = self._stage(state)
        fate = self.beam.fate(state, found, status)
        paid = self._ends_soon and not fate and self.beam.constraint.planner.may_end(state, found)
        ending = self.beam.constraint.matcher.provisional(state) & self.beam.constraint.tracker.wanted
        after_phrase = bool(ending) and self.beam.settings.max_run > 0
        return _Kind(state, found, status, fate, bonus, inside, paid, after_phrase, stage)

    def _group(self, kind: _Kind, lineage: TokenIds) -> int:
        """Return the number of the group of candidates that rank alike."""
        status = kind.status
        rank = (status.satisfied, status.irreversible, kind.inside, kind.bonus, kind.stage, lineage)
        return self._groups.setdefault(rank, len(self._groups))

    # -- single candidates ----------------------------------------------------------------------

    def _look_at(self, row: int, token: int, logprob: float) -> Candidate | int:
        """Return a candidate, or the number of its kind if nothing else decides about it."""
        beam, vocabulary = self.beam, self.beam.constraint.vocabulary
        if token in vocabulary.end_ids or beam.settings.stop_strings:
            return self._by_itself(row, token, logprob)
        hypothesis = beam.hypotheses[row]
        state, new = beam.constraint.matcher.step(hypothesis.state, token)
        number = self._number(state, new | hypothesis.found)
        kind = self._numbered[number]
        if kind.fate == "budget" and beam.is_planned(row, token):
            return self._by_itself(row, token, logprob)
        fate = kind.fate or self._own_fate(kind, new, row, token, logprob)
        if fate:
            return kind.candidate(row, token, logprob, fate=fate)
        if token in vocabulary.sentence_ends and (kind.paid or row in self._crowded or row in self._due):
            candidate = kind.candidate(row, token, logprob, self._lineages[row])
            candidate.closes = True
            return candidate
        return number

    def _own_fate(self, kind: _Kind, new: int, row: int, token: int, logprob: float) -> str:
        """Return why the beam drops a candidate of a kind that it does not drop; "" if it does not."""
        beam = self.beam
        if beam.closing.in_time and not self._ends_well(kind, row, token, logprob):
            return "no room"
        if (kind.after_phrase or new & self._required) and beam.lists(row, token, kind.state):
            return "list"
        return "opening" if row in self._opening and beam.open_badly(row, [token])[0] else ""

    def _ends_well(self, kind: _Kind, row: int, token: int, logprob: float) -> bool:
        """Return whether a candidate leads to a proper end, where the formula limits the length of a text.

        The plan of a row need not: where nothing else is left, `add_planned` takes it.
        """
        beam, hypothesis = self.beam, self.beam.hypotheses[row]
        closing = beam.closing
        if closing.fills_up(hypothesis, token, logprob) or closing.breaks_line(hypothesis, token):
            ends_well = beam.owed_tokens(row) is not None
        elif token in beam.constraint.vocabulary.sentence_ends:
            ends_well = self._closes_properly(row, token, logprob)
        else:
            before = beam.constraint.status(hypothesis.state, hypothesis.found)
            pays = kind.status.satisfied > before.satisfied
            ends_well = pays or row not in self._crowded or closing.leads_to_end(hypothesis, token, logprob)
        # The signs inside of a wanted phrase, such as "P.S.", end nothing and fill nothing up.
        return ends_well or beam.continues_phrase(row, token)

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

    def _stage(self, state: int) -> tuple[int, ...]:
        return self.beam.constraint.matcher.stage(state) + self.beam.closing.landing(state)

    def _add_by_itself(self, row: int, token: int, logprob: float) -> None:
        candidate = self._by_itself(row, token, logprob)
        self.alive += not candidate.fate
        self.considered.append(candidate)

    def _by_itself(self, row: int, token: int, logprob: float) -> Candidate:
        """Return a candidate that shares nothing with others."""
        candidate = self.beam.consider(row, token, logprob)
        if not candidate.fate:
            outlook = self.beam.constraint.outlook(candidate.state, candidate.found)
            bonus, candidate.inside = rank(self.beam.settings, outlook)
            candidate.score = logprob + bonus
            candidate.stage = self._stage(candidate.state)
            candidate.lineage = self._lineages[row]
        return candidate


def rank(settings: SearchSettings, outlook: Outlook) -> tuple[float, bool]:
    """Return the bonus on the log-likelihood, and whether the text is inside a wanted phrase, for its group.

    The bonus is lambda times the largest matched fraction of a literal of a clause in S1. Beyond the paper: a
    text that would fail if it ended here gets less, since its last word still has to become another one; and
    a wish adds its weight where it is true, or the matched fraction of it.
    """
    bonus = settings.lambda_ * outlook.fraction - settings.doubt * outlook.would_fail + outlook.wished
    return bonus, settings.phrase_groups and outlook.inside
