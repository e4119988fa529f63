"""A task without data or packages, and a model that answers at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from neurologic.errors import NeurologicError, PromptError
from neurologic.experiments.metrics.base import Corpus, Mean, Numbers, Score, corpus, measure
from neurologic.experiments.tasks.base import Item, Option, Options
from neurologic.generation.result import Result
from neurologic.logic import check, parse


@dataclass(frozen=True)
class Exact(Mean):
    """Whether an output is one of the references."""

    name: ClassVar[str] = "exact"
    title: ClassVar[str] = "Exact"

    def statistics(self, texts: Corpus) -> Numbers:
        pairs = zip(texts.outputs, texts.references, strict=True)
        return np.array([(float(output in several), 1.0) for output, several in pairs])

    def settings(self) -> str:
        return "case:mixed"


def item(number: int, formula: str = "dog", **fields: Any) -> Item:
    return Item(
        id=f"dev-{number}",
        title=f"title {number}",
        prompt=f"prompt {number}",
        formula=parse(formula),
        references=(f"A dog {number}.", "A dog."),
        **fields,
    )


class Toy:
    """Says "A dog N." to the prompt "prompt N"."""

    name = "toy"
    title = "Toy"
    summary = "say it"
    data = "nothing"
    packages: Mapping[str, str] = {}
    options: tuple[Option, ...] = (
        Option("tone", "how to say it", {"plain": "as it is", "loud": "in capitals"}),
        Option("name", "whom to say it to", text="you"),
    )
    examples = ""

    def settings(self, options: Options, decoder: str) -> dict[str, Any]:
        return {"max_new_tokens": 8}

    def items(self, data: str | Path, split: str, options: Options) -> list[Item]:
        return [item(number) for number in range(1, 6)]

    def outputs(self, path: Path, data: str | Path, split: str, items: Sequence[Item]) -> list[str]:
        return path.read_text().splitlines()

    def measure(self, outputs: Sequence[str], items: Sequence[Item]) -> list[Score]:
        return [measure(Exact(), corpus(outputs, [item.references for item in items]))]


class Model:
    """Answers "prompt N" by `said`; a prompt that is "too long" fails as a real one does.

    asked  the prompts, call by call
    """

    def __init__(self, said: str = "A dog {}.") -> None:
        self.said = said
        self.asked: list[list[str]] = []

    def generate_as_done(self, requests: Sequence[Any], **settings: Any) -> Iterator[tuple[int, Result]]:
        self.settings = settings
        self.asked.append([request.prompt for request in requests])
        for number, request in enumerate(requests):
            if request.prompt == "too long":
                raise PromptError("the prompt has 9999 tokens")
            text = self.said.format(str(request.prompt).removeprefix("prompt "))
            verdict = check(request.constraint, text)
            yield number, Result(text, -0.5, verdict, tokens=(1, 2), logprob=-1.0, calls=3)


def results(model: Model, items: Sequence[Item]) -> list[Result | NeurologicError]:
    from neurologic.experiments.runs.writing import written

    how: dict[str, Any] = {"decoder": "neurologic", "settings": {"num_beams": 2}}
    found = {one.id: result for one, result in written(model, items, **how)}  # type: ignore[arg-type]
    return [found[one.id] for one in items]
