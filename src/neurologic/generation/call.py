"""One call of `lm.generate`: its settings checked once, its requests made into jobs, run and judged.

A call is checked as a whole when it is made, a request when its job is made: before anything runs in
`generate`, and when its turn comes in `generate_each`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from neurologic.decoders.registry import DecoderEntry, decoder_named
from neurologic.errors import UnsatisfiedWarning
from neurologic.generation.jobs import Job, JobRunner
from neurologic.generation.turns import Request, Turns
from neurologic.logic import Expressivity
from neurologic.models.base import TextModel
from neurologic.results import Result
from neurologic.search.input_output import SearchInput, SearchOutput
from neurologic.search.settings import SearchSettings
from neurologic.search.stopwatch import Stopwatch
from neurologic.search.surroundings import Surroundings
from neurologic.search.trace import Trace

# Inputs are sorted by length among so many batches: more saves little, and the first results would be late.
_BATCHES_AHEAD = 4

# Arguments of Hugging Face's generation that this search would ignore without a word.
_WITHOUT_EFFECT = {
    "max_length": "it counts the prompt; use max_new_tokens",
    "min_length": "it counts the prompt; use min_new_tokens",
    "eos_token_id": "set model.generation_config.eos_token_id before wrapping the model",
    "force_words_ids": "write a formula, or use neurologic.from_force_words",
    "constraints": "write a formula, or use neurologic.from_force_words",
}


@dataclass(frozen=True)
class Outside:
    """What a caller adds to the search: processors, criteria, and watchers."""

    processors: tuple[Any, ...] = ()
    criteria: tuple[Any, ...] = ()
    trace: Trace | None = None
    stopwatch: Stopwatch | None = None


class Call:
    """A decoder with its settings, for any number of requests to one model."""

    def __init__(
        self,
        loaded: TextModel,
        runner: JobRunner,
        decoder: str,
        settings: Mapping[str, Any],
        outside: Outside,
        *,
        reduce: bool,
        batch_size: int,
    ) -> None:
        if not isinstance(batch_size, int) or batch_size < 1:
            raise ValueError(f"batch_size must be a whole number of at least 1, not {batch_size!r}")
        self._loaded = loaded
        self._runner = runner
        self._method = decoder_named(decoder)
        self._settings, self._others = _split_settings(self._method, settings)
        self._outside = outside
        self._reduce = reduce
        # Edited inputs share nothing but a time limit: without one each is given out when it is done.
        alone = self._method.edits and self._settings.max_time is None
        self._batch_size = 1 if alone else batch_size
        if self._method.edits:
            _refuse_for_editing(self._method, self._others, outside)
        self._surroundings = self._for_prompts_of(1)
        self._budget = self._settings.max_new_tokens - self._surroundings.forced_end

    def job(self, request: Request) -> Job:
        """Make a request ready; whatever is wrong with it raises here."""
        method, settings = self._method, self._settings
        prompt = self._loaded.encode(
            request.prompt, raw=request.raw, forced_bos_token_id=self._others.get("forced_bos_token_id")
        )
        self._loaded.check_length(prompt, settings.max_new_tokens)
        # Hugging Face's n-gram blocking looks at the prompt too; decoders with constraints need its words.
        as_there = method.expresses is Expressivity.NOTHING and not self._loaded.is_encoder_decoder
        earlier = prompt.ids if as_there else ()
        job = self._runner.job(
            prompt, request.constraint, method, settings, reduce=self._reduce, earlier=earlier
        )
        job.given.constraint.require_budget(self._budget)
        return job

    def results(self, requests: Sequence[Request], jobs: Iterable[Job]) -> Iterator[tuple[int, Result]]:
        """Results with the numbers of their requests, as texts are done; jobs may be made one by one."""
        ahead = _BATCHES_AHEAD * self._batch_size if self._batch_size > 1 else 1
        turns = Turns(requests, map(self._warned_of, jobs), ahead=ahead)
        if self._surroundings.acts_on_scores:
            outputs = self._batch_by_batch(turns)
        else:
            if self._outside.trace is not None:
                self._outside.trace.start_batch(turns.names)
            outputs = self._runner.run_each(
                turns.jobs(), self._method, self._settings, self._surroundings, at_once=self._batch_size
            )
        yield from turns.results(outputs, self._result)

    def _warned_of(self, job: Job) -> Job:
        if self._method.expresses is Expressivity.ANYTHING:
            _warn_of_budget(job.given, self._budget)
        return job

    def _result(self, job: Job, output: SearchOutput) -> Result:
        # What may have made the guarantee lapse.
        names = [type(one).__name__ for one in self._outside.processors] or sorted(self._others)
        _warn_of_lapse(output, names)
        return self._runner.result(job, output)

    def _batch_by_batch(self, turns: Turns) -> Iterator[tuple[int, SearchOutput]]:
        """For processors and criteria, which rely on texts of equal length: no input joins a batch later."""
        waiting = enumerate(turns.jobs())
        while batch := list(islice(waiting, self._batch_size)):
            if self._outside.trace is not None:
                self._outside.trace.start_batch([turns.names[place] for place, _ in batch])
            surroundings = self._for_prompts_of(max(len(job.given.prompt.ids) for _, job in batch))
            jobs = [job for _, job in batch]
            outputs = self._runner.run(jobs, self._method, self._settings, surroundings)
            yield from ((place, output) for (place, _), output in zip(batch, outputs, strict=True))

    def _for_prompts_of(self, length: int) -> Surroundings:
        processors, forced_end = self._loaded.processors(length, self._settings.max_new_tokens, self._others)
        return Surroundings(
            processors=(*processors, *self._outside.processors),
            criteria=self._outside.criteria,
            forced_end=forced_end,
            trace=self._outside.trace,
            stopwatch=self._outside.stopwatch,
        )


def _split_settings(
    method: DecoderEntry, settings: Mapping[str, Any]
) -> tuple[SearchSettings, dict[str, Any]]:
    """The decoder's own settings, and the rest, which is Hugging Face's."""
    for name in _WITHOUT_EFFECT.keys() & settings.keys():
        raise ValueError(f"{name} has no effect here: {_WITHOUT_EFFECT[name]}")
    known = SearchSettings.__dataclass_fields__
    own = {name: value for name, value in settings.items() if name in known and value is not None}
    return method.settings(own), {name: value for name, value in settings.items() if name not in known}


def _refuse_for_editing(method: DecoderEntry, others: Mapping[str, Any], outside: Outside) -> None:
    """Whole sentences are edited, so nothing can act on the scores of a next token."""
    given = [*others, *(type(one).__name__ for one in (*outside.processors, *outside.criteria))]
    watchers = {"trace": outside.trace, "stopwatch": outside.stopwatch}
    given += [name for name, watcher in watchers.items() if watcher is not None]
    if given:
        raise ValueError(f"{', '.join(given)}: no effect on the decoder {method.name}, which edits sentences")


def _warn_of_budget(one: SearchInput, budget: int) -> None:
    bound = one.constraint.upper_bound(one.prompt.before)
    if bound is None or bound > budget:
        needs = (
            "no way to pay for every clause was found"
            if bound is None
            else f"up to {bound} tokens are needed"
        )
        warnings.warn(
            f"the formula may stay unsatisfied within {budget} tokens: {needs}",
            UnsatisfiedWarning,
            stacklevel=_level_of_caller(),
        )


def _warn_of_lapse(output: SearchOutput, processors: list[str]) -> None:
    if output.promised and not output.kept:
        warnings.warn(
            "the guarantee lapsed: "
            + (f"{', '.join(processors)} forbade" if processors else "the model gave no score to")
            + " what the formula needs",
            UnsatisfiedWarning,
            stacklevel=_level_of_caller(),
        )


def _level_of_caller() -> int:
    """How far up the first frame outside of this package is, counted as `warnings.warn` does."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("neurologic."):
        level, frame = level + 1, frame.f_back
    return level
