"""`lm.generate`: from prompts and formulas to verified texts.

This is the class a user holds. It reads prompts and formulas, one or lists of them; settings and batches are
the business of `call`, compiling, running a decoder and judging its texts that of `jobs`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from neurologic.errors import PromptError, UnsatisfiedError
from neurologic.feasibility.constraint import CompiledConstraint
from neurologic.generation.call import Call, Outside
from neurologic.generation.jobs import Constraint, JobRunner
from neurologic.generation.turns import Request, in_order
from neurologic.models.base import Prompt, TextModel
from neurologic.results import Result
from neurologic.search.stopwatch import Stopwatch
from neurologic.search.trace import Trace


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
        decoder     one of `neurologic.decoders.registry.METHODS`
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
        outside = Outside(tuple(logits_processor), tuple(stopping_criteria), trace, stopwatch)
        call = self._call(decoder, settings, outside, reduce, batch_size)
        jobs = list(map(call.job, requests))  # what is wrong with the last one is said before the first runs
        results = list(in_order(call.results(requests, jobs)))
        if on_unsatisfied == "raise":
            _require_satisfied(results)
        return results[0] if one else results

    def generate_each(self, requests: Sequence[Request], **how: Any) -> Iterator[Result]:
        """The results of `generate_as_done` in the order of the requests: each when those before are done."""
        return in_order(self.generate_as_done(requests, **how))

    def generate_as_done(
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
    ) -> Iterator[tuple[int, Result]]:
        """Like `generate`, one result at a time, as soon as a text is done, with the number of its request.

        Settings are checked at once; requests are looked at when their turn comes, so that any number of them
        can be given. One that cannot be run raises when all before it have their results; see `turns`.
        """
        outside = Outside(tuple(logits_processor), tuple(stopping_criteria), trace, stopwatch)
        call = self._call(decoder, settings, outside, reduce, batch_size)
        return call.results(requests, map(call.job, requests))

    def _call(
        self, decoder: str, settings: Mapping[str, Any], outside: Outside, reduce: bool, batch_size: int
    ) -> Call:
        return Call(
            self._loaded, self._runner, decoder, settings, outside, reduce=reduce, batch_size=batch_size
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


def _require_satisfied(results: Sequence[Result]) -> None:
    for result in results:
        if not result.satisfied:
            raise UnsatisfiedError(f"unmet: {'; '.join(result.unmet)} in {result.text!r}", result)
