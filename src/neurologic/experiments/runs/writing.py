"""The texts of a task's items by a model, as they are done; a failure is kept to the item it belongs to."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from neurologic.errors import NeurologicError
from neurologic.experiments.tasks.base import Item
from neurologic.generation.request import Request
from neurologic.generation.result import Result

if TYPE_CHECKING:
    from neurologic.experiments.runs.runs import Run
    from neurologic.generation.model import ConstrainedModel


def continued(
    run: Run,
    lm: ConstrainedModel,
    items: Sequence[Item],
    *,
    decoder: str,
    settings: Mapping[str, Any],
    batch_size: int = 8,
) -> Iterator[tuple[Item, Result | NeurologicError]]:
    """Write those texts of an open run that are missing; each is kept before it is given out."""
    left = run.left(items)
    started = time.perf_counter()
    for item, result in written(lm, left, decoder=decoder, settings=settings, batch_size=batch_size):
        ended = time.perf_counter()
        run.add(item, result, ended - started)
        started = ended
        yield item, result


def written(
    lm: ConstrainedModel,
    items: Sequence[Item],
    *,
    decoder: str,
    settings: Mapping[str, Any],
    batch_size: int = 8,
) -> Iterator[tuple[Item, Result | NeurologicError]]:
    """Each item with its result or an error, as soon as it is done: not in their order.

    A decoder that cannot express a formula gets what it can express of it; `Result.reduced` says so.
    """
    requests = (Request(item.prompt, item.formula, item.raw, id=item) for item in items)
    for result in lm.stream(
        requests, decoder=decoder, reduce=True, batch_size=batch_size, on_error="return", **settings
    ):
        assert result.request is not None
        yield result.request.id, result if result.error is None else _expected(result.error)


def _expected(error: Exception) -> NeurologicError:
    """Raise an error that no item is to blame for."""
    if isinstance(error, NeurologicError):
        return error
    raise error
