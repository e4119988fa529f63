"""What a search starts from and what it gives, for one text."""

from __future__ import annotations

from dataclasses import dataclass, field

from neurologic.feasibility.constraint import CompiledConstraint
from neurologic.matching.vocabulary import TokenIds
from neurologic.models.base import EncodedPrompt
from neurologic.search.hypothesis import Finished


@dataclass(frozen=True)
class SearchInput:
    """One text to write.

    prompt      what it follows
    constraint  what has to hold of it
    seed        where its chance comes from
    earlier     tokens before the text whose n-grams must not be repeated either
    """

    prompt: EncodedPrompt
    constraint: CompiledConstraint
    seed: int = 0
    earlier: TokenIds = ()


@dataclass(frozen=True)
class SearchOutput:
    """The texts found for an input, best first.

    ranked    the same with texts that read alike, as Hugging Face returns them
    promised  whether the guarantee held from the start: the payment plan fitted into the budget
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
