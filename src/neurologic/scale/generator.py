"""`Generator`: a model as the callable class of `Dataset.map_batches`.

It adds the columns of a result to those of its input, with the same types for every batch: a column that is
null in one block and text in the next would not fit into one Parquet file. A row that fails has the reason in
`error` and harms no other. Calls may overlap (`max_concurrent_calls_per_actor`): all rows go to one
scheduler, so that the next batch of rows fills the places that the last rows of this one leave free.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import neurologic
from neurologic.batches.inputs import InputReader, PromptInput
from neurologic.batches.lines import InputLine, json_text, misspelt_keys
from neurologic.batches.parquet_files import result_types, table_of, with_columns
from neurologic.batches.result_rows import output_fields
from neurologic.errors import NeurologicError
from neurologic.generation.request import Constraint
from neurologic.generation.result import Result
from neurologic.integrations.glossary import Glossary
from neurologic.logic import to_formula

if TYPE_CHECKING:
    import pyarrow as pa

    from neurologic.generation.constrained_model import ConstrainedModel

# Of the rows of a call, this many batches are compiled at a time: compiled formulas take memory.
_BATCHES_AHEAD = 4


class Generator:
    """A model that writes a text per row; its rows have the fields of a line of `neurologic generate`."""

    def __init__(
        self,
        model: str | Callable[[], ConstrainedModel] = "smollm2",
        *,
        constraint: Constraint = None,
        prompt_column: str = "prompt",
        formula_column: str = "formula",
        raw: bool = False,
        system: str | None = None,
        glossary: Glossary | None = None,
        loading: Mapping[str, Any] | None = None,
        strict: bool = False,
        batch_size: int = 8,
        **options: Any,
    ) -> None:
        """Load the model, once per actor.

        model           what `neurologic.load` takes, or a function that makes a model
        constraint      holds for every row, beside the row's own
        prompt_column, formula_column
                        where a row has its prompt and its formula
        raw, system, glossary
                        as for `neurologic generate`
        loading         options of `neurologic.load`, such as `device` and `threads`
        strict          whether a row with misspelt fields fails, instead of a warning
        batch_size      how many texts to write at a time
        options         decoder, settings and all else that `lm.generate` takes
        """
        self._lm = model() if callable(model) else neurologic.load(model, **(loading or {}))
        self._reader = InputReader(to_formula(constraint), raw, system, glossary, strict)
        self._columns = {prompt_column: "prompt", formula_column: "formula"}
        self._batch_size = batch_size
        self._options = {"batch_size": batch_size, **options}

    def __call__(self, batch: Any) -> pa.Table:
        """Return the batch, of any of Ray's formats, with the columns of the results."""
        table = _as_table(batch)
        results = self.rows(self._lines(table), _warn)
        return with_columns(table, table_of([_only_results(fields) for fields in results], {}))

    def _lines(self, table: pa.Table) -> Iterator[InputLine]:
        doubts = misspelt_keys(self._columns.get(name, name) for name in table.column_names)
        if not self._reader.strict:
            for doubt in doubts:
                _warn(doubt)
        for place, row in enumerate(table.to_pylist()):
            fields = {
                self._columns.get(name, name): value for name, value in row.items() if value is not None
            }
            yield InputLine(place + 1, fields, place=place, doubts=doubts)

    def rows(
        self, lines: Iterable[InputLine], warn: Callable[[str], object] = lambda message: None
    ) -> list[dict[str, Any]]:
        """Return the output fields of rows, in their order; `warn` gets the warnings of their results."""
        inputs = [self._reader.line(line) for line in lines]
        rows = []
        for given, result in zip(inputs, self.results(inputs), strict=True):
            for message in result.warnings:
                warn(f"{given.name}: {message}")
            rows.append(output_fields(given, result))
        return rows

    def results(self, inputs: Sequence[PromptInput]) -> list[Result]:
        """Return the results of inputs; those with long prompts run first, so that batches are even."""
        results = {
            place: Result("", 0.0, error=given.error) for place, given in enumerate(inputs) if not given.runs
        }
        waiting = sorted(
            (place for place, given in enumerate(inputs) if given.runs),
            key=lambda place: -len(json_text(inputs[place].prompt)),
        )
        running: dict[Future[Result], int] = {}
        while waiting or running:
            while waiting and len(running) < _BATCHES_AHEAD * self._batch_size:
                place = waiting.pop(0)
                running[self._lm.submit(inputs[place].request, **self._options)] = place
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                results[running.pop(done)] = _with_named_error(done.result())
        return [results[place] for place in range(len(inputs))]


def _warn(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=2)  # Python shows the same message once


def _with_named_error(result: Result) -> Result:
    """Give an unexpected error its kind: a row of a long run has no traceback."""
    error = result.error
    if error is None or isinstance(error, NeurologicError):
        return result
    return replace(result, error=NeurologicError(f"{type(error).__name__}: {error}".rstrip(": ")))


def _only_results(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name in result_types()}


def _as_table(batch: Any) -> pa.Table:
    import pyarrow as pa

    if isinstance(batch, pa.Table):
        return batch
    if isinstance(batch, Mapping):
        return pa.table({name: pa.array(list(values)) for name, values in batch.items()})
    return pa.Table.from_pandas(batch, preserve_index=False)
