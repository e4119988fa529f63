"""Train a model on pairs, from texts to a folder with the model."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurologic.errors import missing_extra
from neurologic.experiments.training.folder import TrainingError, TrainingFolder
from neurologic.experiments.training.pairs import Pair, sample
from neurologic.experiments.training.settings import TrainingSettings

if TYPE_CHECKING:
    from neurologic.experiments.training.trainer import Training

ProgressBar = AbstractContextManager[Callable[[], None]]


def train(
    pairs: Sequence[Pair],
    settings: TrainingSettings,
    folder: str | os.PathLike[str],
    *,
    device: str | None = None,
    threads: int | None = None,
    begin: Callable[[Training], ProgressBar] = lambda training: nullcontext(lambda: None),
    should_stop: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """Train a model on pairs and put it into a folder; return the result that the folder's manifest has.

    Continue a training that was stopped, and leave a finished one as it is. Once the folder has a checkpoint,
    other settings or pairs raise `TrainingError`.

    begin        called with the loaded training before its first step; its context gives a function that is
                 called after every step
    should_stop  asked after every step; if true, write a checkpoint and raise `KeyboardInterrupt`
    """
    chosen = sample(pairs, settings.fraction, settings.held_out)
    if not chosen.training:
        raise TrainingError("there is nothing to train on: no pair has a target")
    if settings.lora is not None and importlib.util.find_spec("peft") is None:
        raise TrainingError(missing_extra("peft", "training", purpose="LoRA"))
    opened = TrainingFolder.open(folder, settings, chosen.to_json())
    if opened.result is None:
        from neurologic.experiments.training.trainer import Training

        with opened.locked():
            training = Training(opened, chosen, device=device, threads=threads)
            with begin(training) as advance:
                finished = training.run(advance, should_stop)
        if not finished:
            raise KeyboardInterrupt(f"interrupted; {Path(folder)} has a checkpoint to resume from")
    assert opened.result is not None
    return opened.result
