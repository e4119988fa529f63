"""The paper's scores on CommonGen's test split, from `paper_scores.tsv`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from neurologic.experiments.data_files import rows

Values: TypeAlias = tuple[float | None, ...]  # in the order of METRICS

_HEADINGS, *_ROWS = rows(__package__, "paper_scores.tsv")
METRICS = tuple(_HEADINGS[3:])


def _scores(table: str) -> Iterator[tuple[str, str, Values]]:
    for number, row, decoder, *values in _ROWS:
        if number == table:
            yield row, decoder, tuple(float(value) if value else None for value in values)


def _pairs(table: str) -> dict[str, tuple[Values, Values]]:
    by_decoder = {(row, decoder): values for row, decoder, values in _scores(table)}
    return {row: (by_decoder[row, "beam"], by_decoder[row, "neurologic"]) for row, _ in by_decoder}


TABLE_2 = _pairs("2")  # supervised models: beam search, NeuroLogic
TABLE_3 = _pairs("3")  # without supervision: beam search, NeuroLogic
TABLE_4 = {decoder: values for _, decoder, values in _scores("4")}  # decoders on the supervised GPT-2 large
