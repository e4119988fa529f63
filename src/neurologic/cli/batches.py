"""Inputs and their results for `neurologic compare`; other commands read `lm.stream` themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from neurologic.cli.inputs import PromptInput
from neurologic.cli.messages import say_warning
from neurologic.cli.result_writers import output_fields
from neurologic.errors import NeurologicError
from neurologic.generation.result import Result

if TYPE_CHECKING:
    from neurologic.generation.model import ConstrainedModel


@dataclass(frozen=True)
class Outcome:
    """An input with its result, or with the error that it met."""

    task: PromptInput
    result: Result | NeurologicError

    def to_json(self) -> dict[str, Any]:
        """Return the output line."""
        if isinstance(self.result, NeurologicError):
            return output_fields(self.task, Result("", 0.0, error=self.result))
        return output_fields(self.task, self.result)


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
        """Yield the outcomes in their order, as soon as they are done."""
        from neurologic.generation.request import Request

        requests = (
            Request(task.prompt, task.formula, task.raw, task.index) for task in tasks if task.error is None
        )
        results = self.lm.stream(
            requests,
            ordered=True,
            on_error="return",
            decoder=self.decoder,
            reduce=self.reduce,
            batch_size=self.batch_size,
            trace=self._trace(),
            **self.settings,
        )
        for task in tasks:
            if task.error is not None:
                yield [Outcome(task, task.error)]
                continue
            result = next(results)
            for message in result.warnings:
                say_warning(f"{task.name}: {message}" if task.name else message)
            if result.error is not None and not isinstance(result.error, NeurologicError):
                raise result.error
            yield [Outcome(task, result.error or result)]

    def _trace(self) -> Any:
        if self.trace is None:
            return None
        from neurologic.search.trace import Trace

        return Trace(self.trace)
