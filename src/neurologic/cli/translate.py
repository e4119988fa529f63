"""`neurologic translate`: translate sentences with the terms of a glossary.

This is `generate` for files of text: one sentence per line becomes a translation in the same line. Standard
error names the translations that need a look, and `--report` has all details.
"""

from __future__ import annotations

import argparse
import contextlib
from typing import Any

from neurologic.cli.arguments import add_command_parser, add_model_options, add_search_options
from neurologic.cli.generate import add_text_options, read_text_options, write_texts
from neurologic.cli.jsonl import (
    STANDARD,
    InputLine,
    LineError,
    OutputFile,
    decode,
    require_different_files,
    split_lines,
)
from neurologic.cli.messages import CommandError
from neurologic.cli.result_writers import JsonLinesWriter, TextLinesWriter

_MAX_NEW_TOKENS = 128  # enough for some ninety words of French; short sentences end by themselves


def add_command(commands: Any) -> None:
    parser = add_command_parser(commands, "translate")
    parser.add_argument("prompts", metavar="SENTENCE", nargs="*", default=[], help="a sentence to translate")
    parser.add_argument("-i", "--input", metavar="FILE", help='read one sentence per line; "-" for stdin')
    parser.add_argument(
        "-o", "--output", metavar="FILE", help='write one translation per line; "-" for stdout'
    )
    parser.add_argument(
        "--report", metavar="FILE", help="write terms and verdicts of every line of -i here, as lines of JSON"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document to stdout")
    add_text_options(parser)
    add_model_options(parser, model=None)
    add_search_options(parser, max_new_tokens=_MAX_NEW_TOKENS)
    parser.set_defaults(run=run, format="jsonl", raw=False, system=None)


def run(arguments: argparse.Namespace) -> int:
    _require_usage(arguments)
    options = read_text_options(arguments)
    if arguments.input is None:
        total = len(arguments.prompts)
        return write_texts(
            arguments, options, None, total, lambda file: TextLinesWriter(file, range(1, total + 1), total)
        )
    data = list(split_lines(arguments.input))
    lines = [line for number, text in enumerate(data, start=1) if (line := _line(number, text)) is not None]
    places = [line.number for line in lines]
    with contextlib.ExitStack() as files:
        report = None
        if arguments.report is not None:
            report = JsonLinesWriter(files.enter_context(OutputFile(arguments.report)))

        def writer(file: OutputFile) -> TextLinesWriter:
            return TextLinesWriter(file, places, len(data), report)

        return write_texts(arguments, options, lines, len(lines), writer)


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
    others = {"-i": arguments.input, "-o": arguments.output, "--glossary": arguments.glossary}
    others |= {"--trace": arguments.trace, "--picture": arguments.picture}
    require_different_files({**others, "--report": arguments.report})


def _line(number: int, data: bytes) -> InputLine | None:
    """Return the line of a sentence; None if it is blank."""
    try:
        sentence = decode(data).strip()
    except LineError as error:
        return InputLine(number, {"line": number}, error)
    return InputLine(number, {"line": number, "prompt": sentence}) if sentence else None
