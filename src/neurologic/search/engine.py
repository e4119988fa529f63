"""The batched beam engine: one loop for all inputs and every decoder that works on beams.

The engine owns the rows. Per step it asks the model for scores, lets processors and masks act on them, hands
each input's part to the decoder, and tells the model which rows go on with which tokens. It never looks at
clauses; decoders look at scores, and at models only through a look-ahead. Inputs that are over leave the
batch.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch

from neurologic.models.base import Admitting, LanguageModel
from neurologic.search.beam import Beam, Rule
from neurologic.search.decoder import Decoder, Selection
from neurologic.search.hypothesis import Hypothesis
from neurologic.search.input_output import SearchInput, SearchOutput
from neurologic.search.score_matrix import MINUS_INFINITY, ScoreMatrix
from neurologic.search.settings import SearchSettings
from neurologic.search.stopwatch import Stopwatch
from neurologic.search.surroundings import Surroundings


@dataclass(frozen=True, eq=False)
class _Successor:
    """A hypothesis for the next step, and the row of the model's batch that it continues."""

    beam: Beam
    parent: int
    hypothesis: Hypothesis


@dataclass(frozen=True, eq=False)
class _Active:
    """An input under way: its number, its beam, and when its time is over."""

    number: int
    beam: Beam
    deadline: float | None

    def output(self) -> SearchOutput:
        beam = self.beam
        return SearchOutput(
            beam.finished.best(),
            beam.promised,
            beam.keeps_promise,
            beam.calls,
            beam.reused,
            beam.finished.ranked(),
        )


def search(
    model: LanguageModel,
    inputs: Sequence[SearchInput],
    decoder: Decoder,
    settings: SearchSettings,
    surroundings: Surroundings | None = None,
) -> list[SearchOutput]:
    """Write one text per input, all inputs in one batch."""
    outputs = dict(search_each(model, inputs, decoder, settings, surroundings, at_once=len(inputs)))
    return [outputs[number] for number in range(len(inputs))]


def search_each(
    model: LanguageModel,
    inputs: Iterable[SearchInput],
    decoder: Decoder,
    settings: SearchSettings,
    surroundings: Surroundings | None = None,
    *,
    at_once: int,
) -> Iterator[tuple[int, SearchOutput]]:
    """Write one text per input, `at_once` of them at a time; gives each, with its number, when it is done.

    Where the model can take further inputs while others are under way, the next one takes the place of one
    that is done; otherwise the next batch starts when the last one is over. Processors and criteria of the
    caller, which count on texts of equal length, are for a single batch.
    """
    waiting = enumerate(inputs)
    while batch := list(islice(waiting, at_once)):
        yield from _Search(model, batch, decoder, settings, surroundings or Surroundings()).run(waiting)


