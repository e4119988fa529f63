"""`ConstrainedModel`, the class a user holds: a language model that writes texts under formulas."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import Any, Literal, overload

from neurologic.errors import (
    PromptError,
    UnsatisfiedError,
    UnsatisfiedWarning,
    warn_user,
)
from neurologic.feasibility.compiled_constraint import CompiledConstraint
from neurologic.generation.compiler import Compiler
from neurologic.generation.mapper import mapper
from neurologic.generation.options import Options
from neurologic.generation.request import Constraint, Request
from neurologic.generation.result import Result
from neurologic.generation.scheduler import Scheduler, Service, Ticket
from neurologic.logic import Formula, all_of, from_json, to_formula
from neurologic.models.base import Prompt, TextModel

OnError = Literal["raise", "return"]
# For one prompt a list is refused: see `_single_constraint`.
SingleConstraint = Formula | str | Mapping[str, Any] | CompiledConstraint | None


class ConstrainedModel:
    """A language model that obeys formulas. Made by `neurologic.load` and `neurologic.wrap`; thread-safe."""

    def __init__(self, loaded: TextModel) -> None:
        self._loaded = loaded
        self._compiler = Compiler(loaded.vocabulary)
        self._service: Service | None = None
        self._lock = threading.Lock()

    @property
    def model(self) -> Any:
        """The Hugging Face model, or your own model that was wrapped."""
        return self._loaded.model

    @property
    def tokenizer(self) -> Any:
        """The Hugging Face tokenizer; None for your own model without one."""
        return self._loaded.tokenizer

    def compile(self, constraint: Constraint | CompiledConstraint) -> CompiledConstraint:
        """Compile a constraint for this tokenizer; raise for contradictions and unspellable phrases."""
        return self._compiler.compile(constraint)

    @overload
    def generate(self, prompt: str, constraint: SingleConstraint = None, **options: Any) -> Result: ...

    # Before the overload for messages: an empty list is one of prompts.
    @overload
    def generate(
        self,
        prompt: Sequence[Prompt],
        constraint: Constraint | CompiledConstraint | Sequence[Constraint | CompiledConstraint] = None,
        **options: Any,
    ) -> list[Result]: ...

    @overload
    def generate(
        self,
        prompt: Sequence[Mapping[str, str]],
        constraint: SingleConstraint = None,
        **options: Any,
    ) -> Result: ...

    def generate(
        self,
        prompt: Prompt | Sequence[Prompt],
        constraint: Any = None,
        *,
        include: Sequence[Any] = (),
        exclude: Sequence[Any] = (),
        plain_prompt: Prompt | None = None,
        raw: bool = False,
        on_unsatisfied: Literal["best", "raise"] = "best",
        on_error: OnError = "raise",
        **options: Any,
    ) -> Result | list[Result]:
        """Write text that obeys a formula.

        prompt          a text, or a list of {"role", "content"} messages; or a list of either
        constraint      a formula, formula text or JSON constraint; for a list of prompts either one for
                        all prompts or a list with one (or None) per prompt
        include         phrases that must occur; an inner list means one of these
        exclude         phrases that must not occur
        plain_prompt    the prompt without the required phrases, for all prompts; see the settings `hint` and
                        `hint_weight`
        raw             send the prompt as it is, without the model's chat template
        on_unsatisfied  "raise" an `UnsatisfiedError` if a text leaves a clause unmet, or return the "best"
        on_error        "raise" the first error before anything runs, or "return" it in `Result.error`; with
                        "return", warnings come in `Result.warnings` only

        Options, also of `stream` and `submit`:

        decoder     one of `neurologic.decoders.registry.DECODERS`
        reduce      where the decoder cannot express the formula, search with the part that it can express
                    (see `neurologic.logic.expressivity`); the verdict is still on the whole formula
        batch_size  how many texts to write at a time; when one is done the next takes its place where
                    model and decoder can do that
        logits_processor, stopping_criteria
                    Hugging Face's, applied in every step
        trace       record what happens in each step: True keeps it for `Result.picture()`, a `Trace` hands
                    it on
        stopwatch   measure where the time goes
        settings    `num_beams`, `max_new_tokens`, `alpha`, … (see `SearchSettings`), and any other
                    argument of Hugging Face's generation config that acts on scores (`bad_words_ids`,
                    `repetition_penalty`, …)

        Return one `Result` for one prompt, a list of them for a list.
        """
        _require_choice("on_unsatisfied", on_unsatisfied, ("best", "raise"))
        single = _is_single(prompt)
        prompts: list[Any] = [prompt] if single else list(prompt)
        constraints = [_single_constraint(constraint)] if single else _per_prompt(constraint, len(prompts))
        requests = [
            Request(given, own, raw, plain_prompt=plain_prompt)
            for given, own in zip(prompts, constraints, strict=True)
        ]
        read = Options(self._loaded, **options)
        phrases = {"include": include, "exclude": exclude}
        tickets = [
            self._ticket(request, read, place, on_error, phrases) for place, request in enumerate(requests)
        ]
        results = list(self._run(tickets, read, ordered=True, on_error=on_error))
        if on_unsatisfied == "raise":
            _require_satisfied(results)
        return results[0] if single else results

    def stream(
        self,
        requests: Iterable[Request],
        *,
        ordered: bool = False,
        on_error: OnError = "raise",
        **options: Any,
    ) -> Iterator[Result]:
        """Write the texts of any number of requests; yield each result as soon as it is done.

        ordered   yield results in the order of the requests
        on_error  "raise" an error when its turn comes, or "return" it in `Result.error`; with "return",
                  warnings come in `Result.warnings` only

        `stream` reads requests some batches ahead, so they may be endless; if they arrive one by one, use
        `submit`. An error in an unordered stream raises at once, even if earlier requests still run. Options
        are those of `generate`; wrong ones raise at once.
        """
        read = Options(self._loaded, **options)
        _require_choice("on_error", on_error, ("raise", "return"))
        # An error waits for its turn, so every ticket takes its own.
        tickets = (self._ticket(request, read, place, "return") for place, request in enumerate(requests))
        return self._run(tickets, read, ordered=ordered, on_error=on_error)

    def prepare(
        self,
        request: Request,
        *,
        on_text: Callable[[str], object] | None = None,
        on_record: Callable[[dict[str, Any]], object] | None = None,
        **options: Any,
    ) -> Ticket:
        """Check, compile and tokenize a request in the calling thread, for a later `submit`.

        A wrong request gives a ticket with an `error`; wrong options raise at once. `on_text`, `on_record`
        and the other options are those of `submit`.
        """
        read = Options(self._loaded, **options)
        ticket = self._ticket(request, read, 0, "return")
        if on_text is not None or on_record is not None:
            ticket.follow(on_text, on_record)
        return ticket

    def submit(
        self,
        request: Request | Ticket,
        *,
        on_text: Callable[[str], object] | None = None,
        on_record: Callable[[dict[str, Any]], object] | None = None,
        **options: Any,
    ) -> Future[Result]:
        """Let a request join those that run, and return a future for its result; thread-safe.

        request    a request, or what `prepare` made of one, with its options
        on_text    called with the beginning of `Result.text` whenever more of it is certain, in the thread
                   of the search: be quick. All texts have that beginning if `num_return_sequences` > 1.
                   Several drawn texts share none, and editing decoders write none
        on_record  called with each record of the search's trace as it comes, in the same thread; the result
                   has them too, as with `trace=True`. Editing decoders have no steps

        Compiling and tokenizing happen here, in the calling thread; searching in a thread of the model. An
        error in either is in `Result.error`. Cancelling the future frees its place within a step (of editing
        methods: when the sentence under work is done). Options are those of `generate`; the first call's
        `batch_size` holds for all. The process ends when all submitted requests are done, or after `close`.
        """
        ticket = request
        if not isinstance(ticket, Ticket):
            ticket = self.prepare(ticket, on_text=on_text, on_record=on_record, **options)
        if ticket.error is not None:
            ticket.fail(ticket.error)
            return ticket.future
        with self._lock:
            if self._service is None:
                self._service = Service(self._loaded, ticket.options.batch_size)
        return self._service.submit(ticket)

    def mapper(
        self,
        prompt_column: str = "prompt",
        formula_column: str | None = None,
        plain_prompt_column: str | None = None,
        **options: Any,
    ) -> Callable[[Mapping[str, Sequence[Any]]], dict[str, list[Any]]]:
        """Return a function for `dataset.map(lm.mapper("prompt"), batched=True)` of Hugging Face datasets.

        prompt_column   the column of prompts: texts, or lists of messages
        formula_column  the column of formulas as text; an empty one is no constraint
        plain_prompt_column
                        the column of prompts without the required phrases, which may be empty too
        options         those of `generate`

        It adds the columns text, score, satisfied, unmet, wishes (those that the text meets), forced and
        error. A row that fails has the reason in `error`, which is empty for all others.
        """
        Options(self._loaded, **options)  # wrong ones raise here, and not after a while
        stream = partial(self.stream, ordered=True, on_error="return", **options)
        return mapper(stream, prompt_column, formula_column, plain_prompt_column)

    def close(self) -> None:
        """Cancel what `submit` has running or waiting, and wait until it has stopped."""
        with self._lock:
            service = self._service
        if service is not None:
            service.close()

    def _ticket(
        self,
        request: Request,
        options: Options,
        place: int,
        on_error: OnError,
        phrases: Mapping[str, Sequence[Any]] | None = None,
    ) -> Ticket:
        """Make a request ready, with further phrases to include or exclude; raise an error or keep it."""
        try:
            if phrases:
                request = replace(request, constraint=_conjunction(request.constraint, phrases))
            job = options.job(self._compiler, request, place)
        except Exception as error:
            if on_error == "raise":
                raise
            return Ticket(options, request, error=error, number=place)
        return Ticket(options, request, job, number=place)

    def _run(
        self, tickets: Iterable[Ticket], options: Options, *, ordered: bool, on_error: OnError
    ) -> Iterator[Result]:
        _require_choice("on_error", on_error, ("raise", "return"))
        scheduler = Scheduler(self._loaded, options.places, isolate=on_error == "return")
        done = scheduler.run(tickets)
        for ticket in _in_order(done) if ordered else done:
            result = ticket.future.result()
            if on_error == "raise":
                if result.error is not None:
                    raise result.error
                for message in result.warnings:
                    warn_user(message, UnsatisfiedWarning)
            yield result


def _in_order(tickets: Iterable[Ticket]) -> Iterator[Ticket]:
    """Yield tickets in the order of their numbers, each as soon as those before it are there."""
    early: dict[int, Ticket] = {}
    following = 0
    for ticket in tickets:
        early[ticket.number] = ticket
        while following in early:
            yield early.pop(following)
            following += 1


def _is_single(prompt: Any) -> bool:
    if isinstance(prompt, str):
        return True
    if not isinstance(prompt, Sequence):
        raise PromptError(f"a prompt is a text or a list of messages, not {type(prompt).__name__}")
    return bool(prompt) and all(isinstance(item, Mapping) for item in prompt)


def _single_constraint(constraint: Any) -> Any:
    """Refuse a list for one prompt: it could mean all of its items, one of them, or one per prompt."""
    if isinstance(constraint, (list, tuple)):
        raise ValueError(
            "a list of constraints goes with a list of prompts; for one prompt write include=[…], "
            'all_of(…), any_of(…) or {"clauses": […]}'
        )
    return constraint


def _per_prompt(constraint: Any, count: int) -> list[Any]:
    """Return one constraint per prompt: a list gives each prompt its own, anything else goes to all."""
    if not isinstance(constraint, (list, tuple)):
        return [constraint] * count
    if len(constraint) != count:
        raise ValueError(
            f"{count} prompts but {len(constraint)} constraints; give one constraint per prompt "
            '(None for no constraint), or one for all of them that is not a list: {"clauses": …}'
        )
    return list(constraint)


def _conjunction(constraint: Any, phrases: Mapping[str, Sequence[Any]]) -> Any:
    """Join a constraint with the phrases to include and to exclude."""
    listed = from_json(phrases)
    if listed is None:
        return constraint
    if isinstance(constraint, CompiledConstraint):
        raise ValueError("include and exclude need the formula itself, not one that is compiled already")
    formula = to_formula(constraint)
    return listed if formula is None else all_of(formula, listed)


def _require_satisfied(results: Sequence[Result]) -> None:
    for result in results:
        if not result.satisfied and result.error is None:
            raise UnsatisfiedError(f"unmet: {'; '.join(result.unmet)} in {result.text!r}", result)


def _require_choice(name: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        raise ValueError(f"{name} must be {' or '.join(map(repr, choices))}, not {value!r}")
