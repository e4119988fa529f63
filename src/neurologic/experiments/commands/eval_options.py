"""The options of `neurologic eval TASK`: those of every task, and those that a task adds."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from neurologic.cli.arguments import add_model_options, add_parser, add_search_options, positive_int
from neurologic.decoders.registry import DECODERS
from neurologic.experiments.runs.side_by_side import PAGE
from neurologic.experiments.tasks import Task
from neurologic.experiments.tasks.base import OpenEnded, Option

_DESCRIPTION = """
{summary}.

The command has a model write texts and scores them, or scores the texts of a file (--predictions) or of
finished runs (--runs). With -o it saves texts as the model writes them, and the same command continues where
an earlier one stopped. A decoder that cannot express a formula gets the part it can express; the whole
formula judges every text in any case.
{choices}
Exit code 0: every input has a text (satisfied or not), 1: some input failed, 2: bad usage or bad input.
"""


def add_task(tasks: Any, task: Task, run: Callable[[argparse.Namespace], int]) -> None:
    """Add the command of a task; `run` runs it."""
    summary = f"{task.title}: {task.summary}"
    parser = add_parser(
        tasks,
        task.name,
        summary=summary,
        usage=_usage(task),
        description=_DESCRIPTION.format(summary=summary, choices=_choices(task.options)),
        examples_text=task.examples,
    )
    if task.data:
        parser.add_argument("--data", metavar="DIR", required=True, help=task.data)
        parser.add_argument("--split", metavar="NAME", default="dev", help="part of the data (default: dev)")
    else:
        parser.set_defaults(data=task.name, split="all")
    subset = parser.add_mutually_exclusive_group()
    subset.add_argument("--limit", type=positive_int, metavar="N", help="use only the first N inputs")
    subset.add_argument(
        "--sample", type=positive_int, metavar="N", help="use N random inputs, always the same ones"
    )
    _add_text_sources(parser, task)
    for option in task.options:
        parser.add_argument(
            f"--{option.name}",
            dest=destination(option),
            choices=tuple(option.choices) or None,
            metavar=None if option.choices else "TEXT",
            help=f"{option.meaning}{_default(option)}".replace("%", "%%"),
        )
    _add_output_options(parser)
    add_model_options(parser)
    _add_decoder_options(parser)
    parser.set_defaults(run=run)


def _add_text_sources(parser: argparse.ArgumentParser, task: Task) -> None:
    """Add the options for texts, or grades of texts, that are there already."""
    parser.add_argument(
        "--predictions", metavar="FILE", help="score these outputs, one per line, without any model"
    )
    parser.add_argument(
        "--runs",
        metavar="FOLDER",
        nargs="+",
        help="compare these finished runs, without any model: on the inputs that all of them have a text for",
    )
    if isinstance(task, OpenEnded):
        parser.add_argument(
            "--grades",
            metavar="FILE",
            nargs="+",
            help=f"show the grades that people gave on the page {PAGE} of -o FOLDER, and do nothing else",
        )
    else:
        parser.set_defaults(grades=None)


def _usage(task: Task) -> str:
    data = " --data DIR" if task.data else ""
    return f"neurologic eval {task.name}{data} [--predictions FILE | --runs FOLDERS | -o FOLDER] [options]"


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument(
        "-o", "--output", metavar="FOLDER", help="keep texts, scores and report here, and resume from here"
    )
    group.add_argument("--json", action="store_true", help="print one JSON document instead of the table")


def _add_decoder_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--decoder", metavar="NAME", help=f"one of {', '.join(DECODERS)} (default: neurologic)"
    )
    group.add_argument(
        "--decoders",
        metavar="NAMES",
        help="several names separated by commas, or all; each gets a folder, and is compared with the first",
    )
    parser.add_argument(
        "--vary",
        metavar="NAME=VALUES",
        action="append",
        default=[],
        help="try several values of a setting, as in lambda=0,0.5; repeat it to try all combinations; "
        "each gets a folder",
    )
    add_search_options(parser, several=True)


def _choices(options: Sequence[Option]) -> str:
    """List the values of a task's options with their meaning."""
    lines = []
    for option in options:
        if option.choices:
            lines += ["", f"--{option.name}, {option.meaning}:"]
            lines += [f"  {value:16} {meaning}" for value, meaning in option.choices.items()]
    return "\n".join([*lines, ""])


def _default(option: Option) -> str:
    return f" (default: {' '.join(option.default.split())})" if option.default else ""


def destination(option: Option) -> str:
    """Return the name of a task's option among the parsed arguments, where it hides no other."""
    return f"task_{option.name}"
