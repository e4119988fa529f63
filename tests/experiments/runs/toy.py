"""A task without data or packages, and a model that answers at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from neurologic.errors import PromptError
from neurologic.experiments.metrics.base import Corpus, Mean, Numbers, Score, corpus, measure
from neurologic.experiments.runs import Prediction, RunFolder, generate_missing
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


def answer(asked: Item, said: str = "A dog {}.") -> Result:
    """Answer "prompt N" by `said`, as a model with two tokens and three calls per text would."""
    return _result(asked.prompt, asked.formula, said)


def _result(prompt: Any, formula: Any, said: str) -> Result:
    text = said.format(str(prompt).removeprefix("prompt "))
    return Result(text, -0.5, check(formula, text), tokens=(1, 2), logprob=-1.0, calls=3)


class Model:
    """Answers "prompt N" by `said`; a prompt that is "too long" is an error, as with a real model.

    asked  the prompts, call by call
    """

    def __init__(self, said: str = "A dog {}.") -> None:
        self.said = said
        self.asked: list[list[str]] = []

    def stream(self, requests: Iterable[Any], **options: Any) -> Iterator[Result]:
        self.options = options
        listed = list(requests)
        self.asked.append([request.prompt for request in listed])
        for request in listed:
            if request.prompt == "too long":
                result = Result("", 0.0, error=PromptError("the prompt has 9999 tokens"))
            else:
                result = _result(request.prompt, request.constraint, self.said)
            yield replace(result, request=request)


def predict(model: Model, items: Sequence[Item]) -> list[Prediction]:
    """Have the model write for the items; the predictions in the order of the items."""
    run = RunFolder(None, {})
    options: dict[str, Any] = {"decoder": "neurologic", "settings": {"num_beams": 2}}
    for _ in generate_missing(run, model, items, **options):  # type: ignore[arg-type]
        pass
    return list(run.predictions(items))
