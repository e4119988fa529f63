"""Have a model write the texts that a run lacks; an item that fails does not stop the others."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from neurologic.errors import NeurologicError, UnsatisfiedWarning
from neurologic.experiments.runs.folder import RunFolder
from neurologic.experiments.runs.prediction import Prediction
from neurologic.experiments.tasks.base import Item
from neurologic.generation.request import Request
from neurologic.generation.result import Result

if TYPE_CHECKING:
    from neurologic.generation.constrained_model import ConstrainedModel


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
    by_id = {item.id: item for item in run.missing(items)}
    requests = (Request(item.prompt, item.formula, item.raw, id=item.id) for item in by_id.values())
    started = time.perf_counter()
    for result in lm.stream(
        requests, on_error="return", reduce=True, decoder=decoder, batch_size=batch_size, **settings
    ):
        raise_unexpected(result)
        for message in result.warnings:
            warnings.warn(message, UnsatisfiedWarning, stacklevel=2)
        assert result.request is not None
        item = by_id[result.request.id]
        ended = time.perf_counter()
        yield item, run.add(item, result, ended - started)
        started = ended


def raise_unexpected(result: Result) -> None:
    """Raise an error that is a bug and not the fault of an input."""
    if result.error is not None and not isinstance(result.error, NeurologicError):
        raise result.error
