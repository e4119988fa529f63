"""Read input lines in the formats of other toolkits as lines of our own.

Their users expect a line of output for each line of input, so a blank line keeps its place, with an error.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import replace

from neurologic.batches.lines import InputLine, LineError, decode, json_line
from neurologic.batches.sources import Sources, object_line
from neurologic.errors import NeurologicError
from neurologic.integrations import fairseq, sockeye
from neurologic.integrations.toolkit_phrases import MatchOptions

OWN = "jsonl"


def read_input(arguments: argparse.Namespace) -> Iterator[InputLine]:
    """Return the rows of `--input`, lines read in the format of `--format`."""
    sources = Sources.named(arguments.input)
    if arguments.format == OWN:
        return sources.rows(object_line)
    given = {name: value for name in ("match", "case") if (value := getattr(arguments, name)) is not None}
    read, matching = _READERS[arguments.format], MatchOptions(**given)
    return sources.rows(lambda number, data: read(number, data.removesuffix(b"\r"), matching))


def _sockeye_line(number: int, data: bytes, matching: MatchOptions) -> InputLine:
    if not data.strip():
        return InputLine(number, error=LineError("the line is empty"))
    line = json_line(number, data)
    if line.error is not None:
        return line
    try:
        return replace(line, fields=sockeye.to_fields(line.fields, matching))
    except NeurologicError as error:
        return replace(line, fields=sockeye.renamed(line.fields), error=error)


def _fairseq_line(number: int, data: bytes, matching: MatchOptions) -> InputLine:
    try:
        text = decode(data)
    except LineError as error:
        return InputLine(number, error=error)
    try:
        return InputLine(number, fairseq.to_fields(text, matching))
    except NeurologicError as error:
        source = text.split("\t")[0]
        return InputLine(number, {"prompt": source} if source.strip() else {}, error)


_READERS: dict[str, Callable[[int, bytes, MatchOptions], InputLine]] = {
    "sockeye": _sockeye_line,
    "fairseq": _fairseq_line,
}
FORMATS = (OWN, *_READERS)
