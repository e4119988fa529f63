"""A reproduction: a scale of the experiment, the task's data, and the folder for everything it makes.

FOLDER/models/NAME            trained models, as `neurologic train` writes them
FOLDER/runs/SYSTEM/DECODER    runs, as `neurologic eval --decoders` writes them
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from neurologic.errors import DataError
from neurologic.experiments.reproduction.experiment_parts import PARTS, RunKey, Scale, System, TrainedModel
from neurologic.experiments.runs import Experiment, RunFolder, Subset
from neurologic.experiments.tasks.base import Item, Task, Trainable, options_of
from neurologic.experiments.training import TrainingSettings
from neurologic.experiments.training.pairs import Pair, Sample, sample

MODELS, RUNS = "models", "runs"


class Reproduction:
    """An experiment at a scale; it reads data once and changes nothing.

    subset  the chosen inputs
    parts   the wanted parts of the experiment
    models  models to use in place of the scale's, by their names there
    """

    def __init__(
        self,
        scale: Scale,
        task: Task,
        data: str,
        folder: Path,
        *,
        subset: Subset,
        parts: Sequence[str] = tuple(PARTS),
        models: Mapping[str, str] | None = None,
    ) -> None:
        self.scale = scale
        self.task = task
        self.data = data
        self.folder = folder
        self.subset = subset
        self.parts = tuple(parts)
        self._models = dict(models or {})
        self._items: dict[tuple[tuple[str, str], ...], list[Item]] = {}
        self._samples: dict[tuple[float, int], Sample] = {}

    # -- models -----------------------------------------------------------------------------------

    def source(self, name: str) -> str:
        """Return what to load for a model of the scale; raise `DataError` if the user has to name it."""
        if name in self._models:
            return self._models[name]
        model = self.scale.models[name]
        if isinstance(model, TrainedModel):
            return str(self.model_folder(model))
        if not model.source:
            raise DataError(f"which model is {name}? Name it: --model {name}=FOLDER")
        return model.source

    def model_folder(self, model: TrainedModel) -> Path:
        return self.folder / MODELS / model.name

    def to_train(self, system: System) -> TrainedModel | None:
        """Return the model of a system if this experiment trains it."""
        model = self.scale.models[system.model]
        return model if isinstance(model, TrainedModel) and model.name not in self._models else None

    def training_settings(self, model: TrainedModel) -> TrainingSettings:
        return model.settings_from(self.source(model.base))

    def training_sample(self, settings: TrainingSettings) -> Sample:
        """Return the sentences that a training reads."""
        key = (settings.fraction, settings.held_out)
        if key not in self._samples:
            self._samples[key] = sample(self.pairs, *key)
        return self._samples[key]

    @cached_property
    def pairs(self) -> list[Pair]:
        assert isinstance(self.task, Trainable)
        return self.task.pairs(self.data, "train")

    # -- runs -------------------------------------------------------------------------------------

    def run_folder(self, key: RunKey) -> Path:
        return self.folder / RUNS / key.system / key.decoder

    def run(self, key: RunKey) -> RunFolder | None:
        """Read a run as it is now."""
        return RunFolder.read(self.run_folder(key))

    def split_items(self, system: System) -> list[Item]:
        """Return all inputs of the split, with the system's prompts."""
        options = options_of(self.task, system.options)
        key = tuple(sorted(options.items()))
        if key not in self._items:
            self._items[key] = self.task.items(self.data, self.scale.split, options)
        return self._items[key]

    @cached_property
    def inputs(self) -> int:
        """The number of chosen inputs, the same for every system."""
        return len(self.chosen(self.scale.systems[0]))

    def chosen(self, system: System) -> list[Item]:
        """Return the chosen inputs, with the system's prompts."""
        return self.subset.of(self.split_items(system))

    def items(self, system: System, decoder: str) -> list[Item]:
        """Return the inputs that a decoder writes for: the chosen ones, or fewer if it is slow."""
        chosen = self.chosen(system)
        most = self.scale.fewer.get(decoder, len(chosen))
        # A smaller sample is part of every larger one.
        return chosen if most >= len(chosen) else Subset(sample=most).of(self.split_items(system))

    def experiment(self, system: System) -> Experiment:
        """Return a system's model and chosen inputs."""
        return Experiment(
            self.task,
            self.scale.split,
            options_of(self.task, system.options),
            self.split_items(system),
            self.chosen(system),
            self.source(system.model),
        )
