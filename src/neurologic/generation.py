"""`lm.generate`: from prompts and formulas to verified texts.

This is the class a user holds. It reads prompts and settings and cuts inputs into batches; compiling, running
a decoder and judging its texts is done in `jobs`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from neurologic.constraint import CompiledConstraint
from neurologic.errors import PromptError, UnsatisfiedError, UnsatisfiedWarning
from neurologic.jobs import Constraint, Job, JobRunner
from neurologic.logic import Expressivity
from neurologic.methods import Method, method_named
from neurologic.models.base import TextModel
from neurologic.models.prompts import Prompt
from neurologic.results import Result
from neurologic.search.engine import SearchInput, SearchOutput, Surroundings
from neurologic.search.settings import SearchSettings
from neurologic.search.stopwatch import Stopwatch
from neurologic.search.trace import Trace
from neurologic.turns import Request, Turns

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


class ConstrainedModel:
    """A language model that obeys formulas. Made by `neurologic.load` and `neurologic.wrap`; thread-safe."""

    def __init__(self, loaded: TextModel) -> None:
        self._loaded = loaded
        self._runner = JobRunner(loaded)

    @property
    def model(self) -> Any:
        """The Hugging Face model, or the one of your own that was wrapped."""
        return self._loaded.model

    @property
    def tokenizer(self) -> Any:
        """The Hugging Face tokenizer; None for a model of your own without one."""
        return self._loaded.tokenizer

    def compile(self, constraint: Constraint | CompiledConstraint) -> CompiledConstraint:
        """Compile a constraint for this tokenizer; contradictions and unspellable phrases raise here."""
        return self._runner.compile(constraint)

    def generate(
        self,
        prompt: Prompt | Sequence[Prompt],
        constraint: Constraint | CompiledConstraint | Sequence[Constraint | CompiledConstraint] = None,
        *,
        raw: bool = False,
        decoder: str = "neurologic",
        reduce: bool = False,
        batch_size: int = 8,
        on_unsatisfied: Literal["best", "raise"] = "best",
        logits_processor: Sequence[Any] = (),
        stopping_criteria: Sequence[Any] = (),
        trace: Trace | None = None,
        stopwatch: Stopwatch | None = None,
        **settings: Any,
    ) -> Any:
        """Write text that obeys a formula.

        prompt      a text, or a list of {"role", "content"} messages; or a list of either
        constraint  a formula, formula text or JSON constraint; for a list of prompts either one for all
                    of them or a list with one (or None) per prompt
        raw         send the prompt as it is, without the model's chat template
        decoder     one of `neurologic.methods.METHODS`
        reduce      where the decoder cannot express the formula, search with what it can (see
                    `neurologic.logic.expressivity`); the text is judged by the whole formula all the same
        batch_size  how many inputs are written at a time; when one is done the next takes its place where
                    model and decoder can do that (docs/performance.md)
        trace, stopwatch
                    receive what happened in each step, and where the time went
        settings    `num_beams`, `max_new_tokens`, `alpha`, … (see `SearchSettings`), and any other
                    argument of Hugging Face's generation config that acts on scores (`bad_words_ids`,
                    `repetition_penalty`, …)

        Returns one `Result` for one prompt, a list of them for a list.
        """
        if on_unsatisfied not in ("best", "raise"):
            raise ValueError(f'on_unsatisfied must be "best" or "raise", not {on_unsatisfied!r}')
        one = _is_one_prompt(prompt)
        prompts: list[Any] = [prompt] if one else list(prompt)
        constraints = [constraint] if one else _per_prompt(constraint, len(prompts))
        requests = [Request(p, self.compile(c), raw) for p, c in zip(prompts, constraints, strict=True)]
        method = method_named(decoder)
        for request in requests:  # what is wrong with the last one is said before the first one runs
            self._job(request, method, reduce, *_split_settings(method, settings))
        results = list(
            self.generate_each(
                requests,
                decoder=decoder,
                reduce=reduce,
                batch_size=batch_size,
                logits_processor=logits_processor,
                stopping_criteria=stopping_criteria,
                trace=trace,
                stopwatch=stopwatch,
                **settings,
            )
        )
        if on_unsatisfied == "raise":
            _require_satisfied(results)
        return results[0] if one else results

    def generate_each(
        self,
        requests: Sequence[Request],
        *,
        decoder: str = "neurologic",
        reduce: bool = False,
        batch_size: int = 8,
        logits_processor: Sequence[Any] = (),
        stopping_criteria: Sequence[Any] = (),
        trace: Trace | None = None,
        stopwatch: Stopwatch | None = None,
        **settings: Any,
    ) -> Iterator[Result]:
        """Like `generate`, one result at a time in the order of the requests, as soon as texts are done.

        Requests are looked at when their turn comes, so that any number of them can be given; see `turns`.
        """
        method = method_named(decoder)
        if not isinstance(batch_size, int) or batch_size < 1:
            raise ValueError(f"batch_size must be a whole number of at least 1, not {batch_size!r}")
        search_settings, others = _split_settings(method, settings)
        if method.edits:
            watchers = {"trace": trace, "stopwatch": stopwatch}
            _refuse_for_editing(method, others, logits_processor, stopping_criteria, watchers)
        outside = _Outside(others, tuple(logits_processor), tuple(stopping_criteria), trace, stopwatch)
        surroundings = self._surroundings(1, search_settings, outside)
        budget = search_settings.max_new_tokens - surroundings.forced_end

        def job_of(request: Request) -> Job:
            job = self._job(request, method, reduce, search_settings, others)
            job.given.constraint.require_budget(budget)
            if method.expresses is Expressivity.ANYTHING:
                _warn_of_budget(job.given, budget)
            return job

        def result_of(job: Job, output: SearchOutput) -> Result:
            _warn_of_lapse(output, outside.names)
            return self._runner.result(job, output)

        turns = Turns(requests, job_of, ahead=_BATCHES_AHEAD * batch_size if batch_size > 1 else 1)
        if surroundings.acts_on_scores:
            outputs = self._batch_by_batch(turns, method, search_settings, outside, batch_size)
        else:
            if trace is not None:
                trace.start_batch(turns.names)
            outputs = self._runner.run_each(
                turns.jobs(), method, search_settings, surroundings, at_once=batch_size
            )
        yield from turns.results(outputs, result_of)

    def _batch_by_batch(
        self, turns: Turns, method: Method, settings: SearchSettings, outside: _Outside, batch_size: int
    ) -> Iterator[tuple[int, SearchOutput]]:
        """For processors and criteria, which rely on texts of equal length: no input joins a batch later."""
        waiting = enumerate(turns.jobs())
        while batch := list(islice(waiting, batch_size)):
            if outside.trace is not None:
                outside.trace.start_batch([turns.names[place] for place, _ in batch])
            longest = max(len(job.given.prompt.ids) for _, job in batch)
            surroundings = self._surroundings(longest, settings, outside)
            outputs = self._runner.run([job for _, job in batch], method, settings, surroundings)
            yield from ((place, output) for (place, _), output in zip(batch, outputs, strict=True))

    def _job(
        self,
        request: Request,
        method: Method,
        reduce: bool,
        settings: SearchSettings,
        others: dict[str, Any],
    ) -> Job:
        prompt = self._loaded.encode(
            request.prompt, raw=request.raw, forced_bos_token_id=others.get("forced_bos_token_id")
        )
        self._loaded.check_length(prompt, settings.max_new_tokens)
        # Hugging Face's n-gram blocking looks at the prompt too; decoders with constraints need its words.
        as_there = method.expresses is Expressivity.NOTHING and not self._loaded.is_encoder_decoder
        earlier = prompt.ids if as_there else ()
        return self._runner.job(prompt, request.constraint, method, settings, reduce=reduce, earlier=earlier)

    def _surroundings(self, prompt_length: int, settings: SearchSettings, outside: _Outside) -> Surroundings:
        processors, forced_end = self._loaded.processors(
            prompt_length, settings.max_new_tokens, outside.settings
        )
        return Surroundings(
            processors=(*processors, *outside.processors),
            criteria=outside.criteria,
            forced_end=forced_end,
            trace=outside.trace,
            stopwatch=outside.stopwatch,
        )


@dataclass(frozen=True)
class _Outside:
    """What a caller adds to the search: settings of Hugging Face's, processors, criteria, and watchers."""

    settings: dict[str, Any]
    processors: tuple[Any, ...]
    criteria: tuple[Any, ...]
    trace: Trace | None
    stopwatch: Stopwatch | None

    @property
    def names(self) -> list[str]:
        """What may make the guarantee lapse."""
        return [type(one).__name__ for one in self.processors] or sorted(self.settings)


