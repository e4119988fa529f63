"""Doing what is left of a plan: train, write, score, system by system.

Whatever is done is kept at once, by the same code as in `neurologic train` and `neurologic eval`, so a
process may be killed at any moment and the next one goes on. A step that fails is told and left; the
others go on.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import neurologic
from neurologic.errors import NeurologicError
from neurologic.experiments.reproduction.estimate import Estimate
from neurologic.experiments.reproduction.findings import Findings
from neurologic.experiments.reproduction.plan import Reproduction, Stage, Training, Writing
from neurologic.experiments.reproduction.scale import OURS, Key, System
from neurologic.experiments.runs import Contest, continued
from neurologic.experiments.runs.keeping import REPORT, SCORES, keep, keep_system
from neurologic.experiments.runs.runs import PREDICTIONS
from neurologic.experiments.training.train import train


class Audience(Protocol):
    """Who is told what happens."""

    def advance(self, label: str, seconds: float) -> None:
        """Something is done that was to take so many seconds."""
        ...

    def say(self, message: str) -> None:
        """A step begins or ends."""
        ...

    def warn(self, message: str) -> None:
        """Something went wrong."""
        ...

    def until_interrupted(self) -> contextlib.AbstractContextManager[Callable[[], bool]]:
        """While a model is trained: whether the user wants to stop, which takes a checkpoint."""
        ...


@dataclass
class Execution:
    """One process's work on a reproduction.

    loading   where and how to run models: `device`, `threads`
    failures  steps that went wrong, in words
    """

    reproduction: Reproduction
    findings: Findings
    estimate: Estimate
    audience: Audience
    loading: Mapping[str, Any] = field(default_factory=dict)
    batch_size: int = 8
    failures: list[str] = field(default_factory=list)

    def run(self, stages: list[Stage], after_each: Callable[[], object] = lambda: None) -> None:
        """Do what is left; `after_each` is called after a system that has got something new."""
        for stage in stages:
            if stage.problem and not stage.finished:
                self._failed(stage.system.name, stage.problem)
            elif self._carry_out(stage):
                with self._guarded("the report"):
                    after_each()

    def _carry_out(self, stage: Stage) -> bool:
        """Whether there is anything new."""
        if stage.training is not None:
            with self._guarded(f"training {stage.training.model.name}") as guard:
                self._train(stage.training)
            if guard.failed:
                return False
        wrote = self._write(stage) if any(writing.left for writing in stage.writings) else False
        for writing in stage.writings:
            self._tell_of_failed(writing.key)
        self._keep(stage)
        return wrote or (stage.training is not None and not stage.training.finished)

    # -- training ---------------------------------------------------------------------------------

    def _train(self, training: Training) -> None:
        reproduction, model = self.reproduction, training.model
        label = f"training {model.name}"
        per_step = self.estimate.training[model.name] / training.steps

        @contextlib.contextmanager
        def begin(session: Any) -> Iterator[Callable[[], None]]:
            self.audience.say(f"{label}: {session.steps - session.done:,} steps of {session.steps:,}")
            yield lambda: self.audience.advance(label, per_step)

        started = time.monotonic()
        # A finished model is looked at too: its folder may hold a training with other settings.
        with self.audience.until_interrupted() as interrupted:
            train(
                reproduction.pairs,
                reproduction.training_settings(model),
                reproduction.model_folder(model),
                begin=begin,
                should_stop=interrupted,
                **self.loading,
            )
        if not training.finished:
            self.audience.say(f"{label}: done after {time.monotonic() - started:,.0f} s")

    # -- writing ----------------------------------------------------------------------------------

    def _write(self, stage: Stage) -> bool:
        """Write the texts that are missing; whether there is any new one."""
        wrote = False
        lm: Any = None
        for writing in stage.writings:
            if not writing.left:
                continue
            with self._guarded(" ".join(writing.key)):
                if lm is None:
                    lm = neurologic.load(self.reproduction.source(stage.system.model), **self.loading)
                wrote = True  # a part of the texts counts as well
                self._write_run(stage.system, writing, lm)
            self.findings.forget(stage.system.name)
        return wrote

    def _write_run(self, system: System, writing: Writing, lm: Any) -> None:
        reproduction = self.reproduction
        decoder = writing.key[1]
        experiment = reproduction.experiment(system)
        settings = experiment.settings(decoder, reproduction.scale.settings)
        items = reproduction.items(system, decoder)
        label = f"{system.name}, {decoder}"
        started = time.monotonic()
        self.audience.say(f"{label}: {writing.left} texts of {writing.inputs}")
        with experiment.run(reproduction.run_folder(writing.key), decoder, settings) as run:
            for _ in continued(
                run, lm, items, decoder=decoder, settings=settings, batch_size=self.batch_size
            ):
                self.audience.advance(label, self.estimate.writing[writing.key])
        self.audience.say(f"{label}: done after {time.monotonic() - started:,.0f} s")

    def _tell_of_failed(self, key: Key) -> None:
        """Inputs without a text, now or in an earlier process."""
        found = self.findings.run(key)
        failed = [one for one in found.predictions.values() if one.error] if found else []
        if found and failed:
            of_all = f"{len(failed)} of {len(found.predictions)} inputs failed"
            self._failed(", ".join(key), f"{of_all}, the first {failed[0].id}: {failed[0].error}")

    # -- what a run leaves ------------------------------------------------------------------------

    def _keep(self, stage: Stage) -> None:
        """The files that `neurologic eval` would leave, where they are missing or have become old."""
        folder = self.reproduction.run_folder((stage.system.name, OURS)).parent
        keys = [(stage.system.name, decoder) for decoder in self.reproduction.scale.decoders]
        with self._guarded(f"scoring {stage.system.name}"):
            complete = [key for key in keys if (found := self.findings.run(key)) and found.complete]
            whole = [key for key in complete if self._count(key) == self.reproduction.inputs]
            if whole and not _are_kept([folder, *_folders(folder, whole)], _folders(folder, whole)):
                # The first one is what the others are compared with.
                keep(folder, self._contest(sorted(whole, key=lambda key: key[1] != OURS)), apart=True)
            for key in complete:
                own = _folders(folder, [key])
                if key not in whole and not _are_kept(own, own):
                    keep_system(own[0], self._contest([key]))

    def _count(self, key: Key) -> int:
        found = self.findings.run(key)
        return 0 if found is None else len(found.predictions)

    def _contest(self, keys: list[Key]) -> Contest:
        """Runs of one system on the same inputs, called by their decoders."""
        reproduction = self.reproduction
        systems = [replace(scores, name=key[1]) for key in keys if (scores := self.findings.scores(key))]
        ids = [one.id for one in systems[0].predictions]
        circumstances = {
            "task": reproduction.task.name,
            "split": reproduction.scale.split,
            "inputs": str(reproduction.selection) if len(ids) == reproduction.inputs else str(len(ids)),
        }
        items = self.findings.items(keys[0], ids)
        return Contest(reproduction.task, tuple(items), tuple(systems), circumstances)

    # -- failures ---------------------------------------------------------------------------------

    def _failed(self, step: str, told: str) -> None:
        self.failures.append(f"{step}: {told}")
        self.audience.warn(f"{step}: {told}")

    @contextlib.contextmanager
    def _guarded(self, step: str) -> Iterator[_Guard]:
        """What goes wrong inside is told, and does not end the night."""
        guard = _Guard()
        try:
            yield guard
        except Exception as error:
            guard.failed = True
            ours = isinstance(error, NeurologicError)
            self._failed(step, str(error) if ours else f"{type(error).__name__}: {error}")


def _folders(folder: Path, keys: Sequence[Key]) -> list[Path]:
    return [folder / decoder for _, decoder in keys]


def _are_kept(folders: Sequence[Path], runs: Sequence[Path]) -> bool:
    """Whether these folders have scores and a report, and those no older than the texts of some runs."""
    newest = max((run / PREDICTIONS).stat().st_mtime for run in runs)
    files = [folder / name for folder in folders for name in (SCORES, REPORT)]
    return all(file.exists() and file.stat().st_mtime >= newest for file in files)


@dataclass
class _Guard:
    failed: bool = False
