"""The beam of one input: its hypotheses, and the fate of their candidates.

The beam knows the input's constraint and budget and nothing of models or tensors: it forbids tokens,
works out the state of a candidate, and turns chosen candidates into hypotheses.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace

from neurologic.feasibility.compiled_constraint import CompiledConstraint
from neurologic.matching.clause_tracker import Status
from neurologic.matching.matcher import DEAD
from neurologic.matching.vocabulary import TokenIds
from neurologic.search.closing import Closing
from neurologic.search.debts import Debts
from neurologic.search.drawn_texts import DrawnTexts
from neurologic.search.endings import Endings
from neurologic.search.finished_texts import FinishedTexts
from neurologic.search.hypothesis import Candidate, Ending, Hypothesis
from neurologic.search.payments import Owed
from neurologic.search.progress import common_beginning
from neurologic.search.rules import PLANNED, RELAXED, Rule
from neurologic.search.settings import SearchSettings
from neurologic.search.two_prompts import Twin
from neurologic.search.unwanted_phrases import Unwanted
from neurologic.search.wording import Wording

# Tokens that a text may still take when the time is up, to pay what it owes.
_LITTLE = 24

# Longer than any text: no limit, where only the existence of a plan counts.
_UNLIMITED = 1 << 30


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
        unwanted: Sequence[Unwanted] = (),
        is_traced: bool = False,
    ) -> None:
        """Start with one empty hypothesis.

        before      the text directly before this one
        opening     given tokens that count as generated ones in all lengths, as in Hugging Face
        earlier     tokens before the text whose n-grams the text must not repeat either
        forced_end  whether the model's own settings force an end token at the limit, which takes one token
        twin        the second prompt, which scores texts that owe something
        prompts     tokens of which the text must not repeat long runs
        openings    beginnings that the text must not have, in lower case
        unwanted    phrases that the text must not have
        is_traced   whether a trace shows the candidates that the beam drops
        """
        self.is_traced = is_traced
        self.constraint = constraint = constraint.for_one_text()
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
        start = self.hypotheses[0].state
        self._wording = Wording(
            constraint,
            settings,
            start=start,
            earlier=earlier,
            prompts=prompts,
            openings=openings,
            unwanted=unwanted,
        )
        self.rule = rule
        self.closing = Closing(constraint, settings)
        self._endings = Endings(constraint, settings, opening)
        self.promised = False
        self.twin = twin
        self.calls = 0
        self.reused = 0
        self._debts = Debts(constraint, settings, self.budget, before)
        self._tight: dict[int, Owed] = {}
        if rule is Rule.BUDGET:
            self._make_promise()

    def _make_promise(self) -> None:
        """Promise satisfaction if the payment plan fits into the budget."""
        start = self.hypotheses[0].state
        self.promised = self._debts.promise(start, self.budget)
        if not self.promised:
            self.rule = Rule.SOLVABLE

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
        return self.settings.whole_sentences and self.left < self._debts.deadlines.reserve

    def time_to_pay(self, status: Status) -> int:
        """Return how many of the tokens left a text may use to satisfy its clauses."""
        return self._debts.deadlines.time_to_pay(status, self.left)

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
        urgency = self._debts.deadlines.urgency(owed, len(hypothesis.tokens))
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
        if self.rule not in RELAXED or any(map(self.may_end, range(len(self.hypotheses)))):
            return False
        self.rule = RELAXED[self.rule]
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
            owes = self.rule is Rule.BUDGET
            self._tight[row] = self._debts.owed(self.hypotheses[row], self.left) if owes else Owed()
        return self._tight[row].tokens or None

    def _needs(self, row: int, token: int) -> bool:
        """Return whether the guarantee may rest on this token: the plan's first, or one that pays in time."""
        if self.owed_tokens(row) is not None:
            return True
        return not self._tight[row].can_wait and self.is_planned(row, token)

    def is_forced(self, row: int) -> bool:
        """Return whether the budget leaves a row no choice but to pay now."""
        return self._tight.get(row, Owed()).forced

    def plan_length(self, hypothesis: Hypothesis) -> int | None:
        """Return how many tokens a text needs to pay all that it owes; None if no plan is known, or kept."""
        if self.rule in (Rule.UNPLANNED, Rule.FREE):
            return None
        plan = self.constraint.planner.plan(hypothesis.state, hypothesis.found)
        return None if plan is None else len(plan)

    def sentence_is_due(self, row: int) -> bool:
        """Return whether a row should end its sentence, since what it owes needs that."""
        return self.rule is Rule.BUDGET and self._debts.sentence_is_due(self.hypotheses[row], self.left)

    def continues_phrase(self, row: int, token: int) -> bool:
        """Return whether a token goes on with a wanted phrase that the row's text is inside of."""
        return self._debts.continues_phrase(self.hypotheses[row], token)

    def planned_token(self, row: int) -> int | None:
        """Return the first token of the row's plan, and note that it is forced; None if it has none."""
        hypothesis = self.hypotheses[row]
        plan = self.constraint.planner.plan(hypothesis.state, hypothesis.found)
        if not plan:
            return None
        self._tight[row] = Owed(forced=True)
        return plan[0]

    def unwritable_tokens(self, row: int) -> list[int]:
        """Return the tokens of the whole vocabulary that would make the text invalid UTF-8, or not NFC."""
        matcher, state = self.constraint.matcher, self.hypotheses[row].state
        ends = self.constraint.vocabulary.end_ids
        tokens = range(len(self.constraint.vocabulary))
        return [token for token in tokens if token not in ends and matcher.step(state, token)[0] == DEAD]

    def unwelcome_tokens(self, row: int) -> Iterable[int]:
        """Yield tokens that would repeat an n-gram or a prompt, or write an unwanted phrase.

        Except those that a phrase or a plan needs.
        """
        hypothesis = self.hypotheses[row]
        for token in self._wording.repeating_tokens(hypothesis.tokens):
            # The guarantee rests on the plan's first token, so never block that one either.
            if not self._is_planned(hypothesis, token) and not self._debts.advances(hypothesis, token):
                yield token
        for token in self._wording.unwanted_tokens(hypothesis.text):
            if not self._needs(row, token):
                yield token

    def is_planned(self, row: int, token: int) -> bool:
        """Return whether a token is the first of the row's plan, which the beam never drops for time."""
        return self._is_planned(self.hypotheses[row], token)

    def first_of_plan(self, row: int) -> int | None:
        """Return the first token of the row's plan; None without a plan, or where it is empty."""
        return self._first_of_plan(self.hypotheses[row])

    def _is_planned(self, hypothesis: Hypothesis, token: int) -> bool:
        return self._first_of_plan(hypothesis) == token

    def _first_of_plan(self, hypothesis: Hypothesis) -> int | None:
        if self.rule in (Rule.UNPLANNED, Rule.FREE):
            return None
        plan = self.constraint.planner.plan(hypothesis.state, hypothesis.found)
        return plan[0] if plan else None

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
        if not candidate.fate and self.rule in PLANNED:
            if self.settings.stop_strings and self._stops_too_early(hypothesis, candidate):
                candidate.fate = "stop string too early"
            elif self.lists(row, token, state):
                candidate.fate = "list"
            elif self.open_badly(row, [token])[0]:
                candidate.fate = "opening"
        return candidate

    def fate(self, state: int, found: int, status: Status) -> str:
        """Return why the beam drops candidates with this state and these phrases; "" if it does not."""
        if self.rule in (Rule.ANYTHING, Rule.UNPLANNED, Rule.FREE):
            return ""
        if status.failed:
            return "S2"
        if self.rule is Rule.BUDGET and not self._debts.is_in_time(state, found, status, self.left):
            return "budget"
        if self.rule is Rule.SOLVABLE and not self.constraint.planner.fits(state, found, _UNLIMITED):
            return "no way left"
        return ""

    def may_open_badly(self, row: int) -> bool:
        """Return whether the next token of a row may complete a bad beginning."""
        return self._wording.may_open_badly(self.hypotheses[row].text)

    def open_badly(self, row: int, tokens: Sequence[int]) -> list[bool]:
        """Return which tokens let a text begin as it must not; one on which the guarantee rests may."""
        hypothesis = self.hypotheses[row]
        if not self._wording.may_open_badly(hypothesis.text):
            return [False] * len(tokens)
        pieces = self._pieces_after(hypothesis)
        bad = self._wording.open_badly(hypothesis.text, [pieces[token] or b"" for token in tokens])
        return [is_bad and not self._needs(row, token) for token, is_bad in zip(tokens, bad, strict=True)]

    def lists(self, row: int, token: int, state: int) -> bool:
        """Return whether a token makes too long a row of required phrases.

        A token on which the guarantee rests may. A plan says all that is owed in a row, so as long as the
        text can wait, its plan makes no exception.
        """
        hypothesis = self.hypotheses[row]
        run = self._wording.run_after(hypothesis, self.text_after(hypothesis, token), token, state)
        return run != hypothesis.run and self._wording.is_list(run) and not self._needs(row, token)

    def _stops_too_early(self, hypothesis: Hypothesis, candidate: Candidate) -> bool:
        """Return whether a stop string would end a text that owes something and does not need the string."""
        if not self.stops(self.text_after(hypothesis, candidate.token), len(hypothesis.text)):
            return False
        if self.constraint.planner.may_end(candidate.state, candidate.found):
            return False
        planned = self._is_planned(hypothesis, candidate.token)
        return not planned and not self._debts.advances(hypothesis, candidate.token)

    def stops(self, text: bytes, since: int) -> bool:
        """Return whether a stop string ends in `text` after the first `since` bytes."""
        stops = (stop.encode() for stop in self.settings.stop_strings)
        return any(stop in text[max(0, since - len(stop) + 1) :] for stop in stops)

    def text_after(self, hypothesis: Hypothesis, token: int) -> bytes:
        return hypothesis.text + (self._pieces_after(hypothesis)[token] or b"")

    def _pieces_after(self, hypothesis: Hypothesis) -> Sequence[bytes | None]:
        """Return what tokens add to a text."""
        vocabulary = self.constraint.vocabulary
        if vocabulary.first_pieces is not None and self.constraint.matcher.position(hypothesis.state).first:
            return vocabulary.first_pieces
        return vocabulary.pieces

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
            whole=self._endings.whole(hypothesis, candidate.token, self.rule),
            run=run,
        )

    def has_paid(self, hypothesis: Hypothesis) -> bool:
        """Return whether a text that ends here satisfies every clause."""
        if self.rule is Rule.FREE:
            return True  # also inside a character, where the matcher has stayed behind
        return self.constraint.planner.may_end(hypothesis.state, hypothesis.found)

    def finish(self, hypothesis: Hypothesis, ending: Ending) -> None:
        """Put a text among the finished ones; of one that ends in mid-sentence also what is whole."""
        text = self._endings.finished(hypothesis, ending)
        self.finished.add(text)
        if text.is_stump and hypothesis.whole is not None:
            whole = replace(hypothesis.whole, memory=hypothesis.memory)
            self.finished.add(self._endings.finished(whole, "sentence"))

    def finish_all(self, ending: Ending) -> None:
        """Put all unfinished texts among the finished ones, up to their last whole sentence if they can."""
        for hypothesis in self.hypotheses:
            whole = hypothesis if self._endings.is_whole(hypothesis, self.rule) else hypothesis.whole
            if whole is None or ending == "time":
                self.finish(hypothesis, ending)
            else:
                self.finish(replace(whole, memory=hypothesis.memory), "sentence")

    def last_payment(self) -> tuple[int, int] | None:
        """Return the row that owes least and the next token of its plan; None if that takes long, or nothing.

        When the time is up, a few more tokens for one text are better than a text that breaks its formula.
        """
        paid = self.finished.has_satisfied(len(self.constraint.clauses))
        if self.rule not in PLANNED or paid or any(map(self.has_paid, self.hypotheses)):
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
