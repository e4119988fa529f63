"""Rows from and to Parquet, with pyarrow (the extra `parquet`).

The columns of results have fixed types, so that files written apart fit together. The columns of Parquet
files keep their types; those of JSON lines get the type that fits all values. Where none does, because lines
or files mix them, the column holds its values as JSON text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import IO, TYPE_CHECKING, Any

from neurologic.batches.lines import RESULT_FIELDS, json_text
from neurologic.errors import DataError, missing_extra, system_reason

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS_AT_A_TIME = 1000
_AS_JSON = ("others", "glossary")  # fields of results that nest

# A column's type; None for values as JSON text.
ColumnTypes = dict[str, "pa.DataType | None"]


def read_rows(path: str | IO[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file, without their null fields."""
    try:
        for batch in _opened(path).iter_batches(batch_size=_ROWS_AT_A_TIME):
            for row in batch.to_pylist():
                yield {name: value for name, value in row.items() if value is not None}
    except OSError as error:
        raise DataError(f"cannot read {path}: {system_reason(error)}") from error


def count_rows(path: str) -> int:
    """Return how many rows a file has."""
    try:
        return int(_opened(path).metadata.num_rows)
    except OSError as error:
        raise DataError(f"cannot read {path}: {system_reason(error)}") from error


def _opened(path: str | IO[bytes]) -> Any:
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise DataError(missing_extra("pyarrow", "parquet", "Parquet")) from None
    try:
        return parquet.ParquetFile(path)
    except pyarrow.ArrowInvalid as error:
        raise DataError(f"{path} is not a Parquet file: {error}") from error


def result_types() -> ColumnTypes:
    """Return the columns of a result, always the same ones with the same types."""
    import pyarrow as pa

    texts = pa.list_(pa.string())
    clause = {
        "clause": pa.string(),
        "satisfied": pa.bool_(),
        "state": pa.string(),
        "by": texts,
        "absent": texts,
    }
    wish = {"wish": pa.string(), "met": pa.bool_(), "weight": pa.float64()}
    types = {
        "text": pa.string(),
        "score": pa.float64(),
        "satisfied": pa.bool_(),
        "unmet": texts,
        "clauses": pa.list_(pa.struct(clause)),
        "forced": pa.int64(),
        "marks": pa.list_(pa.struct({"kind": pa.string(), "excerpt": pa.string()})),
        "wishes": pa.list_(pa.struct(wish)),
        "before": pa.string(),
        "reduced": pa.string(),
        "error": pa.string(),
        **dict.fromkeys(_AS_JSON),
    }
    return {name: types[name] for name in RESULT_FIELDS}


def file_types(path: str | IO[bytes]) -> ColumnTypes:
    """Return the types of a file's columns that are not a result's."""
    import pyarrow as pa

    schema = _opened(path).schema_arrow
    return {
        field.name: field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        for field in schema
        if field.name not in RESULT_FIELDS
    }


def input_types(rows: Sequence[Mapping[str, Any]]) -> ColumnTypes:
    """Return the types of the columns that are not a result's."""
    names = dict.fromkeys(name for row in rows for name in row if name not in RESULT_FIELDS)
    return {name: _type_of([row.get(name) for row in rows]) for name in names}


def _type_of(values: Sequence[Any]) -> pa.DataType | None:
    import pyarrow as pa

    try:
        return pa.array(values).type
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        return None


def joined_types(parts: Iterable[ColumnTypes]) -> ColumnTypes:
    """Return the types into which the columns of all parts fit."""
    joined: ColumnTypes = {}
    for part in parts:
        for name, found in part.items():
            joined[name] = _joined(joined[name], found) if name in joined else found
    return joined


def _joined(first: pa.DataType | None, second: pa.DataType | None) -> pa.DataType | None:
    import pyarrow as pa

    if first is None or second is None:
        return None
    try:
        fields = [pa.schema([("value", each)]) for each in (first, second)]
        return pa.unify_schemas(fields, promote_options="permissive").field("value").type
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return None


def table_of(rows: Sequence[Mapping[str, Any]], types: ColumnTypes) -> pa.Table:
    """Return rows as a table of these columns, then those of results."""
    import pyarrow as pa

    columns = {**{name: _storable(found) for name, found in types.items()}, **result_types()}
    return pa.table({name: _array(_values(rows, name), found) for name, found in columns.items()})


