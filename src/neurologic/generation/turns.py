"""Whose turn it is: jobs in an order that saves padding, and whose result it is that has come.

Jobs that follow each other soon are sorted by the length of their prompts, longest first, so that those of a
batch are of similar length and the last ones to run are short. A request that cannot be run is reported when
all before it have their results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from neurologic.errors import NeurologicError
from neurologic.feasibility.constraint import CompiledConstraint
from neurologic.generation.jobs import Constraint, Job
from neurologic.models.base import Prompt
from neurologic.results import Result
from neurologic.search.input_output import SearchOutput


@dataclass(frozen=True)
class Request:
    """One text to write; `number` is how a trace calls it, its place among the requests if not given."""

    prompt: Prompt
    constraint: Constraint | CompiledConstraint = None
    raw: bool = False
    number: int | None = None


class Turns:
    """Requests on their way to jobs.

    names  of every job, in the order in which they are given out, how a trace calls it
    """

    def __init__(self, requests: Sequence[Request], jobs: Iterable[Job], *, ahead: int) -> None:
        """`jobs` of the requests, which may be made as they are asked for; `ahead` so many are sorted."""
        self._requests = requests
        self._made = iter(jobs)
        self._ahead = ahead
        self._jobs: dict[int, Job] = {}
        self._error: NeurologicError | ValueError | None = None
        self._order: list[int] = []  # of every job, as they are given out, the number of its request
        self.names: list[int] = []

    def jobs(self) -> Iterator[Job]:
        """The jobs in the order in which they are to run."""
        for start in range(0, len(self._requests), self._ahead):
            several: list[tuple[int, Job]] = []
            for number in range(start, min(start + self._ahead, len(self._requests))):
                try:
                    several.append((number, next(self._made)))
                except (NeurologicError, ValueError) as error:
                    self._error = error
                    break
            for number, job in sorted(several, key=lambda one: -len(one[1].given.prompt.ids)):
                self._jobs[number] = job
                self._order.append(number)
                name = self._requests[number].number
                self.names.append(number if name is None else name)
                yield job
            if self._error is not None:
                return

    def results(
        self, outputs: Iterable[tuple[int, SearchOutput]], result_of: Callable[[Job, SearchOutput], Result]
    ) -> Iterator[tuple[int, Result]]:
        """Results with the numbers of their requests as they come, from outputs with the places in which jobs
        were given out."""
        for place, output in outputs:
            number = self._order[place]
            yield number, result_of(self._jobs.pop(number), output)
        if self._error is not None:
            raise self._error


def in_order(results: Iterable[tuple[int, Result]]) -> Iterator[Result]:
    """Results in the order of their requests.

    >>> list(in_order([(1, "b"), (0, "a"), (2, "c")]))
    ['a', 'b', 'c']
    """
    done: dict[int, Result] = {}
    following = 0
    for number, result in results:
        done[number] = result
        while following in done:
            yield done.pop(following)
            following += 1
