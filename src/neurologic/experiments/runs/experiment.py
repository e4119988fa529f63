"""A model, inputs of a task, and a way of asking: what the runs of several decoders share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from neurologic.decoders.registry import decoder_named
from neurologic.experiments.runs.manifest import manifest
from neurologic.experiments.runs.runs import Run
from neurologic.experiments.tasks.base import Item, Options, Task


@dataclass(frozen=True)
class Experiment:
    """Each decoder makes a run of it.

    options        of the task: how the model is asked
    everything     all inputs of the split
    items          those that are to be written for
    model_options  how the model is loaded, as far as it was said
    """

    task: Task
    split: str
    options: Options
    everything: Sequence[Item]
    items: Sequence[Item]
    model: str
    model_options: Mapping[str, Any] = field(default_factory=dict)

    def settings(self, decoder: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """The settings of a decoder: what is given, else the task's, as far as they have an effect on it."""
        return decoder_named(decoder).accepted({**self.task.settings(self.options, decoder), **given})

    def manifest(self, decoder: str, settings: Mapping[str, Any]) -> dict[str, Any]:
        """All that decides the texts of a decoder."""
        return manifest(
            self.task,
            self.split,
            self.options,
            self.everything,
            model=self.model,
            decoder=decoder,
            settings=settings,
            model_options=self.model_options,
        )

    def run(self, folder: Path | None, decoder: str, settings: Mapping[str, Any]) -> Run:
        """The run of a decoder, to be opened."""
        return Run(folder, self.manifest(decoder, settings))
