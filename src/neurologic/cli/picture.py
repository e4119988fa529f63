"""`neurologic picture`: draw the searches of a trace, as a page or as an SVG."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from neurologic.batches.sources import STANDARD, Sources
from neurologic.cli.arguments import add_command_parser
from neurologic.cli.jsonl import require_different_files
from neurologic.cli.messages import SATISFIED, CommandError
from neurologic.errors import NeurologicError, system_reason
from neurologic.picture import Picture, PictureBuilder
from neurologic.storage import write_whole


def add_command(commands: Any) -> None:
    parser = add_command_parser(commands, "picture")
    parser.add_argument("trace", metavar="TRACE", help='a file that --trace has written; "-" for stdin')
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the HTML file to write")
    parser.add_argument("--svg", action="store_true", help="write an SVG of the first search instead")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    if arguments.output == STANDARD:
        raise CommandError("-o needs a file")
    require_different_files({"-i": arguments.trace, "-o": arguments.output})
    builder = PictureBuilder()
    for line in Sources((arguments.trace,)).rows():
        try:
            if line.error is not None:
                raise line.error
            builder.add(line.fields)
        except NeurologicError as error:
            raise CommandError(f"{arguments.trace}, line {line.number}: {error}") from error
    write_picture(builder.picture(), arguments.output, svg=arguments.svg)
    return SATISFIED


def write_picture(picture: Picture, path: str, *, svg: bool = False) -> None:
    """Write a picture to a file, all of it or nothing."""
    try:
        write_whole(Path(path), picture.to_svg() if svg else picture.to_html())
    except OSError as error:
        raise CommandError(f"cannot write {path}: {system_reason(error)}") from error
