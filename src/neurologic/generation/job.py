"""Jobs: requests that are checked, compiled and encoded, ready to be searched for."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from neurologic.decoders.registry import DecoderEntry
from neurologic.feasibility.compiled_constraint import CompiledConstraint
from neurologic.generation.compiler import Compiler
from neurologic.generation.request import Constraint, Request
from neurologic.logic import Expressivity
from neurologic.matching.vocabulary import TokenIds
from neurologic.models.base import EncodedPrompt
from neurologic.search.input_output import SearchInput, TraceProgress
from neurologic.search.settings import SearchSettings
from neurologic.search.trace import Recording


@dataclass(frozen=True)
class Job:
    """A text to search for, and the constraint to judge it by.

    search_input  its constraint is what the decoder can express
    whole         the constraint that the caller asked for
    reduced       the rule that reduced `whole` to `search_input.constraint`, "" if they are the same
    is_text       whether the decoder writes valid text only; without constraints it may break characters
    reads_well    whether a text without marks may come before a likelier one
    request       where it comes from
    warnings      reasons to expect that the text breaks its formula
    """

    search_input: SearchInput
    whole: CompiledConstraint
    reduced: str = ""
    is_text: bool = True
    reads_well: bool = False
    request: Request | None = None
    warnings: tuple[str, ...] = ()

    @property
    def avoids_marks(self) -> bool:
        """Whether a text without marks comes before a likelier one; drawn texts stay as they are drawn."""
        settings = self.search_input.settings
        return self.reads_well and settings.avoid_marks and not settings.do_sample

    def with_recording(self, tell: Callable[[dict[str, Any]], object] | None = None) -> Job:
        """Return the same job with a trace of its own; `tell` learns each record as it comes."""
        given = self.search_input
        traced = replace(given.traced or TraceProgress(), own=Recording(tell))
        return replace(self, search_input=replace(given, traced=traced))

    def draws(self, first: int, count: int) -> list[SearchInput]:
        """Return searches for this job with seeds of their own, from the seed number `first` on."""
        given = self.search_input
        settings = replace(given.settings, num_return_sequences=1)
        return [
            replace(
                given,
                settings=settings,
                seed=given.seed + draw,
                traced=given.traced if draw == 0 else None,
                progress=None,  # which of the texts comes first is open until all are drawn
            )
            for draw in range(first, first + count)
        ]


def make_job(
    compiler: Compiler,
    prompt: EncodedPrompt,
    constraint: Constraint | CompiledConstraint,
    decoder: DecoderEntry,
    settings: SearchSettings,
    *,
    reduce: bool = False,
    earlier: TokenIds = (),
    label: object = None,
    quotable: bool = True,
) -> Job:
    """Compile a constraint for a prompt; raise if the decoder or the budget does not allow it."""
    whole = compiler.compile(constraint)
    expressed, rule = compiler.reduce(whole, decoder.name, decoder.expresses, allowed=reduce)
    expressed.require_budget(settings.max_new_tokens)
    if not decoder.edits:
        decoder.load().require(expressed)
    seed = _own_seed(decoder.name, settings.seed, prompt.ids)
    search_input = SearchInput(prompt, expressed, seed, earlier, settings, label, quotable=quotable)
    return Job(
        search_input,
        whole,
        rule,
        is_text=decoder.expresses is not Expressivity.NOTHING,
    )


def _own_seed(decoder: str, seed: int, prompt: TokenIds) -> int:
    """Return a seed that differs by prompt and decoder, but not by the batch that a prompt runs in."""
    named = f"{decoder} {seed} {prompt}".encode()
    return int.from_bytes(hashlib.blake2b(named, digest_size=7).digest())
