"""Tasks through the model, in their order, with failures kept to the task they belong to."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from neurologic.cli.inputs import Outcome, PromptInput
from neurologic.cli.messages import say_warnings
from neurologic.errors import NeurologicError, UnsatisfiedWarning
from neurologic.results import Result

if TYPE_CHECKING:
    from neurologic.feasibility.constraint import CompiledConstraint
    from neurologic.generation.model import ConstrainedModel


# Tasks of so many batches run together, so that the next one takes the place of one that is done.
_BATCHES_TOGETHER = 8

_Prepared: TypeAlias = "tuple[PromptInput, CompiledConstraint | NeurologicError]"


@dataclass(frozen=True)
class Runner:
    """A model with the settings of this run; `trace` is an open file for a record of every step."""

    lm: ConstrainedModel
    batch_size: int
    decoder: str
    settings: dict[str, Any]
    trace: IO[str] | None = None
    reduce: bool = False

    def outcomes(self, tasks: Sequence[PromptInput]) -> Iterator[list[Outcome]]:
        """The outcomes in their order, as soon as they are done; tasks that cannot be run take no place."""
        prepared: list[_Prepared] = []
        runnable = 0
        for task in tasks:
            compiled = self._compile(task)
            prepared.append((task, compiled))
            runnable += not isinstance(compiled, NeurologicError)
            if runnable == _BATCHES_TOGETHER * self.batch_size:
                yield from self._outcomes(prepared)
                prepared, runnable = [], 0
        if prepared:
            yield from self._outcomes(prepared)

    def _compile(self, task: PromptInput) -> CompiledConstraint | NeurologicError:
        if task.error is not None:
            return task.error
        try:
            return self.lm.compile(task.formula)
        except NeurologicError as error:
            return error

    def _outcomes(self, prepared: Sequence[_Prepared]) -> Iterator[list[Outcome]]:
        several = [(task, one) for task, one in prepared if not isinstance(one, NeurologicError)]
        results = self._results(several)
        ready: list[Outcome] = []
        for task, compiled in prepared:
            if isinstance(compiled, NeurologicError):
                ready.append(Outcome(task, compiled))
                continue
            ready.append(Outcome(task, next(results)))
            yield ready
            ready = []
        yield from [ready] if ready else []
        for _ in results:  # to its end, where it tells what there was to warn of
            pass

    def _results(
        self, several: Sequence[tuple[PromptInput, CompiledConstraint]]
    ) -> Iterator[Result | NeurologicError]:
        """A result or an error for each. Should one fail, the next without a result runs by itself."""
        if not several:
            return
        from neurologic.generation.turns import Request

        requests = [Request(task.prompt, compiled, task.raw, task.index) for task, compiled in several]
        results = self.lm.generate_each(
            requests,
            decoder=self.decoder,
            reduce=self.reduce,
            batch_size=self.batch_size,
            trace=self._trace(),
            **self.settings,
        )
        done = 0
        failed = False
        caught: list[warnings.WarningMessage] = []
        while done < len(several) and not failed:
            result: Result | NeurologicError | None = None
            # Around each result by itself: what the caller does in between is not ours to listen to.
            with warnings.catch_warnings(record=True) as new:
                warnings.simplefilter("always", UnsatisfiedWarning)
                try:
                    result = next(results, None)
                except NeurologicError as error:
                    failed = True
                    result = error if len(several) == 1 else None
            if result is None:
                break  # what was warned of since the last result comes again
            caught += new
            done += 1
            yield result
        if caught:
            say_warnings(caught, _where([task.name for task, _ in several[:done]]))
        if done < len(several):  # most likely the next one is to blame; the others go on together
            yield from self._results(several[done : done + 1])
            yield from self._results(several[done + 1 :])

    def _trace(self) -> Any:
        if self.trace is None:
            return None
        from neurologic.search.trace import Trace

        return Trace(self.trace)


def _where(names: Sequence[str]) -> str:
    """Which tasks a warning may mean: the library does not say it."""
    if not names[0]:
        return ""
    return f"{names[0]}: " if len(names) == 1 else f"in {names[0]} to {names[-1]}: "
