"""The input and the output of one search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from neurologic.feasibility.compiled_constraint import CompiledConstraint
from neurologic.matching.vocabulary import TokenIds
from neurologic.models.base import EncodedPrompt
from neurologic.search.hypothesis import Finished
from neurologic.search.progress import Progress
from neurologic.search.settings import SearchSettings
from neurologic.search.trace import Recording
from neurologic.search.two_prompts import Twin
from neurologic.search.unwanted_phrases import Unwanted


@dataclass
class TraceProgress:
    """What a trace knows of one search.

    steps   how many steps it has; a search that starts again does not repeat them
    own     a trace of this search alone, beside that of the batch
    """

    steps: int = 0
    own: Recording | None = None


@dataclass(frozen=True)
class SearchInput:
    """One text to search for.

    prompt      the prompt that the text follows
    constraint  the clauses that the text must satisfy
    seed        seeds the random choices of this search alone
    earlier     tokens before the text whose n-grams must not be repeated either
    settings    how to search
    label       how a trace names this input
    traced      what a trace has of this search; None if it shall not record it
    twin        a second prompt that scores the text as long as it owes something
    quotable    whether the text may repeat long runs of its prompts; see `SearchSettings.no_echo_size`
    openings    beginnings that the text must not have, in lower case
    unwanted    phrases that the text must not have, unless its formula needs them
    progress    learns after every step which beginning of the text is certain
    """

    prompt: EncodedPrompt
    constraint: CompiledConstraint
    seed: int = 0
    earlier: TokenIds = ()
    settings: SearchSettings = field(default_factory=SearchSettings)
    label: object = None
    traced: TraceProgress | None = field(default_factory=TraceProgress, compare=False)
    twin: Twin | None = None
    quotable: bool = True
    openings: tuple[str, ...] = ()
    unwanted: tuple[Unwanted, ...] = ()
    progress: Progress | None = field(default=None, compare=False)


@dataclass(frozen=True)
class SearchOutput:
    """The texts found for an input, best first.

    ranked    the same, but texts that read alike take a place each, as in Hugging Face
    spare     finished texts that come after them
    promised  whether the guarantee held at the start: the payment plan fitted into the budget
    kept      whether it held to the end (processors of the caller can break it)
    calls     model calls: texts that the model read one token further
    reused    roll-out steps that needed no model call
    """

    texts: list[Finished]
    promised: bool = False
    kept: bool = False
    calls: int = 0
    reused: int = 0
    ranked: list[Finished] = field(default_factory=list)
    spare: list[Finished] = field(default_factory=list)

    @classmethod
    def joined(cls, outputs: Sequence[SearchOutput]) -> SearchOutput:
        """Return the different texts of several searches for one input."""
        texts: dict[bytes, Finished] = {}
        for output in outputs:
            for text in output.texts:
                texts.setdefault(text.text.strip(), text)
        return cls(
            sorted(texts.values(), key=lambda text: (-text.satisfied, -text.score)),
            promised=all(output.promised for output in outputs),
            kept=all(output.kept for output in outputs),
            calls=sum(output.calls for output in outputs),
            reused=sum(output.reused for output in outputs),
        )
