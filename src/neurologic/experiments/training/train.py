"""The whole way from pairs to a trained model in a folder, in one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurologic.experiments.training.folder import TrainingError, TrainingFolder
from neurologic.experiments.training.lora import require_peft
from neurologic.experiments.training.pairs import Pair, sample
from neurologic.experiments.training.settings import TrainingSettings

if TYPE_CHECKING:
    from neurologic.experiments.training.session import Session

Bar = AbstractContextManager[Callable[[], None]]


def train(
    pairs: Sequence[Pair],
    settings: TrainingSettings,
    folder: str | os.PathLike[str],
    *,
    device: str | None = None,
    threads: int | None = None,
    begin: Callable[[Session], Bar] = lambda session: nullcontext(lambda: None),
    should_stop: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """Train a model on pairs and put it into a folder; returns the result as the folder's manifest has it.

    A folder whose training is done is left as it is; one whose training was stopped goes on. Settings or
    pairs other than the folder's raise `TrainingError`, once it has a checkpoint.

    begin        called with the loaded session before its first step; gives what to call after every step
    should_stop  asked after every step; to stop raises `KeyboardInterrupt` once a checkpoint is written
    """
    chosen = sample(pairs, settings.fraction, settings.held_out)
    if not chosen.training:
        raise TrainingError("there is nothing to train on: no pair has a target")
    if settings.lora is not None:
        require_peft()
    place = TrainingFolder.open(folder, settings, chosen.to_json())
    if place.result is None:
        from neurologic.experiments.training.session import Session

        with place.alone():
            session = Session(place, chosen, device=device, threads=threads)
            with begin(session) as advance:
                finished = session.run(advance, should_stop)
        if not finished:
            raise KeyboardInterrupt(f"interrupted; {Path(folder)} has a checkpoint to go on from")
    assert place.result is not None
    return place.result
