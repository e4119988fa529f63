"""The runs in the folder at this moment, scored and compared on demand, each once.

A run that does not exist is None. A run with a part of its inputs is scored on that part; two runs are
compared on the inputs that both have. A run with other settings than the scale's is still used, and
`FoundRun.differences` says how it differs; a run on other data is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from neurologic.batches.run_manifest import differences
from neurologic.errors import DataError
from neurologic.experiments.metrics import Difference
from neurologic.experiments.reproduction.experiment_parts import RunKey
from neurologic.experiments.reproduction.reproduction import Reproduction
from neurologic.experiments.runs import Evaluation, Prediction, ScoredSystem, score_system
from neurologic.experiments.tasks.base import Item


@dataclass(frozen=True)
class FoundRun:
    """A run as it is in the folder.

    predictions  predictions for the finished chosen inputs, by id, in the order of the inputs
    inputs       how many inputs a complete run has at least
    differences  how it differs from the run that the scale asks for
    """

    key: RunKey
    manifest: Mapping[str, object]
    predictions: Mapping[str, Prediction]
    inputs: int
    differences: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        return len(self.predictions) >= self.inputs

    @property
    def failed(self) -> list[Prediction]:
        """The inputs without a text, which are scored as empty texts."""
        return [prediction for prediction in self.predictions.values() if prediction.error]


@dataclass(frozen=True)
class ComparedRuns:
    """Two runs on the inputs that both have; `differences` are second − first, by metric."""

    first: ScoredSystem
    second: ScoredSystem
    differences: Mapping[str, Difference]

    @property
    def inputs(self) -> int:
        return len(self.first.predictions)


class Findings:
    """The runs of a reproduction; `problems` says why a run in the folder does not count."""

    def __init__(self, reproduction: Reproduction) -> None:
        self.reproduction = reproduction
        self.problems: dict[RunKey, str] = {}
        self._found: dict[RunKey, FoundRun | None] = {}
        self._scored: dict[tuple[RunKey, tuple[str, ...]], ScoredSystem] = {}
        self._compared: dict[tuple[RunKey, RunKey], ComparedRuns | None] = {}

    def forget(self, system: str) -> None:
        """Read a system's runs again on the next demand: there are new texts."""
        self._found = {key: found for key, found in self._found.items() if key.system != system}
        self.problems = {key: problem for key, problem in self.problems.items() if key.system != system}
        self._compared = {
            keys: compared
            for keys, compared in self._compared.items()
            if system not in (key.system for key in keys)
        }

    def run(self, key: RunKey) -> FoundRun | None:
        """Return a run, None if it has no text."""
        if key not in self._found:
            try:
                self._found[key] = self._read(key)
            except (DataError, OSError) as error:
                self.problems[key] = str(error)
                self._found[key] = None
        return self._found[key]

    def scores(self, key: RunKey) -> ScoredSystem | None:
        """Return a run with its scores on all inputs that it has."""
        found = self.run(key)
        return None if found is None else self._score(found, tuple(found.predictions))

    def compared(self, first: RunKey, second: RunKey) -> ComparedRuns | None:
        """Compare two runs on their common inputs; None if one is missing, or they have none in common."""
        if (first, second) not in self._compared:
            self._compared[first, second] = self._compare(first, second)
        return self._compared[first, second]

    def items(self, key: RunKey, ids: Iterable[str]) -> list[Item]:
        """Return inputs of a run by their ids."""
        system = self.reproduction.scale.system(key.system)
        by_id = {item.id: item for item in self.reproduction.chosen(system)}
        return [by_id[identity] for identity in ids]

    def _read(self, key: RunKey) -> FoundRun | None:
        reproduction = self.reproduction
        run = reproduction.run(key)
        if run is None or not run.done:
            return None
        system = reproduction.scale.system(key.system)
        predictions = {
            item.id: run.done[item.id] for item in reproduction.chosen(system) if item.id in run.done
        }
        found = self._differences(key, run.manifest)
        foreign = [text for text in found if text.startswith(("task was", "split was", "data was"))]
        if foreign:
            self.problems[key] = f"{reproduction.run_folder(key)} is of something else: {'; '.join(foreign)}"
        if foreign or not predictions:
            return None
        inputs = len(reproduction.items(system, key.decoder))
        return FoundRun(key, run.manifest, predictions, inputs, tuple(found))

    def _differences(self, key: RunKey, manifest: Mapping[str, object]) -> list[str]:
        """Say how a run differs from the one that the scale asks for."""
        system = self.reproduction.scale.system(key.system)
        try:
            experiment = self.reproduction.experiment(system)
        except DataError:  # the user has not named the model
            return []
        settings = experiment.settings(key.decoder, self.reproduction.scale.settings)
        expected = experiment.manifest(key.decoder, settings)
        # A deleted model cannot be compared; another version does not matter.
        gone = self.reproduction.to_train(system) is not None and not Path(experiment.model).exists()
        ignored = {"version", "engine", "dtype"} | ({"model"} if gone else set())
        found, wanted = (
            {name: value for name, value in described.items() if name not in ignored}
            for described in (manifest, expected)
        )
        return differences(found, wanted)

    def _score(self, found: FoundRun, ids: tuple[str, ...]) -> ScoredSystem:
        if (found.key, ids) not in self._scored:
            self._scored[found.key, ids] = score_system(
                self.reproduction.task,
                self.items(found.key, ids),
                " ".join(found.key),
                found.manifest,
                [found.predictions[identity] for identity in ids],
            )
        return self._scored[found.key, ids]

    def _compare(self, first: RunKey, second: RunKey) -> ComparedRuns | None:
        runs = self.run(first), self.run(second)
        if runs[0] is None or runs[1] is None:
            return None
        ids = tuple(identity for identity in runs[0].predictions if identity in runs[1].predictions)
        if not ids:
            return None
        systems = (self._score(runs[0], ids), self._score(runs[1], ids))
        evaluation = Evaluation(self.reproduction.task, tuple(self.items(first, ids)), systems)
        found = evaluation.differences.get(systems[1].name, [])
        return ComparedRuns(*systems, {difference.name: difference for difference in found})
