"""The batched beam engine: one step for all inputs, for every decoder that works on beams.

The engine owns the rows. Per step it asks the model for scores, applies processors and masks, hands each
input's part to the decoder, and tells the model which rows continue with which tokens. It never looks at
clauses; decoders look at scores, and at models only through a look-ahead. Inputs that are done leave the
batch. Which inputs join it, and when, is up to the caller: see `neurologic.generation.scheduler`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import torch

from neurologic.matching.vocabulary import TokenIds
from neurologic.models.base import LanguageModel
from neurologic.search.beam import Beam
from neurologic.search.decoder import Decoder, Selection
from neurologic.search.hooks import Hooks
from neurologic.search.hypothesis import Candidate, Hypothesis
from neurologic.search.input_output import SearchInput, SearchOutput, TraceProgress
from neurologic.search.look_ahead import LookAhead
from neurologic.search.progress import Progress
from neurologic.search.rules import Rule
from neurologic.search.score_matrix import MINUS_INFINITY, ScoreMatrix
from neurologic.search.settings import SearchSettings, setting_names
from neurologic.search.stopwatch import Stopwatch
from neurologic.search.two_prompts import TwoPromptRows

# Settings that all inputs of a batch have in common: decoders apply them to the whole batch at once.
SHARED_SETTINGS = tuple(sorted(setting_names("sampling", "astar", "rows") | {"num_beams", "alpha"}))

# An input and the number that the caller gave it.
Numbered = tuple[int, SearchInput]


@dataclass(frozen=True, eq=False)
class _Successor:
    """A hypothesis for the next step, and the row of the model's batch that it continues."""

    beam: Beam
    parent: int
    hypothesis: Hypothesis


@dataclass(frozen=True, eq=False)
class _Active:
    """An input in the batch: its number, its beam, its deadline, how a trace names it, and who follows it."""

    number: int
    beam: Beam
    deadline: float | None
    label: object
    traced: TraceProgress | None
    progress: Progress | None

    def output(self) -> SearchOutput:
        beam = self.beam
        return SearchOutput(
            beam.finished.best(),
            beam.promised,
            beam.keeps_promise,
            beam.calls,
            beam.reused,
            beam.finished.ranked(),
            beam.finished.spare(),
        )


def search(
    model: LanguageModel,
    inputs: Sequence[SearchInput],
    decoder: Decoder,
    settings: SearchSettings,
    hooks: Hooks | None = None,
) -> list[SearchOutput]:
    """Write one text per input, all inputs in one batch."""
    engine = Engine(model, decoder, hooks)
    engine.admit([(number, replace(given, settings=settings)) for number, given in enumerate(inputs)])
    outputs: dict[int, SearchOutput] = {}
    while engine.active:
        outputs.update(engine.step())
    return [outputs[number] for number in range(len(inputs))]


