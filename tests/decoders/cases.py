"""Every decoder that writes from left to right, with the settings that make it another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from neurologic.decoders.registry import DECODERS, DecoderEntry
from neurologic.errors import ContradictionError, UnspellableError
from neurologic.feasibility.compiled_constraint import CompiledConstraint, compile_clauses, compile_formula
from neurologic.generation.job import Job
from neurologic.logic import Formula, parse, to_clauses
from neurologic.logic.expressivity import Expressivity, reduce_clauses
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models.base import EncodedPrompt
from neurologic.search.engine import search
from neurologic.search.input_output import SearchInput, SearchOutput
from neurologic.search.settings import SearchSettings
from toys import ToyModel


@dataclass(frozen=True)
class Case:
    """A decoder and the settings that it is run with."""

    decoder: DecoderEntry
    knobs: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join([self.decoder.name, *(f"{name}={value}" for name, value in self.knobs.items())])

    @property
    def draws(self) -> bool:
        """Whether the text depends on the seed."""
        return self.decoder.name in ("top-k", "top-p") or self.knobs.get("do_sample", False)

    def run(
        self,
        model: ToyModel,
        constraints: Sequence[CompiledConstraint],
        *,
        prompts: Sequence[tuple[int, ...]] | None = None,
        **knobs: Any,
    ) -> list[SearchOutput]:
        """One search for all constraints; settings that the decoder ignores are left out."""
        settings = self.decoder.settings(self.decoder.accepted({**self.knobs, **knobs}))
        prompts = [(1,)] * len(constraints) if prompts is None else prompts
        inputs = [
            SearchInput(EncodedPrompt(prompt), constraint, settings.seed)
            for prompt, constraint in zip(prompts, constraints, strict=True)
        ]
        if settings.do_sample and settings.num_return_sequences > 1:
            return [_drawn(model, given, self.decoder, settings) for given in inputs]
        return search(model, inputs, self.decoder.load(), settings)

    def write(self, model: ToyModel, formula: str | None, **knobs: Any) -> SearchOutput:
        """One search for a formula text."""
        constraint = compile_formula(parse(formula) if formula else None, model.vocabulary)
        return self.run(model, [constraint], **knobs)[0]


def _drawn(
    model: ToyModel, given: SearchInput, decoder: DecoderEntry, settings: SearchSettings
) -> SearchOutput:
    """Draw as many different texts as the settings ask for, as the scheduler does."""
    job = Job(replace(given, settings=settings), given.constraint)
    outputs: list[SearchOutput] = []
    for draw in range(3 * settings.num_return_sequences):
        (drawn,) = job.draws(draw, 1)
        outputs += search(model, [drawn], decoder.load(), drawn.settings)
        joined = SearchOutput.joined(outputs)
        if len(joined.texts) == settings.num_return_sequences:
            break
    return joined


def expressed(formula: Formula, vocabulary: Vocabulary, what: Expressivity) -> CompiledConstraint | None:
    """What a decoder can express of a formula; None where no text satisfies it."""
    try:
        compile_formula(formula, vocabulary)
        return compile_clauses(reduce_clauses(to_clauses(formula), what).clauses, vocabulary)
    except (ContradictionError, UnspellableError):
        return None


CASES = [
    *(Case(decoder) for decoder in DECODERS.values() if not decoder.edits),
    Case(DECODERS["neurologic"], {"do_sample": True}),
    Case(DECODERS["astar"], {"look_ahead_kind": "beam", "look_ahead_width": 2}),
    Case(DECODERS["astar"], {"look_ahead_kind": "sample", "look_ahead_width": 2}),
]
CONSTRAINED = [case for case in CASES if case.decoder.expresses is not Expressivity.NOTHING]
ANYTHING = [case for case in CASES if case.decoder.expresses is Expressivity.ANYTHING]
