"""Tasks through the model, batch by batch, in their order, with failures kept to the task they belong to."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from neurologic.cli.endings import say_warning
from neurologic.cli.tasks import Outcome, Task
from neurologic.errors import NeurologicError, UnsatisfiedWarning
from neurologic.results import Result

if TYPE_CHECKING:
    from neurologic.constraint import CompiledConstraint
    from neurologic.generation import ConstrainedModel


@dataclass(frozen=True)
class Runner:
    """A model with the settings of this run; `trace` is an open file for a record of every step."""

    lm: ConstrainedModel
    batch_size: int
    decoder: str
    settings: dict[str, Any]
    trace: IO[str] | None = None
    reduce: bool = False

    def outcomes(self, tasks: Sequence[Task]) -> Iterator[list[Outcome]]:
        """The outcomes of one batch after the other; tasks that cannot be run take no place in a batch."""
        prepared: list[tuple[Task, CompiledConstraint | NeurologicError]] = []
        runnable = 0
        for task in tasks:
            compiled = self._compile(task)
            prepared.append((task, compiled))
            runnable += not isinstance(compiled, NeurologicError)
            if runnable == self.batch_size:
                yield self._outcomes(prepared)
                prepared, runnable = [], 0
        if prepared:
            yield self._outcomes(prepared)

    def _compile(self, task: Task) -> CompiledConstraint | NeurologicError:
        if task.error is not None:
            return task.error
        try:
            return self.lm.compile(task.formula)
        except NeurologicError as error:
            return error

    def _outcomes(
        self, prepared: Sequence[tuple[Task, CompiledConstraint | NeurologicError]]
    ) -> list[Outcome]:
        batch = [(task, compiled) for task, compiled in prepared if not isinstance(compiled, NeurologicError)]
        results = iter(self._results(batch))
        return [
            Outcome(task, compiled if isinstance(compiled, NeurologicError) else next(results))
            for task, compiled in prepared
        ]

    def _results(self, batch: Sequence[tuple[Task, CompiledConstraint]]) -> list[Result | NeurologicError]:
        """A result or an error for each. Should the batch fail, the tasks without a result run one by one."""
        if not batch:
            return []
        from neurologic.generation import Request

        results: list[Result | NeurologicError] = []
        requests = [Request(task.prompt, compiled, task.raw, task.index) for task, compiled in batch]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UnsatisfiedWarning)
            try:
                results += self.lm.generate_each(
                    requests,
                    decoder=self.decoder,
                    reduce=self.reduce,
                    batch_size=self.batch_size,
                    trace=self._trace(),
                    **self.settings,
                )
            except NeurologicError as error:
                if len(batch) == 1:
                    return [error]
                caught.clear()  # they come again
        _tell(caught, [task.name for task, _ in batch])
        for one in batch[len(results) :]:
            results += self._results([one])
        return results

    def _trace(self) -> Any:
        if self.trace is None:
            return None
        from neurologic.search.trace import Trace

        return Trace(self.trace)


def _tell(caught: Sequence[warnings.WarningMessage], names: Sequence[str]) -> None:
    """One line on standard error per warning; the library does not say which task of a batch it means."""
    where = "" if not names[0] else f"{names[0]}: " if len(names) == 1 else f"in {names[0]} to {names[-1]}: "
    for message, times in Counter(" ".join(str(warning.message).split()) for warning in caught).items():
        say_warning(where + message + (f" ({times} times)" if times > 1 else ""))
