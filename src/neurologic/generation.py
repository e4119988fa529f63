"""`lm.generate`: from prompts and formulas to verified texts.

This is the class a user holds. It compiles constraints, cuts inputs into batches, runs a decoder, and judges
every text anew with the plain specification before handing it out.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from neurologic.constraint import CompiledConstraint, compile_formula
from neurologic.errors import PromptError, UnsatisfiedError, UnsatisfiedWarning, VerificationError
from neurologic.logic import Formula, Phrase, check, occurs, to_formula
from neurologic.models.loading import LoadedModel
from neurologic.results import Result
from neurologic.search.decoder import Decoder
from neurologic.search.engine import SearchInput, SearchOutput, Surroundings, search
from neurologic.search.hypothesis import Finished
from neurologic.search.neurologic import NeuroLogicDecoder
from neurologic.search.settings import SearchSettings
from neurologic.search.trace import Trace

Messages: TypeAlias = Sequence[Mapping[str, str]]
Prompt: TypeAlias = str | Messages
Constraint: TypeAlias = Formula | str | Mapping[str, Any] | Sequence[Any] | None

DECODERS: dict[str, Callable[[], Decoder]] = {NeuroLogicDecoder.name: NeuroLogicDecoder}

# Compiled formulas kept per model; a formula of some clauses with its remembered plans takes some hundred kB.
_KEPT_CONSTRAINTS = 256


# Arguments of Hugging Face's generation that this search would ignore without a word.
_WITHOUT_EFFECT = {
    "max_length": "it counts the prompt; use max_new_tokens",
    "min_length": "it counts the prompt; use min_new_tokens",
    "do_sample": "this decoder does not sample",
    "temperature": "this decoder does not sample",
    "top_k": "this decoder does not sample",
    "top_p": "this decoder does not sample",
    "eos_token_id": "set model.generation_config.eos_token_id before wrapping the model",
    "force_words_ids": "write a formula instead",
    "constraints": "write a formula instead",
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

    def __init__(self, loaded: LoadedModel) -> None:
        self._loaded = loaded
        self._compiled: dict[Formula | None, CompiledConstraint] = {}
        self._lock = threading.Lock()

    @property
    def model(self) -> Any:
        """The Hugging Face model."""
        return self._loaded.model

    @property
    def tokenizer(self) -> Any:
        """The Hugging Face tokenizer."""
        return self._loaded.tokenizer

    def compile(self, constraint: Constraint | CompiledConstraint) -> CompiledConstraint:
        """Compile a constraint for this tokenizer; contradictions and unspellable phrases raise here."""
        if isinstance(constraint, CompiledConstraint):
            if constraint.vocabulary is not self._loaded.vocabulary:
                raise ValueError(
                    "this constraint was compiled for another tokenizer; compile it with this model"
                )
            return constraint
        formula = to_formula(constraint)
        with self._lock:
            known = self._compiled.get(formula)
        if known is None:
            known = compile_formula(formula, self._loaded.vocabulary)
            with self._lock:
                if len(self._compiled) >= _KEPT_CONSTRAINTS:
                    self._compiled.pop(next(iter(self._compiled)))
                known = self._compiled.setdefault(formula, known)
        return known

    def generate(
        self,
        prompt: Prompt | Sequence[Prompt],
        constraint: Constraint | CompiledConstraint | Sequence[Constraint | CompiledConstraint] = None,
        *,
        raw: bool = False,
        decoder: str = "neurologic",
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
        for request in requests:  # what is wrong with the last one is said before the first one runs
            self._input(request, *_split_settings(settings))
        results = list(
            self.generate_each(
                requests,
                decoder=decoder,
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
        batch_size: int = 8,
        logits_processor: Sequence[Any] = (),
        stopping_criteria: Sequence[Any] = (),
        trace: Trace | None = None,
        **settings: Any,
    ) -> Iterator[Result]:
        """Like `generate`, one result at a time in the order of the requests, as batches are done.

        Requests are looked at batch by batch, so that any number of them can be given.
        """
        if decoder not in DECODERS:
            raise ValueError(f"unknown decoder {decoder!r}; choose one of {', '.join(sorted(DECODERS))}")
        if not isinstance(batch_size, int) or batch_size < 1:
            raise ValueError(f"batch_size must be a whole number of at least 1, not {batch_size!r}")
        search_settings, others = _split_settings(settings)
        for start in range(0, len(requests), batch_size):
            several = requests[start : start + batch_size]
            batch = [self._input(request, search_settings, others) for request in several]
            if trace is not None:
                trace.start_batch(
                    [start + place if one.number is None else one.number for place, one in enumerate(several)]
                )
            surroundings = self._surroundings(
                batch, search_settings, others, logits_processor, stopping_criteria
            )
            budget = search_settings.max_new_tokens - surroundings.forced_end
            for one in batch:
                one.constraint.require_budget(budget)
                _warn_of_budget(one, budget)
            outputs = search(
                self._loaded,
                batch,
                DECODERS[decoder](),
                search_settings,
                replace(surroundings, trace=trace),
            )
            names = [type(one).__name__ for one in logits_processor] or sorted(others)
            for one, output in zip(batch, outputs, strict=True):
                _warn_of_lapse(output, names)
                yield self._result(one, output)

    def _input(self, request: Request, settings: SearchSettings, others: dict[str, Any]) -> SearchInput:
        constraint = self.compile(request.constraint)
        constraint.require_budget(settings.max_new_tokens)
        prompt = self._loaded.encode(
            request.prompt, raw=request.raw, forced_bos_token_id=others.get("forced_bos_token_id")
        )
        self._loaded.check_length(prompt, settings.max_new_tokens)
        return SearchInput(prompt, constraint)

    def _surroundings(
        self,
        batch: Sequence[SearchInput],
        settings: SearchSettings,
        others: dict[str, Any],
        logits_processor: Sequence[Any],
        stopping_criteria: Sequence[Any],
    ) -> Surroundings:
        longest = max(len(one.prompt.ids) for one in batch)
        processors, forced_end = self._loaded.processors(longest, settings.max_new_tokens, others)
        return Surroundings(
            processors=(*processors, *logits_processor),
            criteria=tuple(stopping_criteria),
            forced_end=forced_end,
        )

    # -- results --------------------------------------------------------------------------------

    def _result(self, one: SearchInput, output: SearchOutput) -> Result:
        best, *others = (self._judged(one, text) for text in output.texts)
        return replace(best, others=tuple(others))

    def _judged(self, one: SearchInput, text: Finished) -> Result:
        """The result of a text, judged by reading the decoded text, and compared with what was tracked."""
        constraint = one.constraint
        written = self._loaded.decode(text.tokens, one.prompt)
        if not _is_whole(text.text):
            written = text.text.decode(errors="ignore")  # cut off inside a character by a time limit
        in_tokens = constraint.token_phrases(text.tokens)

        def occurred(phrase: Phrase) -> bool:
            if phrase.match == "tokens":
                return phrase in in_tokens
            return occurs(phrase, written, before=one.prompt.before)

        for number, phrase in enumerate(constraint.phrases):
            if occurred(phrase) != bool(text.present >> number & 1):
                raise VerificationError(
                    f"neurologic is wrong about {phrase} in the text {written!r}. This is a bug; please "
                    f"report it with the formula and the tokenizer ({constraint.vocabulary.name})"
                )
        return Result(
            text=written if one.prompt.before else written.strip(),
            score=text.score,
            clauses=check(constraint.clauses, written, one.prompt.before, occurred=occurred),
            forced=text.forced,
            ending=text.ending,
            tokens=text.tokens,
            logprob=text.logprob,
            before=one.prompt.before[-1:],
        )


def _is_one_prompt(prompt: Any) -> bool:
    if isinstance(prompt, str):
        return True
    if not isinstance(prompt, Sequence):
        raise PromptError(f"a prompt is a text or a list of messages, not {type(prompt).__name__}")
    return bool(prompt) and all(isinstance(item, Mapping) for item in prompt)


def _is_whole(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


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


def _split_settings(settings: dict[str, Any]) -> tuple[SearchSettings, dict[str, Any]]:
    """The search's own settings, and the rest, which is Hugging Face's."""
    settings = dict(settings)
    for name in _WITHOUT_EFFECT.keys() & settings.keys():
        raise ValueError(f"{name} has no effect here: {_WITHOUT_EFFECT[name]}")
    settings.pop("seed", None)  # accepted, so that callers can always pass it; nothing here is random
    stop = settings.get("stop_strings")
    if stop is not None:
        settings["stop_strings"] = (stop,) if isinstance(stop, str) else tuple(stop)
    own = {name for name in SearchSettings.__dataclass_fields__ if settings.get(name) is not None}
    return (
        SearchSettings(**{name: settings[name] for name in own}),
        {name: value for name, value in settings.items() if name not in SearchSettings.__dataclass_fields__},
    )


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
