"""The beam of one input: its hypotheses, and the fate of their candidates.

The beam knows the input's constraint and budget and nothing of models or tensors: it forbids tokens,
works out the state of a candidate, and turns chosen candidates into hypotheses.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import Enum
from typing import NamedTuple

from neurologic.feasibility.compiled_constraint import CompiledConstraint
from neurologic.feasibility.rooms import MUCH_ROOM
from neurologic.logic.sentences import ends_sentence
from neurologic.matching.advancing_tokens import as_written
from neurologic.matching.clause_tracker import Status
from neurologic.matching.matcher import DEAD
from neurologic.matching.vocabulary import TokenIds
from neurologic.search.drawn_texts import DrawnTexts
from neurologic.search.finished_texts import FinishedTexts, normalised
from neurologic.search.hypothesis import Candidate, Ending, Finished, Hypothesis
from neurologic.search.progress import common_beginning
from neurologic.search.sentence_ends import closes_a_word, goes_on
from neurologic.search.settings import SearchSettings
from neurologic.search.two_prompts import Twin
from neurologic.search.wording import Wording

# Words of room that a text which owes a phrase keeps beyond those that paying takes, so that the phrase gets
# a proper sentence; and the room at which a text should look for an end.
_SPARE_WORDS = 3
_CROWDED = 5
# Tokens at the beginning of a text that tell lineages apart, and how likely the next part of a word must be
# where the text may have no further word: otherwise it is an odd word that no one meant.
_LINEAGE = 4
_LIKELY_WORD_PART = -3.0
# Tokens that a text may still take when the time is up, to pay what it owes.
_LITTLE = 24

# Longer than any text: no limit, where only the existence of a plan counts.
_UNLIMITED = 1 << 30


class Rule(Enum):
    """The candidates that the beam drops, and when a text may end.

    The first four are for decoders with a payment plan: each drops less, and promises less, than the one
    before it. The last two are for decoders without plans.
    """

    BUDGET = "drop candidates whose payment plan does not fit into the budget: the guarantee"
    SOLVABLE = "drop candidates without any payment plan: best effort"
    LAWFUL = "drop candidates with a clause in S2: write nothing forbidden"
    ANYTHING = "drop none, for one step in which nothing else is left"
    UNPLANNED = "drop none, but let a text end only when all clauses hold"
    FREE = "drop none, not even special tokens; a text may end at any time"


# The rules that refuse stop strings in texts that still owe something.
_PLANNED = (Rule.BUDGET, Rule.SOLVABLE)
_RELAXED = {Rule.BUDGET: Rule.SOLVABLE, Rule.SOLVABLE: Rule.LAWFUL, Rule.LAWFUL: Rule.ANYTHING}


class _Owed(NamedTuple):
    """The tokens a row may still take; empty means any.

    forced  whether the budget leaves no others. False when the formula alone forces the token: a phrase that
            may not be started twice must be finished now.
    """

    tokens: tuple[int, ...] = ()
    forced: bool = False


class Beam:
    """Hypotheses and finished texts of one input.

    limit   the most tokens of a text
    random  the source of this input's random choices, so that they do not depend on others in the batch
    calls   how often the model has read a text of this input one token further, in roll-outs as well
    reused  steps of roll-outs that needed no such call, since an earlier one had made it
    """

    def __init__(
        self,
        constraint: CompiledConstraint,
        settings: SearchSettings,
        *,
        rule: Rule = Rule.BUDGET,
        before: str = "",
        opening: int = 0,
        earlier: TokenIds = (),
        forced_end: bool = False,
        seed: int = 0,
        twin: Twin | None = None,
        prompts: Sequence[TokenIds] = (),
        openings: Sequence[str] = (),
    ) -> None:
        """Start with one empty hypothesis.

        before      the text directly before this one
        opening     given tokens that count as generated ones in all lengths, as in Hugging Face
        earlier     tokens before the text whose n-grams the text must not repeat either
        forced_end  whether the model's own settings force an end token at the limit, which takes one token
        twin        the second prompt, which scores texts that owe something
        prompts     tokens of which the text must not repeat long runs
        openings    beginnings that the text must not have, in lower case
        """
        self.constraint = constraint
        self.settings = settings
        self.limit = max(1, settings.max_new_tokens - opening)
        self.hypotheses = [Hypothesis((), b"", 0.0, 0.0, constraint.matcher.start(before), 0)]
        self.random = random.Random(seed)
        self.finished = (
            DrawnTexts(settings, self.random)
            if settings.do_sample
            else FinishedTexts(settings, by_score=rule is Rule.FREE)
        )
        self.budget = self.limit - forced_end
        self._opening = opening
        self._before = before
        start = self.hypotheses[0].state
        self._wording = Wording(
            constraint, settings, start=start, earlier=earlier, prompts=prompts, openings=openings
        )
        self.rule = rule
        self.promised = False
        self.twin = twin
        self.calls = 0
        self.reused = 0
        self._reserve = 0
        self._spread = 0
        self._spare_words = 0
        self._tight: dict[int, _Owed] = {}
        if rule is Rule.BUDGET:
            self._make_promise()

    def _make_promise(self) -> None:
        """Promise satisfaction if the payment plan fits into the budget."""
        planner, start = self.constraint.planner, self.hypotheses[0].state
        self.promised = planner.fits(start, 0, self.budget)
        if not self.promised:
            self.rule = Rule.SOLVABLE
        spare = self.budget - len(planner.plan(start, 0) or ())
        self._reserve = max(0, min(int(self.settings.reserve * self.budget), spare))
        others = self.constraint.status(start, 0).unsatisfied.bit_count() - 1
        if others > 0:
            spare = max(0, spare - self._reserve)
            self._spread = min(int(self.settings.spread * self.budget), spare // others)
        if self.closes_in_time:
            # Where there is hardly room for the phrases, keep less.
            self._spare_words = _SPARE_WORDS
            while self._spare_words and not self._fits_after_words(start, 0, 2 * self._spare_words):
                self._spare_words -= 1

    @property
    def length(self) -> int:
        """Tokens generated so far; all hypotheses of a beam have the same number."""
        return len(self.hypotheses[0].tokens)

    @property
    def left(self) -> int:
        """Tokens left after the next one."""
        return self.budget - self.length - 1

    @property
    def ends_soon(self) -> bool:
        """Whether only the tokens are left that were kept for a proper end."""
        return self.settings.whole_sentences and self.left < self._reserve

    def time_to_pay(self, status: Status) -> int:
        """Return how many of the tokens left a text may use to satisfy its clauses.

        Keep the last ones for a proper end: a word forced at the very end truncates the text. Keep some for
        every clause but one: if the budget forces several, they should not stand side by side. Where all
        clauses hold, and only a word or a character is unfinished, a text may use all of them.
        """
        if not status.unsatisfied:
            return self.left
        return self.left - self._reserve - self._spread * (status.unsatisfied.bit_count() - 1)

    def owes(self, hypothesis: Hypothesis) -> bool:
        """Return whether a text still wants a phrase or a length; a provisional phrase does not count."""
        if self.constraint.rooms is not None:
            return True  # where it ends is part of what it owes
        return bool(self.constraint.settled(hypothesis.state, hypothesis.found).wanted)

    def twin_weight(self, hypothesis: Hypothesis) -> float:
        """Return the weight of the second prompt for a text; 0 if the text owes nothing, or has no twin.

        The prompt with the hint weighs more and more as the time to pay runs out.
        """
        if self.twin is None or not self.owes(hypothesis):
            return 0.0
        owed = self.constraint.settled(hypothesis.state, hypothesis.found).unsatisfied.bit_count()
        deadline = self.budget - self._reserve - self._spread * (owed - 1)
        urgency = min(1.0, len(hypothesis.tokens) / max(1, deadline))
        return self.twin.weight_at(urgency * self.settings.hint_urgency)

    def count_calls(self) -> None:
        """Count the texts that the model has read one token further, those after a twin as well."""
        self.calls += len(self.hypotheses)
        if self.twin is not None:
            self.calls += sum(map(self.owes, self.hypotheses))

    @property
    def keeps_promise(self) -> bool:
        """Whether the guarantee has held so far."""
        return self.rule is Rule.BUDGET

    def relax(self) -> bool:
        """Drop fewer candidates, since none is left; return False where that would not help.

        Only a caller's processors, a plan that is too long, or a formula without a plan lead here.
        """
        if self.rule not in _RELAXED or any(map(self.may_end, range(len(self.hypotheses)))):
            return False
        self.rule = _RELAXED[self.rule]
        self._tight = {}
        return True

    # -- forbidden tokens -----------------------------------------------------------------------

    def may_end(self, row: int) -> bool:
        """Return whether the end token may follow the row's text."""
        hypothesis = self.hypotheses[row]
        if self.length + self._opening < self.settings.min_new_tokens:
            return False
        if self.rule is Rule.FREE:
            return True
        if self.rule is Rule.ANYTHING:
            return self.constraint.matcher.may_end(hypothesis.state)
        return self.constraint.planner.may_end(hypothesis.state, hypothesis.found)

    def owed_tokens(self, row: int) -> tuple[int, ...] | None:
        """Return the tokens a row may take if it has just enough left for its plan; None means any."""
        if row not in self._tight:
            self._tight[row] = self._owed_tokens(self.hypotheses[row])
        return self._tight[row].tokens or None

    def is_forced(self, row: int) -> bool:
        """Return whether the budget leaves a row no choice but to pay now."""
        return self._tight.get(row, _Owed()).forced

    def plan_length(self, hypothesis: Hypothesis) -> int | None:
        """Return how many tokens a text needs to pay all that it owes; None if no plan is known, or kept."""
        if self.rule in (Rule.UNPLANNED, Rule.FREE):
            return None
        plan = self.constraint.planner.plan(hypothesis.state, hypothesis.found)
        return None if plan is None else len(plan)

    def _owed_tokens(self, hypothesis: Hypothesis) -> _Owed:
        planner = self.constraint.planner
        state, found = hypothesis.state, hypothesis.found
        if self.rule is not Rule.BUDGET or planner.may_end(state, found):
            return _Owed()
        blank = planner.after_reset(state)
        if blank is None:
            return _Owed()
        # If any uninteresting token leaves enough for the plan, the row may take any token.
        later = [found | self.constraint.matcher.provisional(state), found]
        for present in later:
            status = self.constraint.status(blank, present)
            in_time = planner.fits(blank, present, self.time_to_pay(status))
            if in_time and self._has_room_to_pay(blank, present, status):
                return _Owed()
        wanted = self.constraint.status(state, found).wanted
        if self.constraint.matcher.joint is not None and not (wanted and self._has_plan(blank, later)):
            # Nothing is owed that a few tokens write, such as a length: each candidate's own plan decides.
            return _Owed()
        plan = planner.plan(state, found) or ()
        advancing = self.constraint.advancing(state, wanted)
        # Force words as the user wrote them: " Uppsala" and not " uppsala".
        opens = self._opens_sentence(hypothesis)
        matcher, text = self.constraint.matcher, hypothesis.text
        advancing = as_written(matcher, state, advancing, wanted, text, opens=opens) or advancing
        if not self.constraint.matched_fraction(state, wanted):
            # Begin a phrase with a space before it where possible: " tree" and not ".tree".
            pieces = self.constraint.vocabulary.pieces
            spaced = tuple(token for token in advancing if (pieces[token] or b"")[:1].isspace())
            follows_directly = bool(plan) and not (pieces[plan[0]] or b"")[:1].isspace()
            advancing = advancing if follows_directly else spaced or advancing
        # Where other tokens lead to no plan at all, more time would not help.
        forced = self._has_plan(blank, later)
        return _Owed(tuple(sorted({*advancing, *plan[:1]})), forced)

    def _has_plan(self, state: int, founds: Iterable[int]) -> bool:
        """Return whether there is a plan for a state with one of several sets of phrases."""
        return any(self.constraint.planner.plan(state, found) is not None for found in founds)

    def planned_token(self, row: int) -> int | None:
        """Return the first token of the row's plan, and note that it is forced; None if it has none."""
        hypothesis = self.hypotheses[row]
        plan = self.constraint.planner.plan(hypothesis.state, hypothesis.found)
        if not plan:
            return None
        self._tight[row] = _Owed(forced=True)
        return plan[0]

    def _opens_sentence(self, hypothesis: Hypothesis) -> bool:
        """Return whether a sentence opens after a text."""
        text = self._before + hypothesis.text[-80:].decode(errors="ignore")
        return not text.strip() or ends_sentence(text)

    def unwritable_tokens(self, row: int) -> list[int]:
        """Return the tokens of the whole vocabulary that would make the text invalid UTF-8, or not NFC."""
        matcher, state = self.constraint.matcher, self.hypotheses[row].state
        ends = self.constraint.vocabulary.end_ids
        tokens = range(len(self.constraint.vocabulary))
        return [token for token in tokens if token not in ends and matcher.step(state, token)[0] == DEAD]

    def repeating_tokens(self, row: int) -> Iterable[int]:
        """Yield tokens that would repeat an n-gram or a prompt, except those that a phrase or plan needs."""
        hypothesis = self.hypotheses[row]
        for token in self._wording.repeating_tokens(hypothesis.tokens):
            # The guarantee rests on the plan's first token, so never block that one either.
            if not self._is_planned(hypothesis, token) and not self._advances(hypothesis, token):
                yield token

    def _advances(self, hypothesis: Hypothesis, token: int) -> bool:
        """Return whether a token completes or continues a wanted phrase."""
        state, found = self.constraint.matcher.step(hypothesis.state, token)
        if state == DEAD:
            return False
        wanted = self.constraint.status(hypothesis.state, hypothesis.found).wanted
        found |= self.constraint.matcher.provisional(state)
        return bool(found & wanted) or self.constraint.matched_fraction(state, wanted) > 0

    def is_planned(self, row: int, token: int) -> bool:
        """Return whether a token is the first of the row's plan, which the beam never drops for time."""
        return self._is_planned(self.hypotheses[row], token)

    def _is_planned(self, hypothesis: Hypothesis, token: int) -> bool:
        if self.rule in (Rule.UNPLANNED, Rule.FREE):
            return False
        plan = self.constraint.planner.plan(hypothesis.state, hypothesis.found)
        return plan is not None and plan[:1] == (token,)

    # -- candidates -----------------------------------------------------------------------------

    def consider(self, row: int, token: int, logprob: float) -> Candidate:
        """Return the candidate that continues a row with a token, with its fate if the beam drops it."""
        hypothesis = self.hypotheses[row]
        constraint = self.constraint
        if token in constraint.vocabulary.end_ids:
            present = constraint.present(hypothesis.state, hypothesis.found)
            status = constraint.tracker.at_end(present)
            return Candidate(row, token, logprob, hypothesis.state, present, status, ends=True)
        state, found = constraint.matcher.step(hypothesis.state, token)
        found |= hypothesis.found
        if state == DEAD:
            status = constraint.status(hypothesis.state, hypothesis.found)
            if self.rule is Rule.FREE:  # bytes that are not text may follow; the matcher stays behind
                return Candidate(row, token, logprob, hypothesis.state, hypothesis.found, status)
            return Candidate(row, token, logprob, state, found, status, fate="not text")
        status = constraint.outlook(state, found).status
        candidate = Candidate(row, token, logprob, state, found, status)
        candidate.fate = self.fate(state, found, status)
        if candidate.fate == "budget" and self._is_planned(hypothesis, token):
            # The first token of the row's plan need not leave time for an end.
            candidate.fate = "" if constraint.planner.fits(state, found, self.left) else "budget"
        if not candidate.fate and self.rule in _PLANNED:
            if self.settings.stop_strings and self._stops_too_early(hypothesis, candidate):
                candidate.fate = "stop string too early"
            elif self.lists(row, token, state):
                candidate.fate = "list"
            elif self._opens_badly(row, token):
                candidate.fate = "opening"
        return candidate

    def fate(self, state: int, found: int, status: Status) -> str:
        """Return why the beam drops candidates with this state and these phrases; "" if it does not."""
        if self.rule in (Rule.ANYTHING, Rule.UNPLANNED, Rule.FREE):
            return ""
        if status.failed:
            return "S2"
        fits = self.constraint.planner.fits
        if self.rule is Rule.BUDGET:
            in_time = fits(state, found, self.time_to_pay(status))
            if not in_time or not self._has_room_to_pay(state, found, status):
                return "budget"
        if self.rule is Rule.SOLVABLE and not fits(state, found, _UNLIMITED):
            return "no way left"
        return ""

    def _has_room_to_pay(self, state: int, found: int, status: Status) -> bool:
        """Return whether a text that owes a phrase or a sentence may have some more words before it pays."""
        rooms = self.constraint.rooms
        if not self._spare_words or rooms is None or self.constraint.room(state) >= MUCH_ROOM:
            return True
        if not status.wanted and not status.unsatisfied & rooms.of_units:
            return True
        return self._fits_after_words(state, found, self._spare_words)

    def _fits_after_words(self, state: int, found: int, words: int) -> bool:
        planner = self.constraint.planner
        after = self.constraint.matcher.read(state, planner.filler * words)
        return after is not None and planner.fits(after[0], found | after[1], self.left)

    @property
    def closes_in_time(self) -> bool:
        """Whether the formula limits a length, and sentences should end properly before it."""
        return self.settings.whole_sentences and self.constraint.rooms is not None

    def lineage(self, row: int) -> TokenIds:
        """Return how a text begins, where the formula limits its length; else nothing.

        A sentence that must end after so many words ends well only by luck. Variants of one sentence share
        that luck, so different ones should go on side by side.
        """
        return self.hypotheses[row].tokens[:_LINEAGE] if self.closes_in_time else ()

    def is_crowded(self, row: int) -> bool:
        """Return whether a text, or its sentence, is soon too long: it should look for an end."""
        return self.constraint.room(self.hypotheses[row].state) <= _CROWDED

    def is_full(self, row: int) -> bool:
        """Return whether one more word would make a text, or its sentence, too long."""
        return self.constraint.room(self.hypotheses[row].state) == 0

    def closes_properly(self, row: int, token: int) -> bool:
        """Return whether a token that ends a sentence does so after a word; the plan may do it anyhow."""
        piece = self.constraint.vocabulary.pieces[token] or b""
        return closes_a_word(self.hypotheses[row].text, piece) or self.is_planned(row, token)

    def leads_to_end(self, row: int, token: int, logprob: float, *, is_full: bool) -> bool:
        """Return whether a token, which ends no sentence, may follow where room is short.

        A line is not broken in the middle of a sentence, and symbols that add no word, such as rows of
        asterisks, only put off what is owed. Where no further word may follow, only the last word may be
        finished.
        """
        vocabulary, hypothesis = self.constraint.vocabulary, self.hypotheses[row]
        piece = vocabulary.pieces[token] or b""
        if b"\n" in piece:
            return self._ends_before_break(hypothesis, token) or self.is_planned(row, token)
        if not is_full:
            return goes_on(hypothesis.text, piece) or self.is_planned(row, token)
        in_word = self.constraint.matcher.position(hypothesis.state).in_word
        is_likely = logprob - hypothesis.logprob > _LIKELY_WORD_PART
        return (in_word and is_likely and token in vocabulary.word_parts) or self.is_planned(row, token)

    def _ends_before_break(self, hypothesis: Hypothesis, token: int) -> bool:
        """Return whether a line break in a token comes after the end of a sentence."""
        before = (self.constraint.vocabulary.pieces[token] or b"").partition(b"\n")[0]
        return ends_sentence((hypothesis.text[-80:] + before).decode(errors="ignore"))

    def may_open_badly(self, row: int) -> bool:
        """Return whether the next token of a row may complete a bad beginning."""
        return self._wording.may_open_badly(self.hypotheses[row].text)

    def _opens_badly(self, row: int, token: int) -> bool:
        """Return whether a text now begins as it must not; one that has to pay now may do that."""
        if not self.may_open_badly(row):
            return False
        text = self.text_after(self.hypotheses[row], token)
        return self._wording.opens_badly(text) and self.owed_tokens(row) is None

    def lists(self, row: int, token: int, state: int) -> bool:
        """Return whether a token makes too long a row of required phrases.

        A row that has to pay now may, since the guarantee rests on it. Any other row has other tokens.
        """
        hypothesis = self.hypotheses[row]
        run = self._wording.run_after(hypothesis, self.text_after(hypothesis, token), token, state)
        return run != hypothesis.run and self._wording.is_list(run) and self.owed_tokens(row) is None

    def _stops_too_early(self, hypothesis: Hypothesis, candidate: Candidate) -> bool:
        """Return whether a stop string would end a text that owes something and does not need the string."""
        if not self.stops(self.text_after(hypothesis, candidate.token), len(hypothesis.text)):
            return False
        if self.constraint.planner.may_end(candidate.state, candidate.found):
            return False
        planned = self._is_planned(hypothesis, candidate.token)
        return not planned and not self._advances(hypothesis, candidate.token)

    def stops(self, text: bytes, since: int) -> bool:
        """Return whether a stop string ends in `text` after the first `since` bytes."""
        stops = (stop.encode() for stop in self.settings.stop_strings)
        return any(stop in text[max(0, since - len(stop) + 1) :] for stop in stops)

    def text_after(self, hypothesis: Hypothesis, token: int) -> bytes:
        vocabulary = self.constraint.vocabulary
        pieces = vocabulary.pieces
        if vocabulary.first_pieces is not None and self.constraint.matcher.position(hypothesis.state).first:
            pieces = vocabulary.first_pieces
        return hypothesis.text + (pieces[token] or b"")

    # -- moving on ------------------------------------------------------------------------------

    def extended(self, candidate: Candidate) -> Hypothesis:
        """Return the hypothesis that a chosen candidate becomes."""
        hypothesis = self.hypotheses[candidate.row]
        text, run = hypothesis.text, hypothesis.run
        step = candidate.logprob - hypothesis.logprob if candidate.own is None else candidate.own
        if not candidate.ends:
            text = self.text_after(hypothesis, candidate.token)
            run = self._wording.run_after(hypothesis, text, candidate.token, candidate.state)
        return Hypothesis(
            tokens=(*hypothesis.tokens, candidate.token),
            text=text,
            logprob=candidate.logprob,
            own=candidate.logprob if candidate.own is None else hypothesis.own + candidate.own,
            state=candidate.state,
            found=candidate.found,
            forced=hypothesis.forced + self.is_forced(candidate.row),
            memory=candidate.memory,
            rows=(*hypothesis.rows, candidate.row),
            steps=(*hypothesis.steps, step),
            whole=self._whole(hypothesis, candidate),
            run=run,
        )

    def _whole(self, hypothesis: Hypothesis, candidate: Candidate) -> Hypothesis | None:
        """Return the longest beginning of a text, before the candidate's token, where it may be cut.

        A full stop ends a sentence only if whitespace follows: the token decides about "3." and "3.5".
        """
        following = self.constraint.vocabulary.pieces[candidate.token] or b" "
        apart = following[:1].isspace() or hypothesis.text[-1:].isspace()
        return replace(hypothesis, whole=None) if apart and self._is_whole(hypothesis) else hypothesis.whole

    def _is_whole(self, hypothesis: Hypothesis) -> bool:
        """Return whether a text ends with a sentence and owes nothing."""
        return (
            self.settings.whole_sentences
            and self.rule not in (Rule.UNPLANNED, Rule.FREE)
            and len(hypothesis.tokens) + self._opening >= self.settings.min_new_tokens
            and ends_sentence(hypothesis.text[-80:].decode(errors="ignore"))
            and self.has_paid(hypothesis)
        )

    def has_paid(self, hypothesis: Hypothesis) -> bool:
        """Return whether a text that ends here satisfies every clause."""
        if self.rule is Rule.FREE:
            return True  # also inside a character, where the matcher has stayed behind
        return self.constraint.planner.may_end(hypothesis.state, hypothesis.found)

    def finish(self, hypothesis: Hypothesis, ending: Ending) -> None:
        """Put a text among the finished ones; the end settles provisional words."""
        present = self.constraint.present(hypothesis.state, hypothesis.found)
        length, penalty = len(hypothesis.tokens) + self._opening, self.settings.length_penalty
        self.finished.add(
            Finished(
                tokens=hypothesis.tokens,
                text=hypothesis.text,
                logprob=hypothesis.logprob,
                own=hypothesis.own,
                score=normalised(hypothesis.logprob, length, penalty),
                own_score=normalised(hypothesis.own, length, penalty),
                wished=normalised(self.constraint.met_wishes(present), length, penalty),
                satisfied=self.constraint.tracker.at_end(present).satisfied,
                present=present,
                forced=hypothesis.forced,
                ending=ending,
                rows=hypothesis.rows,
                steps=hypothesis.steps,
                memory=hypothesis.memory,
            )
        )

    def finish_all(self, ending: Ending) -> None:
        """Put all unfinished texts among the finished ones, up to their last whole sentence if they can."""
        for hypothesis in self.hypotheses:
            whole = hypothesis if self._is_whole(hypothesis) else hypothesis.whole
            if whole is None or ending == "time":
                self.finish(hypothesis, ending)
            else:
                self.finish(replace(whole, memory=hypothesis.memory), "sentence")

    def last_payment(self) -> tuple[int, int] | None:
        """Return the row that owes least and the next token of its plan; None if that takes long, or nothing.

        When the time is up, a few more tokens for one text are better than a text that breaks its formula.
        """
        paid = self.finished.has_satisfied(len(self.constraint.clauses))
        if self.rule not in _PLANNED or paid or any(map(self.has_paid, self.hypotheses)):
            return None
        planner = self.constraint.planner
        plans = [planner.plan(hypothesis.state, hypothesis.found) for hypothesis in self.hypotheses]
        ranked = [(len(plan), row) for row, plan in enumerate(plans) if plan]
        if not ranked:
            return None
        length, row = min(ranked)
        plan = plans[row]
        return (row, plan[0]) if plan and length <= min(_LITTLE, self.left + 1) else None

    def certain_text(self) -> bytes:
        """Return the beginning that every text has which may still come out of this beam.

        A hypothesis may be cut after its last whole sentence, so no more than that is certain of it. Finished
        texts count, even those that rank low: `generation.judge` may prefer one that reads better.
        """
        texts = [(hypothesis.whole or hypothesis).text for hypothesis in self.hypotheses]
        texts += [text.text for text in (*self.finished.best(), *self.finished.spare())]
        return common_beginning(texts)

    def replace(self, hypotheses: list[Hypothesis]) -> None:
        """Replace the hypotheses with those of the next step."""
        self.hypotheses = hypotheses
        self._tight = {}
        if self.rule is Rule.ANYTHING:
            self.rule = Rule.LAWFUL

    def is_over(self) -> bool:
        """Return whether the search for this input is over."""
        if not self.hypotheses or self.length >= self.limit:
            return True
        best = max(hypothesis.logprob for hypothesis in self.hypotheses)
        best += sum(wish.weight for wish in self.constraint.wishes)
        opening = self._opening
        return self.finished.enough(
            best, self.length + opening, self.limit + opening, len(self.constraint.clauses)
        )
