"""`neurologic translate`: translate sentences with the terms of a glossary.

This is `generate` for files of text: one sentence per line becomes a translation in the same line. Standard
error names the translations that need a look, and `--report` has all details.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from neurologic.batches.lines import InputLine, LineError, decode
from neurologic.batches.sources import PARQUET, STANDARD, Sources, object_line
from neurologic.cli.arguments import (
    add_command_parser,
    add_input_option,
    add_model_options,
    add_resume_options,
    add_search_options,
)
from neurologic.cli.generate import LineOutput, Rows, add_text_options, read_text_options, write_texts
from neurologic.cli.jsonl import require_different_files
from neurologic.cli.messages import CommandError
from neurologic.cli.result_writers import json_row, text_row

LINES = ".jsonl"
_MAX_NEW_TOKENS = 128  # enough for some ninety words of French; short sentences end by themselves


def add_command(commands: Any) -> None:
    parser = add_command_parser(commands, "translate")
    parser.add_argument("prompts", metavar="SENTENCE", nargs="*", default=[], help="a sentence to translate")
    add_input_option(parser, "read one sentence per line, or rows of .jsonl or .parquet")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help='write one translation per line, or rows if it ends in .jsonl or .parquet; "-" for stdout',
    )
    parser.add_argument(
        "--report", metavar="FILE", help="write terms and verdicts of every line of -i here, as lines of JSON"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document to stdout")
    add_resume_options(parser)
    add_text_options(parser)
    add_model_options(parser, model=None)
    add_search_options(parser, max_new_tokens=_MAX_NEW_TOKENS)
    parser.set_defaults(run=run, format="jsonl", raw=False, system=None)


def run(arguments: argparse.Namespace) -> int:
    _require_usage(arguments)
    options = read_text_options(arguments)
    output = "" if arguments.output is None else arguments.output
    form = json_row if output.endswith((LINES, PARQUET)) else text_row
    if arguments.input is None:
        rows = Rows.of_prompts(arguments.prompts)
    else:
        sources = Sources.named(arguments.input)
        rows = Rows.of_files(sources, lambda: _rows(sources, keeps_blank=form is text_row), blank=False)
    return write_texts(arguments, options, rows, LineOutput(form, arguments.report, warns=_warns(arguments)))


def _warns(arguments: argparse.Namespace) -> bool:
    """Return whether standard error names bad translations: not if the output on the screen does."""
    to_file = arguments.output is not None
    return to_file or (arguments.input is not None and not arguments.json)


def _require_usage(arguments: argparse.Namespace) -> None:
    if arguments.model is None:
        raise CommandError("give --model, a translation model's hub id or folder")
    if bool(arguments.prompts) == (arguments.input is not None):
        raise CommandError("give sentences or -i FILE" + (", not both" if arguments.prompts else ""))
    if arguments.report is None:
        return
    if arguments.input is None:
        raise CommandError("--report is for the lines of -i; for SENTENCE use --json")
    if arguments.report == STANDARD:
        raise CommandError("--report needs a file; standard output is for translations")
    if arguments.json and arguments.output is None:
        raise CommandError("--json prints what --report would hold; choose one, or give -o FILE")
    others: dict[str, Any] = {"-i": arguments.input, "-o": arguments.output, "--glossary": arguments.glossary}
    others |= {"--trace": arguments.trace, "--picture": arguments.picture}
    require_different_files({**others, "--report": arguments.report})


def _rows(sources: Sources, *, keeps_blank: bool) -> Iterator[InputLine]:
    """Return sentences: lines of text, or the prompts of JSON lines and Parquet, known by their names' ends.

    keeps_blank  whether a blank line of text is a row
    """
    lines_of_json = all(path.endswith((LINES, PARQUET)) for path in sources.paths)
    rows = sources.rows(object_line if lines_of_json else _sentence)
    return rows if keeps_blank else (row for row in rows if not row.blank)


def _sentence(number: int, data: bytes) -> InputLine:
    try:
        sentence = decode(data).strip()
    except LineError as error:
        return InputLine(number, {"line": number}, error)
    fields = {"line": number, "prompt": sentence}
    return InputLine(number, fields) if sentence else InputLine(number, blank=True)