def _is_one_prompt(prompt: Any) -> bool:
    if isinstance(prompt, str):
        return True
    if not isinstance(prompt, Sequence):
        raise PromptError(f"a prompt is a text or a list of messages, not {type(prompt).__name__}")
    return bool(prompt) and all(isinstance(item, Mapping) for item in prompt)


def _per_prompt(constraint: Any, count: int) -> list[Any]:
    """One constraint per prompt: a list gives each prompt its own, anything else goes to all."""
    if not isinstance(constraint, (list, tuple)):
        return [constraint] * count
    if len(constraint) != count:
        raise ValueError(
            f"{count} prompts but {len(constraint)} constraints; give one constraint per prompt "
            '(None for no constraint), or one for all of them that is not a list: {"clauses": …}'
        )
    return list(constraint)


def _split_settings(method: Method, settings: dict[str, Any]) -> tuple[SearchSettings, dict[str, Any]]:
    """The decoder's own settings, and the rest, which is Hugging Face's."""
    for name in _WITHOUT_EFFECT.keys() & settings.keys():
        raise ValueError(f"{name} has no effect here: {_WITHOUT_EFFECT[name]}")
    known = SearchSettings.__dataclass_fields__
    own = {name: value for name, value in settings.items() if name in known and value is not None}
    return method.settings(own), {name: value for name, value in settings.items() if name not in known}


def _refuse_for_editing(
    method: Method,
    others: Mapping[str, Any],
    logits_processor: Sequence[Any],
    stopping_criteria: Sequence[Any],
    watchers: Mapping[str, object],
) -> None:
    """Whole sentences are edited, so nothing can act on the scores of a next token."""
    given = [*others, *(type(one).__name__ for one in (*logits_processor, *stopping_criteria))]
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


def _require_satisfied(results: Sequence[Result]) -> None:
    for result in results:
        if not result.satisfied:
            raise UnsatisfiedError(f"unmet: {'; '.join(result.unmet)} in {result.text!r}", result)
