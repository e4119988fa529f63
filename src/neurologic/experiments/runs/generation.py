"""Have a model write the texts that a run lacks; an item that fails does not stop the others."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from neurologic.errors import NeurologicError
from neurologic.experiments.runs.folder import RunFolder
from neurologic.experiments.runs.prediction import Prediction
from neurologic.experiments.tasks.base import Item
from neurologic.generation.result import Result

if TYPE_CHECKING:
    from neurologic.generation.model import ConstrainedModel


def generate_missing(
    run: RunFolder,
    lm: ConstrainedModel,
    items: Sequence[Item],
    *,
    decoder: str,
    settings: Mapping[str, Any],
    batch_size: int = 8,
) -> Iterator[tuple[Item, Prediction]]:
    """Write the missing texts of an open run; store each one before yielding it, in the order they finish.

    A decoder that cannot express a formula gets the part it can express; `Result.reduced` says so.
    """
    started = time.perf_counter()
    missing = run.missing(items)
    for item, result in _results(lm, missing, decoder=decoder, batch_size=batch_size, **settings):
        ended = time.perf_counter()
        yield item, run.add(item, result, ended - started)
        started = ended


def _results(
    lm: ConstrainedModel, items: Sequence[Item], **options: Any
) -> Iterator[tuple[Item, Result | NeurologicError]]:
    from neurologic.generation.turns import Request

    left = list(items)
    while left:
        requests = [Request(item.prompt, item.formula, item.raw) for item in left]
        done = 0
        try:
            for number, result in lm.generate_as_done(requests, reduce=True, **options):
                done += 1
                yield left[number], result
        except NeurologicError as error:
            # The model raises it when all items before the failing one have their results, and no others.
            yield left[done], error
            done += 1
        left = left[done:]
