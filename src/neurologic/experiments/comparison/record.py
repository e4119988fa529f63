"""The record of a comparison, which grows while decoders write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from neurologic.experiments.comparison.attempts import Attempt, Input
from neurologic.experiments.comparison.figures import Figures, figures_of


@dataclass
class Comparison:
    """Inputs and decoders, and the attempts so far: by decoder, then by the input's place.

    settings  how the texts were written, for whoever wants to repeat it
    """

    inputs: list[Input]
    decoders: list[str]
    settings: Mapping[str, Any] = field(default_factory=dict)
    attempts: dict[str, dict[int, Attempt]] = field(default_factory=dict)

    def add(self, decoder: str, place: int, attempt: Attempt) -> None:
        self.attempts.setdefault(decoder, {})[place] = attempt

    def of(self, decoder: str) -> dict[int, Attempt]:
        """The attempts of a decoder by the input's place; an interrupted run lacks some."""
        return self.attempts.get(decoder, {})

    def figures(self) -> dict[str, Figures]:
        """One row of figures per decoder."""
        return {decoder: figures_of(list(self.of(decoder).values())) for decoder in self.decoders}

    @property
    def complete(self) -> bool:
        """Whether every decoder has written a text for every input."""
        wanted = len(self.inputs) * len(self.decoders)
        return wanted == sum(figures.texts for figures in self.figures().values())

    def to_json(self) -> dict[str, Any]:
        """One document: settings, figures per decoder, texts with verdicts per input."""
        return {
            "settings": dict(self.settings),
            "decoders": [{"decoder": name, **figures.to_json()} for name, figures in self.figures().items()],
            "inputs": [
                {
                    "input": dict(one.fields),
                    "clauses": [clause.text for clause in one.clauses],
                    "texts": {
                        decoder: self.of(decoder)[place].to_json()
                        for decoder in self.decoders
                        if place in self.of(decoder)
                    },
                }
                for place, one in enumerate(self.inputs)
            ],
        }
