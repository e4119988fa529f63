"""From an encoded prompt and a constraint to a judged text: what `lm.generate` and `custom_generate` share.

A `JobRunner` compiles constraints for one model, hands jobs to a decoder, and judges every text anew with the
plain specification.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import Any, TypeAlias

from neurologic.decoders.editing.loop import edit
from neurologic.decoders.registry import DecoderEntry
from neurologic.errors import ExpressivityError, VerificationError
from neurologic.feasibility.constraint import CompiledConstraint, compile_clauses, compile_formula
from neurologic.logic import Clause, Expressivity, Formula, Phrase, check, occurs, reduce_clauses, to_formula
from neurologic.matching.vocabulary import TokenIds
from neurologic.models.base import EncodedPrompt, LanguageModel
from neurologic.results import Result
from neurologic.search.engine import search, search_each
from neurologic.search.hypothesis import Finished
from neurologic.search.input_output import SearchInput, SearchOutput
from neurologic.search.settings import SearchSettings
from neurologic.search.several import search_several
from neurologic.search.surroundings import Surroundings

Constraint: TypeAlias = Formula | str | Mapping[str, Any] | Sequence[Any] | None

# Compiled formulas kept per model; a formula of some clauses with its remembered plans takes some hundred kB.
_KEPT_CONSTRAINTS = 256


@dataclass(frozen=True)
class Job:
    """A text to write: what is searched for, and what the text is judged by.

    given    the search's input; its constraint is what the decoder can express
    whole    the constraint that was asked for
    reduced  by which rule the one was made of the other, "" where they are the same
    is_text  whether the decoder writes valid text only; one without constraints may write broken characters
    """

    given: SearchInput
    whole: CompiledConstraint
    reduced: str = ""
    is_text: bool = True


class JobRunner:
    """Compiles, runs and judges for one model; thread-safe."""

    def __init__(self, loaded: Any) -> None:
        self.loaded = loaded
        self._compiled: dict[Formula | None, CompiledConstraint] = {}
        self._reduced: dict[tuple[Clause, ...], CompiledConstraint] = {}
        self._lock = threading.Lock()

    def compile(self, constraint: Constraint | CompiledConstraint) -> CompiledConstraint:
        """Compile a constraint for this tokenizer; contradictions and unspellable phrases raise here."""
        if isinstance(constraint, CompiledConstraint):
            if constraint.vocabulary is not self.loaded.vocabulary:
                raise ValueError(
                    "this constraint was compiled for another tokenizer; compile it with this model"
                )
            return constraint
        formula = to_formula(constraint)
        with self._lock:
            known = self._compiled.get(formula)
        if known is None:
            known = compile_formula(formula, self.loaded.vocabulary)
            with self._lock:
                if len(self._compiled) >= _KEPT_CONSTRAINTS:
                    self._compiled.pop(next(iter(self._compiled)))
                known = self._compiled.setdefault(formula, known)
        return known

    def job(
        self,
        prompt: EncodedPrompt,
        constraint: Constraint | CompiledConstraint,
        method: DecoderEntry,
        settings: SearchSettings,
        *,
        reduce: bool = False,
        earlier: TokenIds = (),
    ) -> Job:
        """Make a job ready; what the decoder or the budget cannot do raises here."""
        whole = self.compile(constraint)
        expressed, label = self._expressed(whole, method, reduce)
        expressed.require_budget(settings.max_new_tokens)
        if not method.edits:
            method.load().require(expressed)
        given = SearchInput(prompt, expressed, _own_seed(method, settings.seed, prompt.ids), earlier)
        return Job(given, whole, label, is_text=method.expresses is not Expressivity.NOTHING)

    def _expressed(
        self, whole: CompiledConstraint, method: DecoderEntry, reduce: bool
    ) -> tuple[CompiledConstraint, str]:
        """What the decoder is asked for: the whole constraint, or with `reduce` what it can express of it."""
        inexpressible = [clause for clause in whole.clauses if not method.expresses.covers(clause)]
        if not inexpressible:
            return whole, ""
        if not reduce:
            raise ExpressivityError(
                f"the decoder {method.name} expresses {method.expresses.value}, and cannot obey "
                f"{', '.join(clause.text for clause in inexpressible[:5])}"
                + (f" and {len(inexpressible) - 5} more" if len(inexpressible) > 5 else "")
                + "; use neurologic, or reduce the formula (reduce=True, --reduce)"
            )
        reduction = reduce_clauses(whole.clauses, method.expresses)
        with self._lock:
            known = self._reduced.get(reduction.clauses)
        if known is None:
            known = compile_clauses(reduction.clauses, self.loaded.vocabulary)
            with self._lock:
                if len(self._reduced) >= _KEPT_CONSTRAINTS:
                    self._reduced.pop(next(iter(self._reduced)))
                known = self._reduced.setdefault(reduction.clauses, known)
        return known, reduction.label

    def run(
        self,
        jobs: Sequence[Job],
        method: DecoderEntry,
        settings: SearchSettings,
        surroundings: Surroundings,
        model: LanguageModel | None = None,
    ) -> list[SearchOutput]:
        """Write the texts of some jobs in one batch; `model` stands in for the loaded one."""
        inputs = [job.given for job in jobs]
        if method.edits:
            return edit(self.loaded, inputs, method.load(), settings)
        model = model or self.loaded
        if settings.do_sample and settings.num_return_sequences > 1:
            return search_several(model, inputs, method.load(), settings, surroundings)
        return search(model, inputs, method.load(), settings, surroundings)

    def run_each(
        self,
        jobs: Iterable[Job],
        method: DecoderEntry,
        settings: SearchSettings,
        surroundings: Surroundings,
        *,
        at_once: int,
    ) -> Iterator[tuple[int, SearchOutput]]:
        """Write the texts of any number of jobs, some at a time; gives each with its number when it is done.

        The next job takes the place of one that is done where model and decoder can do that.
        """
        if not method.edits and not (settings.do_sample and settings.num_return_sequences > 1):
            inputs = (job.given for job in jobs)
            yield from search_each(
                self.loaded, inputs, method.load(), settings, surroundings, at_once=at_once
            )
            return
        waiting = enumerate(jobs)
        while batch := list(islice(waiting, at_once)):
            outputs = self.run([job for _, job in batch], method, settings, surroundings)
            yield from ((number, output) for (number, _), output in zip(batch, outputs, strict=True))

    def result(self, job: Job, output: SearchOutput) -> Result:
        """The best text of a job with its verdict, and the others."""
        best, *others = (self._judged(job, text) for text in output.texts)
        return replace(best, others=tuple(others), calls=output.calls, reused=output.reused)

    def _judged(self, job: Job, text: Finished) -> Result:
        """The result of a text, judged by reading the decoded text, and compared with what was tracked."""
        one, constraint = job.given, job.given.constraint
        written = self.loaded.decode(text.tokens, one.prompt)
        if job.is_text and not _is_whole(text.text):
            written = text.text.decode(errors="ignore")  # cut off inside a character by a time limit
        in_tokens = constraint.token_phrases(text.tokens) | job.whole.token_phrases(text.tokens)

        @cache  # thousands of forbidden phrases are asked for twice
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
            clauses=check(job.whole.clauses, written, one.prompt.before, occurred=occurred),
            forced=text.forced,
            ending=text.ending,
            tokens=text.tokens,
            logprob=text.logprob,
            before=one.prompt.before[-1:],
            reduced=job.reduced,
        )


def _is_whole(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _own_seed(method: DecoderEntry, seed: int, prompt: tuple[int, ...]) -> int:
    """The seed of one input: prompts and decoders draw differently, but each the same in any batch."""
    named = f"{method.name} {seed} {prompt}".encode()
    return int.from_bytes(hashlib.blake2b(named, digest_size=7).digest())
