"""Several decoders through the same tasks, round by round: each batch goes to every decoder in turn.

So a run that is interrupted has seen the same inputs with all of them, and a busy moment of the machine hits
them alike.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from neurologic.cli.batches import Runner
from neurologic.cli.inputs import Outcome, PromptInput
from neurologic.decoders.registry import decoder_named
from neurologic.experiments.comparison import Attempt
from neurologic.generation.result import Result
from neurologic.logic import Clause

Tried = tuple[Outcome, Attempt]


def rounds(
    tasks: Sequence[PromptInput], clauses: Mapping[int, Sequence[Clause]], runners: Sequence[Runner]
) -> Iterator[tuple[str, list[Tried]]]:
    """A decoder's name and what it made of a batch, in the order of the tasks.

    `clauses` are those of each task by its index. Batches are as large as the first runner's.
    """
    size = runners[0].batch_size
    for start in range(0, len(tasks), size):
        batch = tasks[start : start + size]
        # Another one begins each round: the first one to meet a formula pays for making it ready.
        turn = start // size % len(runners)
        for runner in (*runners[turn:], *runners[:turn]):
            yield runner.decoder, _tried(batch, clauses, runner)


def _tried(
    batch: Sequence[PromptInput], clauses: Mapping[int, Sequence[Clause]], runner: Runner
) -> list[Tried]:
    """Tasks that will be refused go by themselves: in a batch they would make the others run one by one."""
    accepted: list[PromptInput] = []
    refused: list[PromptInput] = []
    for task in batch:
        (refused if _is_refused(clauses[task.index], runner) else accepted).append(task)
    tried = _timed(accepted, runner) + _timed(refused, replace(runner, batch_size=1))
    return sorted(tried, key=lambda one: one[0].task.index)


def _is_refused(clauses: Sequence[Clause], runner: Runner) -> bool:
    expresses = decoder_named(runner.decoder).expresses
    return not runner.reduce and not all(expresses.covers(clause) for clause in clauses)


def _timed(tasks: Sequence[PromptInput], runner: Runner) -> list[Tried]:
    """The outcomes of a batch; its time is shared out evenly over the texts that it gave."""
    names = {task.index: task.name for task in tasks}
    called = [replace(task, name=f"{runner.decoder}, {task.name}".rstrip(", ")) for task in tasks]
    started = time.perf_counter()
    outcomes = [outcome for several in runner.outcomes(called) for outcome in several]
    seconds = time.perf_counter() - started
    texts = sum(isinstance(outcome.result, Result) for outcome in outcomes)
    tried = []
    for outcome in outcomes:
        own = replace(outcome, task=replace(outcome.task, name=names[outcome.task.index]))
        tried.append((own, Attempt(outcome.result, seconds / max(1, texts))))
    return tried
