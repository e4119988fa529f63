"""What the runs of a folder hold at the moment, scored and compared when it is asked for, once.

A run that is not there is None. One with a part of its inputs is scored on these; two runs are always
compared on the inputs that both have. A run that was made with other settings than those of the scale
counts all the same, and `differs` says in what; one of other data does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from neurologic.errors import DataError
from neurologic.experiments.metrics import Difference
from neurologic.experiments.reproduction.plan import Reproduction
from neurologic.experiments.reproduction.scale import Key
from neurologic.experiments.runs import Contest, Prediction, scored
from neurologic.experiments.runs import System as Scored
from neurologic.experiments.runs.manifest import differences
from neurologic.experiments.tasks.base import Item


@dataclass(frozen=True)
class Found:
    """A run as it was found.

    predictions  by the ids of the chosen inputs, in their order; those that are not done are not in it
    inputs       how many there are to be at least
    differs      in what it is not the run that the scale asks for
    """

    key: Key
    described: Mapping[str, object]
    predictions: Mapping[str, Prediction]
    inputs: int
    differs: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        return len(self.predictions) >= self.inputs

    @property
    def failed(self) -> int:
        """Inputs without a text, which count as empty ones."""
        return sum(bool(one.error) for one in self.predictions.values())


@dataclass(frozen=True)
class Compared:
    """Two runs on the inputs that both have; `differences` are second − first, by metric."""

    first: Scored
    second: Scored
    differences: Mapping[str, Difference]

    @property
    def inputs(self) -> int:
        return len(self.first.predictions)


class Findings:
    """The runs of a reproduction."""

    def __init__(self, reproduction: Reproduction) -> None:
        self.reproduction = reproduction
        self._found: dict[Key, Found | None] = {}
        self._scored: dict[tuple[Key, tuple[str, ...]], Scored] = {}
        self._compared: dict[tuple[Key, Key], Compared | None] = {}
        self.problems: dict[Key, str] = {}

    def forget(self, system: str) -> None:
        """Read a system's runs again when they are next asked for: something was written."""
        self._found = {key: found for key, found in self._found.items() if key[0] != system}
        self.problems = {key: told for key, told in self.problems.items() if key[0] != system}
        self._compared = {
            keys: one for keys, one in self._compared.items() if system not in (keys[0][0], keys[1][0])
        }

    def run(self, key: Key) -> Found | None:
        """A run, None where there is none with any text."""
        if key not in self._found:
            try:
                self._found[key] = self._read(key)
            except (DataError, OSError) as error:
                self.problems[key] = str(error)
                self._found[key] = None
        return self._found[key]

    def scores(self, key: Key) -> Scored | None:
        """A run with its scores on all inputs that it has."""
        found = self.run(key)
        return None if found is None else self._score(found, tuple(found.predictions))

    def compared(self, first: Key, second: Key) -> Compared | None:
        """Two runs on their common inputs; None where one of them is missing, or nothing is common."""
        if (first, second) not in self._compared:
            self._compared[first, second] = self._compare(first, second)
        return self._compared[first, second]

    def _read(self, key: Key) -> Found | None:
        reproduction = self.reproduction
        run = reproduction.run(key)
        if run is None or not run.done:
            return None
        name, decoder = key
        system = reproduction.scale.system(name)
        chosen = reproduction.chosen(system)
        predictions = {item.id: run.done[item.id] for item in chosen if item.id in run.done}
        others = self._differences(key, run.manifest)
        foreign = [one for one in others if one.startswith(("task was", "split was", "data was"))]
        if foreign:
            self.problems[key] = f"{reproduction.run_folder(key)} is of something else: {'; '.join(foreign)}"
        if foreign or not predictions:
            return None
        inputs = len(reproduction.items(system, decoder))
        return Found(key, run.manifest, predictions, inputs, tuple(others))

    def _differences(self, key: Key, described: Mapping[str, object]) -> list[str]:
        """In what a run is not the one that the scale asks for."""
        name, decoder = key
        system = self.reproduction.scale.system(name)
        try:
            experiment = self.reproduction.experiment(system)
        except DataError:  # nobody has said which model it is
            return []
        settings = experiment.settings(decoder, self.reproduction.scale.settings)
        expected = experiment.manifest(decoder, settings)
        # A model that is not here any more, to save room, cannot be compared; nor need the version be.
        gone = self.reproduction.to_train(system) is not None and not Path(experiment.model).exists()
        left_out = {"version", "engine", "dtype"} | ({"model"} if gone else set())
        found, wanted = (
            {name: value for name, value in one.items() if name not in left_out}
            for one in (described, expected)
        )
        return differences(found, wanted)

    def items(self, key: Key, ids: Iterable[str]) -> list[Item]:
        """Inputs of a run by their ids."""
        system = self.reproduction.scale.system(key[0])
        by_id = {item.id: item for item in self.reproduction.chosen(system)}
        return [by_id[one] for one in ids]

    def _score(self, found: Found, ids: tuple[str, ...]) -> Scored:
        if (found.key, ids) not in self._scored:
            self._scored[found.key, ids] = scored(
                self.reproduction.task,
                self.items(found.key, ids),
                " ".join(found.key),
                found.described,
                [found.predictions[one] for one in ids],
            )
        return self._scored[found.key, ids]

    def _compare(self, first: Key, second: Key) -> Compared | None:
        one, other = self.run(first), self.run(second)
        if one is None or other is None:
            return None
        ids = tuple(name for name in one.predictions if name in other.predictions)
        if not ids:
            return None
        systems = (self._score(one, ids), self._score(other, ids))
        contest = Contest(self.reproduction.task, tuple(self.items(first, ids)), systems)
        found = contest.differences.get(systems[1].name, [])
        return Compared(*systems, {difference.name: difference for difference in found})