class _Search:
    """The loop's state: which beams are active, and their rows in the model's batch."""

    def __init__(
        self,
        model: LanguageModel,
        inputs: Sequence[tuple[int, SearchInput]],
        decoder: Decoder,
        settings: SearchSettings,
        surroundings: Surroundings,
    ) -> None:
        self.decoder = decoder
        self.settings = settings
        self.surroundings = surroundings
        self.stopwatch = surroundings.stopwatch or Stopwatch()
        self.at_once = len(inputs)
        self.paused = 0.0
        self.active = [self._begin(number, one) for number, one in inputs]
        with self.stopwatch.part("model"):
            rows = model.start([one.prompt for _, one in inputs])
        self.decoding = decoder.start(model, rows, settings)
        forbidden = () if decoder.rule is Rule.FREE else model.vocabulary.forbidden_ids
        self.forbidden = torch.tensor(forbidden, dtype=torch.long, device=self.decoding.logits.device)
        self.end_ids = sorted(model.vocabulary.end_ids)

    def _begin(self, number: int, one: SearchInput) -> _Active:
        beam = Beam(
            one.constraint,
            self.settings,
            rule=self.decoder.rule,
            before=one.prompt.before,
            opening=len(one.prompt.opening),
            earlier=one.earlier,
            forced_end=self.surroundings.forced_end,
            seed=one.seed,
        )
        limit = self.settings.max_time
        return _Active(number, beam, None if limit is None else self._now() + limit)

    def _now(self) -> float:
        """Seconds on a clock that stands still while the caller looks at a result."""
        return time.monotonic() - self.paused

    def run(self, waiting: Iterator[tuple[int, SearchInput]]) -> Iterator[tuple[int, SearchOutput]]:
        """Search until no input is active; those that wait are taken in as places become free."""
        while self.active:
            beams = [one.beam for one in self.active]
            scores = self._scores(beams)  # [rows, vocabulary]
            successors: list[_Successor] = []
            first_row = 0
            for one, selection in zip(self.active, self._select(beams, scores), strict=True):
                rows = len(one.beam.hypotheses)
                if one.deadline is not None and self._now() > one.deadline:
                    one.beam.finish_all("time")
                else:
                    successors += self._carry_out(one, selection, first_row)
                first_row += rows
            over = self._move_on(self._apply_criteria(successors, scores))
            waiting_since = time.monotonic()
            yield from ((one.number, one.output()) for one in over)
            self.paused += time.monotonic() - waiting_since
            if over and self.active and isinstance(self.decoding, Admitting):
                self._admit(list(islice(waiting, self.at_once - len(self.active))))

    def _move_on(self, successors: list[_Successor]) -> list[_Active]:
        """Give the beams their new hypotheses, let the model read on, and tell which inputs are over."""
        kept: list[_Successor] = []
        over: list[_Active] = []
        for one in self.active:
            beam = one.beam
            own = [successor for successor in successors if successor.beam is beam]
            beam.replace([successor.hypothesis for successor in own])
            if not beam.is_over():
                kept += own
                continue
            over.append(one)
            if own and beam.length >= beam.limit:
                beam.finish_all("length")
        self.active = [one for one in self.active if one not in over]
        if kept:
            # Made on the CPU, where the model can look at them without waiting for a device.
            parents = torch.tensor([successor.parent for successor in kept])
            tokens = torch.tensor([successor.hypothesis.tokens[-1] for successor in kept])
            with self.stopwatch.part("model"):
                self.decoding.advance(parents, tokens)
        return over

    def _admit(self, inputs: Sequence[tuple[int, SearchInput]]) -> None:
        """Take further inputs into the batch."""
        if not inputs:
            return
        self.active += [self._begin(number, one) for number, one in inputs]
        assert isinstance(self.decoding, Admitting)
        with self.stopwatch.part("model"):
            self.decoding.admit([one.prompt for _, one in inputs])

    # -- scores ---------------------------------------------------------------------------------

    def _scores(self, beams: Sequence[Beam]) -> torch.Tensor:
        """Log-likelihoods of the next token, [rows, vocabulary], -inf for tokens that are no text."""
        logits = self.decoding.logits.float()
        # A copy either way: processors may change it in place.
        with self.stopwatch.part("log-softmax"):
            scores = logits.clone() if self.decoder.processes_logits else torch.log_softmax(logits, dim=-1)
        if self.decoder.rule is Rule.FREE:
            # As in Hugging Face, where a processor may normalise what is left of the scores.
            scores[_columns(self._blocked(beams), scores.device)] = MINUS_INFINITY
        for processor in self.surroundings.processors:
            scores = processor(self.decoding.input_ids(), scores)
        if self.surroundings.row_processor is not None:
            rows = [(one.number, row) for one in self.active for row in range(len(one.beam.hypotheses))]
            scores = self.surroundings.row_processor.process(rows, self.decoding.input_ids(), logits, scores)
        if self.surroundings.processors or self.surroundings.row_processor is not None:
            scores = scores.clone()  # what a processor gave is its own, and may not be writable
        with self.stopwatch.part("log-softmax"):
            if self.decoder.processes_logits:
                scores = torch.log_softmax(scores, dim=-1)
            return scores.index_fill_(-1, self.forbidden, MINUS_INFINITY)

    @contextmanager
    def _allowed(self, beams: Sequence[Beam], scores: torch.Tensor) -> Iterator[ScoreMatrix]:
        """Cumulative log-likelihoods, -inf where a beam does not allow a token.

        Made of the scores themselves, which are as they were in the end: a copy of all of them would take
        longer than everything else.
        """
        device = scores.device
        hypotheses = [one for beam in beams for one in beam.hypotheses]
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
        so_far = [one.logprob for one in hypotheses]
        try:
            yield ScoreMatrix(scores, [len(beam.hypotheses) for beam in beams], so_far, self.stopwatch)
        finally:
            scores[cells] = cells_before
            scores[whole_rows] = rows_before

    def _blocked(self, beams: Sequence[Beam]) -> list[tuple[int, int]]:
        """Rows and tokens of what may not follow: n-grams that repeat, and ends that come too early."""
        blocked: list[tuple[int, int]] = []
        for place, (beam, row) in enumerate(_rows_of(beams)):
            blocked += [(place, token) for token in beam.repeating_tokens(row)]
            if not beam.may_end(row):
                blocked += [(place, token) for token in self.end_ids]
        return blocked

    # -- one step -------------------------------------------------------------------------------

    def _select(self, beams: list[Beam], scores: torch.Tensor) -> list[Selection]:
        """Let the decoder choose; a beam for which nothing is left drops fewer candidates and tries again."""
        for beam in beams:
            beam.calls += len(beam.hypotheses)
        with self._allowed(beams, scores) as matrix:
            selections = self.decoder.choose(beams, matrix)
        for number, beam in enumerate(beams):
            first = matrix.first_rows[number]
            own = scores[first : first + matrix.sizes[number]]
            if selections[number].is_empty and beam.rule is Rule.UNPLANNED:
                selections[number] = self.decoder.step(beam, self._writable(beam, own))
            while selections[number].is_empty and beam.relax():
                with self._allowed([beam], own) as part:
                    selections[number] = self.decoder.step(beam, part.scores)
        return selections

    def _writable(self, beam: Beam, scores: torch.Tensor) -> torch.Tensor:
        """Scores without the tokens that would leave valid text.

        Decoders without plans look at few candidates, which may all be such tokens inside a character. That
        is rare enough to read the whole vocabulary then.
        """
        with self._allowed([beam], scores) as matrix:
            allowed = matrix.scores  # made anew
        for row in range(len(beam.hypotheses)):
            unwritable = torch.tensor(beam.unwritable_tokens(row), dtype=torch.long, device=scores.device)
            allowed[row, unwritable] = MINUS_INFINITY
        return allowed

    def _carry_out(self, one: _Active, selection: Selection, first_row: int) -> list[_Successor]:
        """Take a selection to hypotheses; texts that end here are put among the finished ones."""
        beam = one.beam
        self.stopwatch.steps += 1
        if self.surroundings.trace is not None:
            self.surroundings.trace.step(one.number, beam, selection)
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

    # -- endings from outside -------------------------------------------------------------------

    def _apply_criteria(self, successors: list[_Successor], scores: torch.Tensor) -> list[_Successor]:
        """Finish texts that a stopping criterion ends, unless they still owe; time limits end any text."""
        if not self.surroundings.criteria or not successors:
            return successors
        parents = torch.tensor([successor.parent for successor in successors], device=scores.device)
        tokens = torch.tensor(
            [successor.hypothesis.tokens[-1] for successor in successors], device=scores.device
        )
        ids = torch.cat([self.decoding.input_ids()[parents], tokens.unsqueeze(-1)], dim=-1)
        going_on = successors
        for criterion in self.surroundings.criteria:
            stops = _per_row(criterion(ids, scores[parents]), len(successors))
            timed = getattr(criterion, "max_time", None) is not None  # a time limit ends any text
            for successor, stop in zip(successors, stops, strict=True):
                if (
                    stop
                    and successor in going_on
                    and (timed or successor.beam.has_paid(successor.hypothesis))
                ):
                    successor.beam.finish(successor.hypothesis, "time" if timed else "stop")
                    going_on = [other for other in going_on if other is not successor]
        return going_on


def _per_row(stops: Any, rows: int) -> list[bool]:
    """What a criterion says of every row: older ones give a single truth value for all."""
    answer = torch.as_tensor(stops)
    return [bool(answer)] * rows if answer.dim() == 0 else answer.tolist()


def _rows_of(beams: Sequence[Beam]) -> Iterator[tuple[Beam, int]]:
    """The beam of every row, and its place there."""
    return ((beam, row) for beam in beams for row in range(len(beam.hypotheses)))


def _columns(pairs: Sequence[tuple[int, int]], device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows and tokens of cells, each as a tensor."""
    both = torch.tensor(pairs, dtype=torch.long, device=device).reshape(-1, 2)
    return both[:, 0], both[:, 1]
