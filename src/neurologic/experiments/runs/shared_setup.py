"""The model, the inputs and the prompts that the runs of several decoders share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import neurologic
from neurologic.batches.model_identity import model_name
from neurologic.batches.run_manifest import effective_settings
from neurologic.decoders.registry import decoder_named
from neurologic.experiments.runs.folder import RunFolder
from neurologic.experiments.runs.manifest import fingerprint
from neurologic.experiments.tasks.base import Item, Options, Task

PER_INPUT = "per input"


@dataclass(frozen=True)
class Experiment:
    """A task and a model, on which each decoder makes a run.

    options        the task's options, which decide the prompts
    split_items    all inputs of the split
    items          the chosen inputs
    model_options  the options that the user gave for loading the model
    """

    task: Task
    split: str
    options: Options
    split_items: Sequence[Item]
    items: Sequence[Item]
    model: str
    model_options: Mapping[str, Any] = field(default_factory=dict)

    def settings(self, decoder: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the given settings over the task's own, without those that the decoder does not accept."""
        return decoder_named(decoder).accepted({**self.task.settings(self.options, decoder), **given})

    def manifest(self, decoder: str, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return everything that decides the texts of a decoder, as plain JSON values."""
        described = {
            "task": self.task.name,
            "split": self.split,
            "data": fingerprint(self.split_items),
            **self._deciding_options(),
            "model": model_name(self.model),
            **{name: value for name, value in self.model_options.items() if name in ("engine", "dtype")},
            "decoder": decoder,
            "settings": self._settings_in_effect(decoder, settings),
            "version": neurologic.__version__,
        }
        return dict(json.loads(json.dumps(described)))

    def _deciding_options(self) -> dict[str, str]:
        """Return the options that decide texts: others may change between two commands on the same run."""
        deciding = {option.name for option in self.task.options if option.decides_texts}
        return {name: value for name, value in self.options.items() if name in deciding}

    def _settings_in_effect(self, decoder: str, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of the run; the fingerprint of the data covers those that items decide."""
        effective = effective_settings(decoder, settings)
        own = {name for item in self.split_items for name in item.settings if name not in settings}
        return {name: PER_INPUT if name in own else value for name, value in effective.items()}

    def run(self, folder: Path | None, decoder: str, settings: Mapping[str, Any]) -> RunFolder:
        """Return the run of a decoder, not yet opened."""
        return RunFolder(folder, self.manifest(decoder, settings))