def with_columns(table: pa.Table, added: pa.Table) -> pa.Table:
    """Return a table with the columns of another one, which replace its own of the same names."""
    table = table.select([name for name in table.column_names if name not in added.column_names])
    for name, column in zip(added.column_names, added.columns, strict=True):
        table = table.append_column(name, column)
    return table


def with_types(table: pa.Table, types: ColumnTypes) -> pa.Table:
    """Return the columns of a table that have types here, with these; missing ones are null."""
    import pyarrow as pa

    def column(name: str, found: pa.DataType | None) -> Any:
        if name not in table.column_names:
            return pa.nulls(table.num_rows, pa.string() if found is None else found)
        if found is None:
            return _array(table[name].to_pylist(), None)
        return table[name].cast(found, safe=False)  # a whole number may be too large for a column of floats

    return pa.table({name: column(name, _storable(found)) for name, found in types.items()})


def _values(rows: Sequence[Mapping[str, Any]], name: str) -> list[Any]:
    values = [row.get(name) for row in rows]
    if name == "clauses":  # a row that failed has its constraint there, which is no report
        return [None if row.get("error") else value for row, value in zip(rows, values, strict=True)]
    return values


def _array(values: list[Any], found: pa.DataType | None) -> pa.Array:
    """Return values as a column; as JSON text if there is no type."""
    import pyarrow as pa

    if found is None:
        return pa.array([None if value is None else json_text(value) for value in values], type=pa.string())
    try:
        return pa.array(values, type=found)
    except pa.ArrowInvalid:  # a whole number that a float cannot hold exactly
        return pa.array([_rounded(value, found) for value in values], type=found)


def _rounded(value: Any, found: pa.DataType) -> Any:
    """Return a value with floats where its type has them."""
    import pyarrow as pa

    if value is None:
        return None
    if pa.types.is_floating(found):
        return float(value)
    if pa.types.is_list(found):
        return [_rounded(each, found.value_type) for each in value]
    if pa.types.is_struct(found):
        return {field.name: _rounded(value.get(field.name), field.type) for field in found}
    return value


def _storable(found: pa.DataType | None) -> pa.DataType | None:
    """Return a type that a file can hold: nothing but nulls is text, an object without fields JSON."""
    import pyarrow as pa

    if found is None or pa.types.is_null(found):
        return pa.string() if found is not None else None
    if pa.types.is_list(found):
        inner = _storable(found.value_type)
        return None if inner is None else pa.list_(inner)
    if pa.types.is_struct(found):
        fields = {field.name: _storable(field.type) for field in found}
        return None if not fields or None in fields.values() else pa.struct(fields)
    return found


def write_lines_as_parquet(lines: str, target: IO[bytes], given: Sequence[str] = ()) -> None:
    """Write a file of JSON lines as Parquet, a part at a time.

    given  the Parquet files whose rows became these lines, one each: their columns stay as they are
    """
    from pyarrow import parquet

    types = joined_types(map(file_types, given) if given else (input_types(rows) for rows in _parts(lines)))
    with parquet.ParquetWriter(target, table_of([], types).schema) as writer:
        for table in _tables_beside(given, lines, types) if given else _tables(lines, types):
            writer.write_table(table)


def _tables(lines: str, types: ColumnTypes) -> Iterator[pa.Table]:
    for rows in _parts(lines):
        yield table_of(rows, types)


def _tables_beside(given: Sequence[str], lines: str, types: ColumnTypes) -> Iterator[pa.Table]:
    import pyarrow as pa

    with open(lines, "rb") as file:
        for path in given:
            for batch in _opened(path).iter_batches(batch_size=_ROWS_AT_A_TIME):
                rows = [json.loads(line) for line in islice(file, batch.num_rows)]
                if len(rows) < batch.num_rows:
                    raise DataError(
                        f"{path} has changed since its rows were read; run the same command again"
                    )
                own = with_types(pa.Table.from_batches([batch]), types)
                yield with_columns(own, table_of(rows, {}))


def _parts(lines: str) -> Iterator[list[dict[str, Any]]]:
    with open(lines, "rb") as file:
        while rows := [json.loads(line) for line in islice(file, _ROWS_AT_A_TIME)]:
            yield rows
