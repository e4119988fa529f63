"""Do the remaining steps of a plan: train, generate and score, system by system.

The code is that of `neurologic train` and `neurologic eval`, which save everything at once. So a process may
be killed at any moment, and the next one continues. If a step fails, report it and do the others.
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
from neurologic.experiments.reproduction.experiment_parts import OURS, RunKey, System
from neurologic.experiments.reproduction.found_runs import Findings
from neurologic.experiments.reproduction.plan import GenerationStep, Stage, TrainingStep
from neurologic.experiments.reproduction.reproduction import Reproduction
from neurologic.experiments.runs import Evaluation, generate_missing
from neurologic.experiments.runs.folder import PREDICTIONS
from neurologic.experiments.runs.result_files import REPORT, SCORES, write_results, write_system
from neurologic.experiments.training.train import train


class Observer(Protocol):
    """Receives the progress of an execution."""

    def advance(self, label: str, seconds: float) -> None:
        """Count finished work, by the seconds that it was estimated to take."""
        ...

    def say(self, message: str) -> None:
        """Report the beginning or end of a step."""
        ...

    def warn(self, message: str) -> None:
        """Report a failure."""
        ...

    def until_interrupted(self) -> contextlib.AbstractContextManager[Callable[[], bool]]:
        """During a training, ask whether the user wants to stop; the training then saves a checkpoint."""
        ...


@dataclass
class Execution:
    """The work of one process on a reproduction.

    loading   options for loading models: `device`, `threads`
    failures  the failed steps, in words
    """

    reproduction: Reproduction
    findings: Findings
    estimate: Estimate
    observer: Observer
    loading: Mapping[str, Any] = field(default_factory=dict)
    batch_size: int = 8
    failures: list[str] = field(default_factory=list)

    def run(self, stages: list[Stage], after_each: Callable[[], object] = lambda: None) -> None:
        """Do the remaining steps; call `after_each` after each system that produced new results."""
        for stage in stages:
            if stage.problem and not stage.finished:
                self._fail(stage.system.name, stage.problem)
            elif self._run_stage(stage):
                with self._guarded("the report"):
                    after_each()

    def _run_stage(self, stage: Stage) -> bool:
        """Do the steps of a system; return whether there is anything new."""
        if stage.training is not None:
            with self._guarded(f"training {stage.training.model.name}") as guard:
                self._train(stage.training)
            if guard.failed:
                return False
        wrote = self._generate(stage)
        for step in stage.generations:
            self._report_failed_inputs(step.key)
        self._write_results(stage)
        return wrote or (stage.training is not None and not stage.training.finished)

    # -- training ---------------------------------------------------------------------------------

    def _train(self, training: TrainingStep) -> None:
        reproduction, model = self.reproduction, training.model
        label = f"training {model.name}"
        per_step = self.estimate.training[model.name] / training.steps

        @contextlib.contextmanager
        def begin(session: Any) -> Iterator[Callable[[], None]]:
            self.observer.say(f"{label}: {session.steps - session.done:,} steps of {session.steps:,}")
            yield lambda: self.observer.advance(label, per_step)

        started = time.monotonic()
        # A finished model goes through `train` too: its folder may hold a training with other settings.
        with self.observer.until_interrupted() as interrupted:
            train(
                reproduction.pairs,
                reproduction.training_settings(model),
                reproduction.model_folder(model),
                begin=begin,
                should_stop=interrupted,
                **self.loading,
            )
        if not training.finished:
            self.observer.say(f"{label}: done after {time.monotonic() - started:,.0f} s")

    # -- texts ------------------------------------------------------------------------------------

    def _generate(self, stage: Stage) -> bool:
        """Write the missing texts of a system; return whether there is any new one."""
        wrote = False
        lm: Any = None
        for step in stage.generations:
            if not step.left:
                continue
            with self._guarded(" ".join(step.key)):
                if lm is None:
                    lm = neurologic.load(self.reproduction.source(stage.system.model), **self.loading)
                wrote = True  # a part of the texts counts too
                self._generate_run(stage.system, step, lm)
            self.findings.forget(stage.system.name)
        return wrote

    def _generate_run(self, system: System, step: GenerationStep, lm: Any) -> None:
        reproduction, decoder = self.reproduction, step.key.decoder
        experiment = reproduction.experiment(system)
        settings = experiment.settings(decoder, reproduction.scale.settings)
        items = reproduction.items(system, decoder)
        label = f"{system.name}, {decoder}"
        started = time.monotonic()
        self.observer.say(f"{label}: {step.left} texts of {step.inputs}")
        with experiment.run(reproduction.run_folder(step.key), decoder, settings) as run:
            for _ in generate_missing(
                run, lm, items, decoder=decoder, settings=settings, batch_size=self.batch_size
            ):
                self.observer.advance(label, self.estimate.generation[step.key])
        self.observer.say(f"{label}: done after {time.monotonic() - started:,.0f} s")

    def _report_failed_inputs(self, key: RunKey) -> None:
        """Report inputs without a text, of this process or an earlier one."""
        found = self.findings.run(key)
        if found is not None and found.failed:
            first = found.failed[0]
            counts = f"{len(found.failed)} of {len(found.predictions)} inputs failed"
            self._fail(", ".join(key), f"{counts}, the first {first.id}: {first.error}")

    # -- results ----------------------------------------------------------------------------------

    def _write_results(self, stage: Stage) -> None:
        """Write the files of `neurologic eval` that are missing or older than the texts."""
        folder = self.reproduction.run_folder(RunKey(stage.system.name, OURS)).parent
        with self._guarded(f"scoring {stage.system.name}"):
            complete = self._complete_runs(stage.system)
            whole = [key for key, inputs in complete.items() if inputs == self.reproduction.inputs]
            folders = [folder / key.decoder for key in whole]
            if whole and not _up_to_date([folder, *folders], folders):
                # The others are compared with the first one.
                evaluation = self._evaluation(sorted(whole, key=lambda key: key.decoder != OURS))
                write_results(folder, evaluation, folder_per_system=True)
            for key in complete:
                own = folder / key.decoder
                if key not in whole and not _up_to_date([own], [own]):
                    write_system(own, self._evaluation([key]))

    def _complete_runs(self, system: System) -> dict[RunKey, int]:
        """Return the complete runs of a system, with the number of their inputs."""
        keys = [RunKey(system.name, decoder) for decoder in self.reproduction.scale.decoders]
        runs = {key: self.findings.run(key) for key in keys}
        return {key: len(run.predictions) for key, run in runs.items() if run is not None and run.complete}

    def _evaluation(self, keys: list[RunKey]) -> Evaluation:
        """Return the evaluation of runs of one system on the same inputs, named by their decoders."""
        reproduction = self.reproduction
        systems = [replace(scores, name=key.decoder) for key in keys if (scores := self.findings.scores(key))]
        ids = [prediction.id for prediction in systems[0].predictions]
        circumstances = {
            "task": reproduction.task.name,
            "split": reproduction.scale.split,
            "inputs": str(reproduction.subset) if len(ids) == reproduction.inputs else str(len(ids)),
        }
        items = self.findings.items(keys[0], ids)
        return Evaluation(reproduction.task, tuple(items), tuple(systems), circumstances)

    # -- failures ---------------------------------------------------------------------------------

    def _fail(self, step: str, reason: str) -> None:
        self.failures.append(f"{step}: {reason}")
        self.observer.warn(f"{step}: {reason}")

    @contextlib.contextmanager
    def _guarded(self, step: str) -> Iterator[_Guard]:
        """Report an error of a step instead of ending the whole execution."""
        guard = _Guard()
        try:
            yield guard
        except Exception as error:
            guard.failed = True
            ours = isinstance(error, NeurologicError)
            self._fail(step, str(error) if ours else f"{type(error).__name__}: {error}")


def _up_to_date(folders: Sequence[Path], runs: Sequence[Path]) -> bool:
    """Return whether these folders have scores and reports no older than the texts of the runs."""
    newest = max((run / PREDICTIONS).stat().st_mtime for run in runs)
    files = [folder / name for folder in folders for name in (SCORES, REPORT)]
    return all(file.exists() and file.stat().st_mtime >= newest for file in files)


@dataclass
class _Guard:
    failed: bool = False
