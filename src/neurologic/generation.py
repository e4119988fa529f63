"""`lm.generate`: from prompts and formulas to verified texts.

This is the class a user holds. It reads prompts and settings and cuts inputs into batches; compiling, running
a decoder and judging its texts is done in `jobs`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from neurologic.search.trace import Trace

# Arguments of Hugging Face's generation that this search would ignore without a word.
_WITHOUT_EFFECT = {
    "max_length": "it counts the prompt; use max_new_tokens",
    "min_length": "it counts the prompt; use min_new_tokens",
    "eos_token_id": "set model.generation_config.eos_token_id before wrapping the model",
    "force_words_ids": "write a formula, or use neurologic.from_force_words",
    "constraints": "write a formula, or use neurologic.from_force_words",
}


@dataclass(frozen=True)
class Request:
    """One text to write; `number` is how a trace calls it, its place among the requests if not given."""

    prompt: Prompt
    constraint: Constraint | CompiledConstraint = None
    raw: bool = False
    number: int | None = None


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
        **settings: Any,
    ) -> Iterator[Result]:
        """Like `generate`, one result at a time in the order of the requests, as batches are done.

        Requests are looked at batch by batch, so that any number of them can be given.
        """
        method = method_named(decoder)
        if not isinstance(batch_size, int) or batch_size < 1:
            raise ValueError(f"batch_size must be a whole number of at least 1, not {batch_size!r}")
        search_settings, others = _split_settings(method, settings)
        if method.edits:
            _refuse_for_editing(method, others, logits_processor, stopping_criteria, trace)
        for start in range(0, len(requests), batch_size):
            several = requests[start : start + batch_size]
            jobs = [self._job(request, method, reduce, search_settings, others) for request in several]
            if trace is not None:
                trace.start_batch(
                    [start + place if one.number is None else one.number for place, one in enumerate(several)]
                )
            surroundings = self._surroundings(
                jobs, search_settings, others, logits_processor, stopping_criteria
            )
            budget = search_settings.max_new_tokens - surroundings.forced_end
            for job in jobs:
                job.given.constraint.require_budget(budget)
                if method.expresses is Expressivity.ANYTHING:
                    _warn_of_budget(job.given, budget)
            outputs = self._runner.run(jobs, method, search_settings, replace(surroundings, trace=trace))
            names = [type(one).__name__ for one in logits_processor] or sorted(others)
            for job, output in zip(jobs, outputs, strict=True):
                _warn_of_lapse(output, names)
                yield self._runner.result(job, output)

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

    def _surroundings(
        self,
        jobs: Sequence[Job],
        settings: SearchSettings,
        others: dict[str, Any],
        logits_processor: Sequence[Any],
        stopping_criteria: Sequence[Any],
    ) -> Surroundings:
        longest = max(len(job.given.prompt.ids) for job in jobs)
        processors, forced_end = self._loaded.processors(longest, settings.max_new_tokens, others)
        return Surroundings(
            processors=(*processors, *logits_processor),
            criteria=tuple(stopping_criteria),
            forced_end=forced_end,
        )


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
    trace: Trace | None,
) -> None:
    """Whole sentences are edited, so nothing can act on the scores of a next token."""
    given = [*others, *(type(one).__name__ for one in (*logits_processor, *stopping_criteria))]
    given += ["trace"] if trace is not None else []
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
            stacklevel=4,
        )


def _warn_of_lapse(output: SearchOutput, processors: list[str]) -> None:
    if output.promised and not output.kept:
        warnings.warn(
            "the guarantee lapsed: "
            + (f"{', '.join(processors)} forbade" if processors else "the model gave no score to")
            + " what the formula needs",
            UnsatisfiedWarning,
            stacklevel=4,
        )


def _require_satisfied(results: Sequence[Result]) -> None:
    for result in results:
        if not result.satisfied:
            raise UnsatisfiedError(f"unmet: {'; '.join(result.unmet)} in {result.text!r}", result)