class Engine:
    """A batch of searches with one decoder: `admit` adds inputs, `step` takes all of them one token further.

    Inputs may have settings of their own, but must agree in `SHARED_SETTINGS`.
    """

    def __init__(
        self,
        model: LanguageModel,
        decoder: Decoder,
        hooks: Hooks | None = None,
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`now` is the clock for time limits."""
        self.model = model
        self.decoder = decoder
        self.hooks = hooks or Hooks()
        self.stopwatch = self.hooks.stopwatch or Stopwatch()
        self.active: list[_Active] = []
        self.decoding: TwoPromptRows | LookAhead
        self._now = now
        self._dropped: set[int] = set()
        self._forbidden: torch.Tensor
        self._end_ids = sorted(model.vocabulary.end_ids)

    @property
    def can_admit(self) -> bool:
        """Whether inputs may join now: always at the start, later where model and hooks allow it."""
        if not self.active:
            return True
        rows = self.decoding
        return isinstance(rows, TwoPromptRows) and rows.can_admit and not self.hooks.need_equal_lengths

    def admit(self, inputs: Sequence[Numbered]) -> None:
        """Take inputs into the batch and let the model read their prompts."""
        starting = not self.active
        self.active += [self._begin(number, given) for number, given in inputs]
        pairs = [(given.prompt, given.twin) for _, given in inputs]
        with self.stopwatch.part("model"):
            if not starting:
                assert isinstance(self.decoding, TwoPromptRows)
                self.decoding.admit(pairs)
                return
            rows = TwoPromptRows.start(self.model, pairs)
        self.decoding = self.decoder.start(self.model, rows, inputs[0][1].settings)
        forbidden = () if self.decoder.rule is Rule.FREE else self.model.vocabulary.forbidden_ids
        self._forbidden = torch.tensor(forbidden, dtype=torch.long, device=self.decoding.logits.device)

    def drop(self, numbers: Collection[int]) -> None:
        """Take inputs out of the batch with the next step; they give no output."""
        self._dropped.update(numbers)

    def _begin(self, number: int, given: SearchInput) -> _Active:
        settings = given.settings
        beam = Beam(
            given.constraint,
            settings,
            rule=self.decoder.rule,
            before=given.prompt.before,
            opening=len(given.prompt.opening),
            earlier=given.earlier,
            forced_end=self.hooks.forced_end,
            seed=given.seed,
            twin=given.twin,
            prompts=_repeatable(given),
            openings=given.openings,
            unwanted=given.unwanted,
            is_traced=self.hooks.trace is not None
            or (given.traced is not None and given.traced.own is not None),
        )
        deadline = None if settings.max_time is None else self._now() + settings.max_time
        label = number if given.label is None else given.label
        return _Active(number, beam, deadline, label, given.traced, given.progress)

    def _is_traced(self, given: SearchInput) -> bool:
        """Return whether somebody looks at every candidate of an input."""
        traced = given.traced
        return traced is not None and (self.hooks.trace is not None or traced.own is not None)

    def step(self) -> list[tuple[int, SearchOutput]]:
        """Take every input one token further; return the outputs of those that are done."""
        beams = [active.beam for active in self.active]
        scores = self._scores(beams)  # [rows, vocabulary]
        selections = self._select(beams, scores)
        late = self._hurry(selections, scores)
        self._note_own_logprobs(beams, selections)
        successors: list[_Successor] = []
        first_row = 0
        for active, selection in zip(self.active, selections, strict=True):
            rows = len(active.beam.hypotheses)
            if active in late:
                active.beam.finish_all("time")
            elif active.number not in self._dropped:
                successors += self._carry_out(active, selection, first_row)
            first_row += rows
        done = self._move_on(self._apply_criteria(successors, scores))
        outputs = [(active.number, active.output()) for active in done if active.number not in self._dropped]
        self._dropped.difference_update(active.number for active in done)
        for active in self.active:
            if active.progress is not None:
                active.progress.update(active.beam.certain_text())
        return outputs

    def _hurry(self, selections: list[Selection], scores: torch.Tensor) -> list[_Active]:
        """Return the inputs whose time is up; those that owe just a little pay it first, by their plan."""
        late: list[_Active] = []
        first_row = 0
        for place, active in enumerate(self.active):
            if active.deadline is not None and self._now() > active.deadline:
                payment = active.beam.last_payment()
                if payment is None:
                    late.append(active)
                else:
                    row, token = payment
                    so_far = active.beam.hypotheses[row]
                    logprob = so_far.logprob + float(scores[first_row + row, token])
                    candidate = active.beam.consider(row, token, logprob)
                    candidate.memory = so_far.memory
                    selections[place] = Selection.of([candidate])
            first_row += len(active.beam.hypotheses)
        return late

    def _move_on(self, successors: list[_Successor]) -> list[_Active]:
        """Give the beams their new hypotheses, let the model read on, and return the inputs that are done."""
        kept: list[_Successor] = []
        done: list[_Active] = []
        for active in self.active:
            beam = active.beam
            own = [successor for successor in successors if successor.beam is beam]
            beam.replace([successor.hypothesis for successor in own])
            if not beam.is_over():
                kept += own
                continue
            done.append(active)
            if own and beam.length >= beam.limit:
                beam.finish_all("length")
        self.active = [active for active in self.active if active not in done]
        if kept:
            # Made on the CPU, where the model can look at them without waiting for a device.
            parents = torch.tensor([successor.parent for successor in kept])
            tokens = torch.tensor([successor.hypothesis.tokens[-1] for successor in kept])
            with self.stopwatch.part("model"):
                self.decoding.advance(parents, tokens)
            self.decoding.weigh_twins(
                [successor.beam.twin_weight(successor.hypothesis) for successor in kept]
            )
        return done

    # -- scores ---------------------------------------------------------------------------------

    def _scores(self, beams: Sequence[Beam]) -> torch.Tensor:
        """Return log-likelihoods of the next token, [rows, vocabulary], -inf for tokens that are not text."""
        logits = self.decoding.logits.float()
        # A copy either way: processors may change it in place.
        with self.stopwatch.part("log-softmax"):
            scores = logits.clone() if self.decoder.processes_logits else torch.log_softmax(logits, dim=-1)
        if self.decoder.rule is Rule.FREE:
            # As in Hugging Face, where a processor may normalise what is left of the scores.
            scores[_columns(self._blocked(beams), scores.device)] = MINUS_INFINITY
        for processor in self.hooks.processors:
            scores = processor(self.decoding.input_ids(), scores)
        if self.hooks.row_processor is not None:
            rows = [
                (active.number, row) for active in self.active for row in range(len(active.beam.hypotheses))
            ]
            scores = self.hooks.row_processor.process(rows, self.decoding.input_ids(), logits, scores)
        if self.hooks.processors or self.hooks.row_processor is not None:
            scores = scores.clone()  # the processor may keep its tensor, or it may not be writable
        with self.stopwatch.part("log-softmax"):
            if self.decoder.processes_logits:
                scores = torch.log_softmax(scores, dim=-1)
            return scores.index_fill_(-1, self._forbidden, MINUS_INFINITY)

    def _own_scores(self, scores: torch.Tensor) -> torch.Tensor:
        """Return the scores after the users' own prompts; the same tensor if no text has a twin."""
        alone = self.decoding.alone
        if alone is None:
            return scores
        own = alone.clone()
        for processor in self.hooks.processors:
            own = processor(self.decoding.input_ids(), own).clone()
        return own.index_fill_(-1, self._forbidden, MINUS_INFINITY)

    @contextmanager
    def _allowed(self, beams: Sequence[Beam], scores: torch.Tensor) -> Iterator[ScoreMatrix]:
        """Give cumulative log-likelihoods, -inf where a beam does not allow a token.

        The scores themselves are masked and restored at the end: copying all of them would take longer than
        everything else.
        """
        device = scores.device
        owing = [
            (place, owed)
            for place, (beam, row) in enumerate(_rows_of(beams))
            if (owed := beam.owed_tokens(row)) is not None
        ]
        whole_rows = torch.tensor([place for place, _ in owing], dtype=torch.long, device=device)
        rows_before = scores[whole_rows]
        if owing:
            kept = _columns([(place, token) for place, owed in owing for token in owed], device)
            values = scores[kept]
            scores.index_fill_(0, whole_rows, MINUS_INFINITY)
            scores[kept] = values
        blocked = [] if self.decoder.rule is Rule.FREE else self._blocked(beams)
        cells = _columns(blocked, device)
        cells_before = scores[cells]
        scores[cells] = MINUS_INFINITY
        so_far = [hypothesis.logprob for beam in beams for hypothesis in beam.hypotheses]
        try:
            yield ScoreMatrix(scores, [len(beam.hypotheses) for beam in beams], so_far, self.stopwatch)
        finally:
            scores[cells] = cells_before
            scores[whole_rows] = rows_before

    def _blocked(self, beams: Sequence[Beam]) -> list[tuple[int, int]]:
        """Return rows and tokens that may not follow: what the wording avoids, and ends too early."""
        blocked: list[tuple[int, int]] = []
        for place, (beam, row) in enumerate(_rows_of(beams)):
            blocked += [(place, token) for token in beam.unwelcome_tokens(row)]
            if not beam.may_end(row):
                blocked += [(place, token) for token in self._end_ids]
        return blocked

    # -- one step -------------------------------------------------------------------------------

    def _select(self, beams: list[Beam], scores: torch.Tensor) -> list[Selection]:
        """Let the decoder choose; a beam left with nothing prunes less and tries again."""
        for beam in beams:
            beam.count_calls()
        own = mass = None
        if self.decoder.weighs(beams[0].settings):
            own = self._own_scores(scores)
            mass = torch.logsumexp(own / beams[0].settings.temperature, dim=-1)
        with self._allowed(beams, scores) as matrix:
            matrix.own, matrix.mass = own, mass
            selections = self.decoder.choose(beams, matrix)
        for number, beam in enumerate(beams):
            first = matrix.first_rows[number]
            part_scores = scores[first : first + matrix.sizes[number]]
            if selections[number].is_empty and beam.rule is Rule.UNPLANNED:
                selections[number] = self.decoder.step(beam, self._writable(beam, part_scores))
            while selections[number].is_empty and beam.relax():
                with self._allowed([beam], part_scores) as part:
                    selections[number] = self.decoder.step(beam, part.scores)
        return selections

    def _note_own_logprobs(self, beams: Sequence[Beam], selections: Sequence[Selection]) -> None:
        """Note how likely the chosen tokens are after the users' own prompts, where texts have twins."""
        cells: list[tuple[int, int]] = []
        chosen: list[Candidate] = []
        first_row = 0
        for beam, selection in zip(beams, selections, strict=True):
            if beam.twin is not None:
                own = [*selection.running, *selection.ending]
                chosen += own
                cells += [(first_row + candidate.row, candidate.token) for candidate in own]
            first_row += len(beam.hypotheses)
        if not chosen:
            return
        alone = self.decoding.alone
        if alone is None:
            alone = torch.log_softmax(self.decoding.logits.float(), dim=-1)
        values = alone[_columns(cells, alone.device)].tolist()
        for candidate, logprob in zip(chosen, values, strict=True):
            candidate.own = logprob

    def _writable(self, beam: Beam, scores: torch.Tensor) -> torch.Tensor:
        """Return scores without the tokens that would make the text invalid UTF-8, or not NFC.

        Decoders without plans look at few candidates, and inside a character all of them may be such tokens.
        That is rare, so reading the whole vocabulary is affordable then.
        """
        with self._allowed([beam], scores) as matrix:
            allowed = matrix.scores  # made anew
        for row in range(len(beam.hypotheses)):
            unwritable = torch.tensor(beam.unwritable_tokens(row), dtype=torch.long, device=scores.device)
            allowed[row, unwritable] = MINUS_INFINITY
        return allowed

    def _record(self, active: _Active, selection: Selection) -> None:
        """Write the step into the traces, unless they have it already."""
        traced, beam = active.traced, active.beam
        if traced is None or traced.steps > beam.length:
            return
        for trace in (self.hooks.trace, traced.own):
            if trace is not None:
                trace.step(active.label, beam, selection)
        traced.steps = beam.length + 1

    def _carry_out(self, active: _Active, selection: Selection, first_row: int) -> list[_Successor]:
        """Turn a selection into hypotheses, and put the texts that end here among the finished ones."""
        beam = active.beam
        self.stopwatch.steps += 1
        self._record(active, selection)
        for candidate in selection.ending:
            beam.finish(beam.extended(candidate), "end")
        if selection.is_empty:  # nothing can follow, so here the texts end
            beam.finish_all("length")
        successors: list[_Successor] = []
        for candidate in selection.running:
            hypothesis = beam.extended(candidate)
            written = len(beam.hypotheses[candidate.row].text)
            if beam.stops(hypothesis.text, written) and beam.has_paid(hypothesis):
                beam.finish(hypothesis, "stop")
            else:
                successors.append(_Successor(beam, first_row + candidate.row, hypothesis))
        return successors

    # -- stopping criteria -------------------------------------------------------------------

    def _apply_criteria(self, successors: list[_Successor], scores: torch.Tensor) -> list[_Successor]:
        """Finish texts that a stopping criterion ends, unless they still owe; time limits end any text."""
        if not self.hooks.criteria or not successors:
            return successors
        parents = torch.tensor([successor.parent for successor in successors], device=scores.device)
        tokens = torch.tensor(
            [successor.hypothesis.tokens[-1] for successor in successors], device=scores.device
        )
        ids = torch.cat([self.decoding.input_ids()[parents], tokens.unsqueeze(-1)], dim=-1)
        continuing = successors
        for criterion in self.hooks.criteria:
            stops = _per_row(criterion(ids, scores[parents]), len(successors))
            timed = getattr(criterion, "max_time", None) is not None  # a time limit ends any text
            for successor, stop in zip(successors, stops, strict=True):
                if (
                    stop
                    and successor in continuing
                    and (timed or successor.beam.has_paid(successor.hypothesis))
                ):
                    successor.beam.finish(successor.hypothesis, "time" if timed else "stop")
                    continuing = [other for other in continuing if other is not successor]
        return continuing


def _repeatable(given: SearchInput) -> list[TokenIds]:
    """Return the prompts whose long runs a text must not repeat."""
    if given.quotable:
        return []
    return [given.prompt.ids] if given.twin is None else [given.prompt.ids, given.twin.prompt.ids]


def _per_row(stops: Any, rows: int) -> list[bool]:
    """Return a criterion's answer for every row; older criteria give a single truth value for all."""
    answer = torch.as_tensor(stops)
    return [bool(answer)] * rows if answer.dim() == 0 else answer.tolist()


def _rows_of(beams: Sequence[Beam]) -> Iterator[tuple[Beam, int]]:
    """Return the beam of every row, and the row's place in it."""
    return ((beam, row) for beam in beams for row in range(len(beam.hypotheses)))


def _columns(pairs: Sequence[tuple[int, int]], device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the rows and the tokens of cells as two tensors."""
    both = torch.tensor(pairs, dtype=torch.long, device=device).reshape(-1, 2)
    return both[:, 0], both[:, 1]
