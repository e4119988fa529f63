"""A model as the function of `dataset.map(…, batched=True)` for Hugging Face datasets: columns to columns.

The new columns always have values of the same types: `datasets` takes the types of a column from its first
batch, and a column of nothing but None would not fit what comes later. So a row without an error has "".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from neurologic.generation.request import Request
from neurologic.generation.result import Result

Columns = dict[str, list[Any]]


def mapper(
    stream: Callable[[list[Request]], Iterator[Result]],
    prompt_column: str,
    formula_column: str | None = None,
    plain_prompt_column: str | None = None,
) -> Callable[[Mapping[str, Sequence[Any]]], Columns]:
    """Return a function from the columns of a batch to the columns of its results.

    stream  gives the results of requests in their order, an error in its result
    """

    def write(batch: Mapping[str, Sequence[Any]]) -> Columns:
        prompts = batch[prompt_column]
        formulas, plain_prompts = (
            [None] * len(prompts) if name is None else batch[name]
            for name in (formula_column, plain_prompt_column)
        )
        requests = [
            Request(prompt, formula or None, plain_prompt=plain or None)
            for prompt, formula, plain in zip(prompts, formulas, plain_prompts, strict=True)
        ]
        results = list(stream(requests))
        return {
            "text": [result.text for result in results],
            "score": [float(result.score) for result in results],
            "satisfied": [result.satisfied for result in results],
            "unmet": ["; ".join(result.unmet) for result in results],
            "wishes": ["; ".join(wish.text for wish in result.wishes if wish.met) for result in results],
            "forced": [result.forced for result in results],
            "error": ["" if result.error is None else str(result.error) for result in results],
        }

    return write
