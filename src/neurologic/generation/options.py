"""Options of a call: decoder, settings and hooks, read and checked once for all its requests."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

from neurologic.decoders.editing.editing_engine import EditingEngine
from neurologic.decoders.registry import decoder_named
from neurologic.errors import PromptError
from neurologic.generation.compiler import Compiler
from neurologic.generation.hint import twin_prompt
from neurologic.generation.job import Job, make_job
from neurologic.generation.request import Request
from neurologic.generation.result import Result
from neurologic.generation.task_talk import without_task_talk
from neurologic.limits import time_limit
from neurologic.logic import Clause, Expressivity
from neurologic.models.base import TextModel
from neurologic.search.engine import SHARED_SETTINGS, Engine
from neurologic.search.hooks import Hooks
from neurologic.search.input_output import SearchOutput
from neurologic.search.settings import split_settings
from neurologic.search.stopwatch import Stopwatch
from neurologic.search.trace import Trace
from neurologic.search.two_prompts import Twin

# An answer that must use given words tends to repeat itself, so after chat prompts no 3-gram comes twice
# unless the caller says otherwise.
_CHAT_NGRAM_SIZE = 3

# However short `max_time` is, a formula may take so long to compile.
_LEAST_COMPILE_SECONDS = 1.0


class Options:
    """A decoder with its settings, for any number of requests to one model."""

    def __init__(
        self,
        model: TextModel,
        decoder: str = "neurologic",
        *,
        reduce: bool = False,
        batch_size: int = 8,
        logits_processor: Sequence[Any] = (),
        stopping_criteria: Sequence[Any] = (),
        trace: Trace | bool | None = None,
        stopwatch: Stopwatch | None = None,
        **settings: Any,
    ) -> None:
        """Check the options; `constrained_model.ConstrainedModel.generate` explains them."""
        if not isinstance(batch_size, int) or batch_size < 1:
            raise ValueError(f"batch_size must be a whole number of at least 1, not {batch_size!r}")
        self._model = model
        self._decoder = decoder_named(decoder)
        own, self._others = split_settings(settings)
        self.settings = self._decoder.settings(own)
        self._in_chat = self.settings
        if "hint" in self._decoder.accepts and "no_repeat_ngram_size" not in own:
            self._in_chat = replace(self.settings, no_repeat_ngram_size=_CHAT_NGRAM_SIZE)
        self._reduce = reduce
        self.batch_size = batch_size
        # A trace of its own for every result leaves requests with and without one in the same batch.
        self._keeps_trace = trace is True
        self._own_hooks = Hooks(
            tuple(logits_processor),
            tuple(stopping_criteria),
            trace=trace if isinstance(trace, Trace) else None,
            stopwatch=stopwatch,
        )
        if self._decoder.edits:
            self._refuse_hooks()
        self._hooks = self._hooks_for(1)
        self._budget = self.settings.max_new_tokens - self._hooks.forced_end

    @property
    def places(self) -> int:
        """How many texts to write at a time: editing takes one, so that each is yielded when it is done."""
        return 1 if self._decoder.edits else self.batch_size

    @property
    def batch_key(self) -> Hashable:
        """Requests may share a batch if their options have the same key."""
        names = list(SHARED_SETTINGS)
        if "look_ahead" in self._decoder.accepts:  # all roll-outs of a batch have the same length
            names.append("max_new_tokens")
        shared = tuple(getattr(self.settings, name) for name in names)
        return self._decoder.name, shared, None if self._hooks == Hooks() else id(self)

    def job(self, compiler: Compiler, request: Request, label: object = None) -> Job:
        """Make a request ready to run; raise if anything is wrong with it.

        Compiling and planning are part of `max_time`: what they take is not left for the search.
        """
        most = self.settings.max_time
        if most is None:
            return self._job(compiler, request, label)
        start = time.monotonic()
        with time_limit(max(most, _LEAST_COMPILE_SECONDS), "max_time"):
            job = self._job(compiler, request, label)
        left = max(0.0, most - (time.monotonic() - start))
        given = job.search_input
        return replace(job, search_input=replace(given, settings=replace(given.settings, max_time=left)))

    def _job(self, compiler: Compiler, request: Request, label: object) -> Job:
        model = self._model
        prompt = model.encode(
            request.prompt, raw=request.raw, forced_bos_token_id=self._others.get("forced_bos_token_id")
        )
        model.check_length(prompt, self.settings.max_new_tokens)
        is_chat = bool(request.prompt) and not (request.raw or prompt.before or model.is_encoder_decoder)
        settings = self._in_chat if is_chat else self.settings
        # Hugging Face's n-gram blocking looks at the prompt too; decoders with constraints need its words.
        unconstrained = self._decoder.expresses is Expressivity.NOTHING
        job = make_job(
            compiler,
            prompt,
            request.constraint,
            self._decoder,
            settings,
            reduce=self._reduce,
            earlier=prompt.ids if unconstrained and not model.is_encoder_decoder else (),
            label=label if request.id is None else request.id,
            quotable=not is_chat or "no_echo_size" not in self._decoder.accepts,
        )
        twin = self._twin(job.whole.clauses, request, is_chat=is_chat)
        job = replace(job, search_input=replace(job.search_input, twin=twin))
        if is_chat and settings.avoid_talk and "avoid_talk" in self._decoder.accepts:
            job = without_task_talk(job, request.prompt)
        if self._keeps_trace:
            job = job.with_recording()
        job.search_input.constraint.require_budget(self._budget)
        return replace(
            job,
            request=request,
            warnings=self._budget_warnings(job),
            reads_well=is_chat and "avoid_marks" in self._decoder.accepts,
        )

    def _twin(self, clauses: Sequence[Clause], request: Request, *, is_chat: bool) -> Twin | None:
        """Return the second prompt of a request, if the decoder reads two and the formula needs a hint."""
        if "hint" not in self._decoder.accepts:
            return None
        written = twin_prompt(
            request.prompt,
            clauses,
            self.settings,
            plain_prompt=request.plain_prompt,
            is_chat=is_chat,
        )
        weight = self.settings.hint_weight
        if written is None or weight == (0 if written.has_hint else 1):
            return None
        try:
            encoded = self._model.encode(written.prompt, raw=request.raw)
            self._model.check_length(encoded, self.settings.max_new_tokens)
        except PromptError:
            if self.settings.hint == "auto" and request.plain_prompt is None:
                return None  # the model takes the prompt, but has no room for a hint, or cannot spell it
            raise
        return Twin(encoded, weight if written.has_hint else 1 - weight, written.has_hint)

    def engine(self, prompt_length: int, now: Callable[[], float]) -> Engine | EditingEngine:
        """Return a new engine for a batch whose longest prompt has `prompt_length` tokens."""
        if self._decoder.edits:
            return EditingEngine(self._model, self._decoder.load())
        hooks = self._hooks_for(prompt_length) if self._hooks.need_equal_lengths else self._hooks
        return Engine(self._model, self._decoder.load(), hooks, now=now)

    def time_warnings(self, result: Result) -> tuple[str, ...]:
        """Return a warning if the time limit ended the text."""
        if result.ending != "time":
            return ()
        most = self.settings.max_time
        after = "a time limit" if most is None else f"max_time={most:g} s"
        if result.unmet:
            return (f"{after} ended the search before the formula was satisfied: {'; '.join(result.unmet)}",)
        return (f"{after} ended the search; the text may break off",)

    def record_end(self, job: Job, result: Result) -> Result:
        """Write the result into the trace of the batch, and give it its own."""
        traced, label = job.search_input.traced, job.search_input.label
        own = None if traced is None else traced.own
        for trace in (self._own_hooks.trace, own):
            if trace is not None:
                trace.end(label, result.for_trace())
        return result if own is None else replace(result, trace=tuple(own.records))

    def lapse_warnings(self, output: SearchOutput) -> tuple[str, ...]:
        """Return a warning if a guarantee that held at the start was broken on the way."""
        if not output.promised or output.kept:
            return ()
        processors = self._own_hooks.processors
        names = [type(processor).__name__ for processor in processors] or sorted(self._others)
        culprit = f"{', '.join(names)} forbade" if names else "the model gave no score to"
        return (f"the guarantee lapsed: {culprit} what the formula needs",)

    def _budget_warnings(self, job: Job) -> tuple[str, ...]:
        """Return a warning if no plan fits into the budget, so that the formula may stay unsatisfied."""
        if self._decoder.expresses is not Expressivity.ANYTHING:
            return ()
        bound = job.search_input.constraint.upper_bound(job.search_input.prompt.before)
        if bound is not None and bound <= self._budget:
            return ()
        needs = (
            "neurologic found no token sequence that satisfies every clause"
            if bound is None
            else f"up to {bound} tokens are needed"
        )
        return (f"the formula may stay unsatisfied within {self._budget} tokens: {needs}",)

    def _hooks_for(self, prompt_length: int) -> Hooks:
        """Return the caller's hooks with the processors that Hugging Face makes of the settings."""
        processors, forced_end = self._model.processors(
            prompt_length, self.settings.max_new_tokens, self._others
        )
        own = self._own_hooks
        return replace(own, processors=(*processors, *own.processors), forced_end=forced_end)

    def _refuse_hooks(self) -> None:
        """Refuse whatever acts on the scores of a next token: editing decoders have none."""
        own = self._own_hooks
        given = [*self._others, *(type(hook).__name__ for hook in (*own.processors, *own.criteria))]
        observers = {"trace": own.trace or self._keeps_trace or None, "stopwatch": own.stopwatch}
        given += [name for name, observer in observers.items() if observer is not None]
        if given:
            raise ValueError(
                f"{', '.join(given)}: no effect on the decoder {self._decoder.name}, which edits sentences"
            )
