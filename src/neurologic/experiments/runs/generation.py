"""Have a model write the texts that a run lacks; an item that fails does not stop the others."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from neurologic.decoders.registry import decoder_named
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

    A decoder that cannot express a formula gets the part it can express; `Result.reduced` says so. Settings
    that an item has of its own hold where `settings` says nothing else.
    """
    accepted = decoder_named(decoder).accepted
    for own, of_own in _by_settings(run.missing(items)):
        options = {"decoder": decoder, "batch_size": batch_size, **accepted(own), **settings}
        for item, result, seconds in _results(lm, of_own, options):
            yield item, run.add(item, result, seconds)


def _by_settings(items: Sequence[Item]) -> list[tuple[dict[str, Any], list[Item]]]:
    """Group items by the settings of their own: those of a batch share them."""
    groups: list[tuple[dict[str, Any], list[Item]]] = []
    for item in items:
        group = next((found for own, found in groups if own == item.settings), None)
        if group is None:
            groups.append((dict(item.settings), [item]))
        else:
            group.append(item)
    return groups


def _results(
    lm: ConstrainedModel, items: Sequence[Item], options: Mapping[str, Any]
) -> Iterator[tuple[Item, Result, float]]:
    """Yield items as they finish, each with its result and its share of the time."""
    by_id = {item.id: item for item in items}
    requests = (
        Request(item.prompt, item.formula, item.raw, id=item.id, plain_prompt=item.twin) for item in items
    )
    started = time.perf_counter()
    for result in lm.stream(requests, on_error="return", reduce=True, **options):
        raise_unexpected(result)
        for message in result.warnings:
            warnings.warn(message, UnsatisfiedWarning, stacklevel=2)
        assert result.request is not None
        ended = time.perf_counter()
        yield by_id[result.request.id], result, ended - started
        started = ended


def raise_unexpected(result: Result) -> None:
    """Raise an error that is a bug and not the fault of an input."""
    if result.error is not None and not isinstance(result.error, NeurologicError):
        raise result.error
