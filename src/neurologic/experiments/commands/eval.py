"""`neurologic eval TASK`: the paper's experiments with any model and decoder, or scores of ready outputs."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import neurologic
from neurologic.cli.arguments import (
    Formatter,
    add_message_options,
    add_model_options,
    add_search_options,
    examples,
    given_settings,
    load_model,
    model_options,
    positive_int,
)
from neurologic.cli.messages import (
    SATISFIED,
    UNMET,
    CommandError,
    collected_warnings,
    say_warning,
    system_reason,
)
from neurologic.cli.progress import progress
from neurologic.decoders.registry import DECODERS, decoder_named
from neurologic.errors import NeurologicError
from neurologic.experiments.commands.compare import decoders_named, heeded_by_each
from neurologic.experiments.tasks import TASKS, Item, Task
from neurologic.experiments.tasks.base import Option, options_of, require_packages
from neurologic.search.settings import SearchSettings

if TYPE_CHECKING:
    from neurologic.experiments.runs import Contest, Prediction, Run, System

_EXAMPLES = """
  neurologic eval commongen --data DIR --sample 200 -o runs/neurologic
  neurologic eval commongen --data DIR --sample 200 -o runs/all --decoders neurologic,astar,beam,dba
  neurologic eval commongen --data DIR --split held-out -o runs/lambda --vary lambda=0,0.25,0.5
  neurologic eval commongen --data DIR --predictions outputs.txt
  neurologic eval commongen --help
"""

_DESCRIPTION = """
{summary}.

Texts are written by a model and scored, or read from a file (--predictions) and scored. With -o they are
kept as they are written, and the same command goes on where an earlier one was stopped. A decoder that
cannot express a formula gets what it can express of it; texts are judged by the whole formula in any case.
{choices}
Exit code 0: every input has a text (satisfied or not), 1: some input failed, 2: bad usage or bad input.
"""


def add_command(commands: Any) -> None:
    parser = commands.add_parser(
        "eval",
        help="the paper's experiments: texts, scores and a report",
        description="Run one of the paper's experiments, or score outputs that are there.",
        epilog=examples(_EXAMPLES),
        formatter_class=Formatter,
        allow_abbrev=False,
    )
    tasks = parser.add_subparsers(dest="task", metavar="TASK", required=True)
    for task in TASKS.values():
        _add_task(tasks, task)


def _add_task(tasks: Any, task: Task) -> None:
    summary = f"{task.title}: {task.summary}"
    parser = tasks.add_parser(
        task.name,
        help=summary,
        usage=f"neurologic eval {task.name} --data DIR [--predictions FILE | -o FOLDER] [options]",
        description=_DESCRIPTION.format(summary=summary, choices=_choices(task.options)).strip("\n"),
        epilog=examples(task.examples),
        formatter_class=Formatter,
        allow_abbrev=False,
    )
    parser.add_argument("--data", metavar="DIR", required=True, help=task.data)
    parser.add_argument("--split", metavar="NAME", default="dev", help="part of the data (default: dev)")
    some = parser.add_mutually_exclusive_group()
    some.add_argument("--limit", type=positive_int, metavar="N", help="only the first N inputs")
    some.add_argument("--sample", type=positive_int, metavar="N", help="N inputs, drawn once and for all")
    parser.add_argument(
        "--predictions", metavar="FILE", help="score these outputs, one a line, without any model"
    )
    for option in task.options:
        parser.add_argument(
            f"--{option.name}",
            dest=_destination(option),
            choices=tuple(option.choices) or None,
            metavar=None if option.choices else "TEXT",
            help=f"{option.meaning} (default: {' '.join(option.default.split())})".replace("%", "%%"),
        )
    _add_output_options(parser)
    add_message_options(parser)
    add_model_options(parser)
    _add_decoder_options(parser)
    parser.set_defaults(run=run)


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument(
        "-o", "--output", metavar="FOLDER", help="keep texts, scores and report there, and go on from there"
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
        help="several, separated by commas, or all; each has a folder, and is compared with the first",
    )
    parser.add_argument(
        "--vary",
        metavar="NAME=VALUES",
        action="append",
        default=[],
        help="try several values of a setting, as in lambda=0,0.5; more of them give all combinations, "
        "each with a folder",
    )
    add_search_options(parser, several=True)


def _choices(options: Sequence[Option]) -> str:
    """The values of a task's options with their meaning."""
    lines = []
    for option in options:
        if option.choices:
            lines += ["", f"--{option.name}, {option.meaning}:"]
            lines += [f"  {value:16} {meaning}" for value, meaning in option.choices.items()]
    return "\n".join([*lines, ""])


def _destination(option: Option) -> str:
    return f"task_{option.name}"


@dataclass(frozen=True)
class _Way:
    """A decoder with its settings: one of the systems that are compared."""

    decoder: str
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class _Asked:
    """What the command line asks for.

    everything  all inputs of the split
    items       those that were chosen
    apart       whether there may be several systems, each with a folder of its own
    """

    arguments: argparse.Namespace
    task: Task
    options: Mapping[str, str]
    everything: Sequence[Item]
    items: Sequence[Item]
    folder: Path | None
    apart: bool

    def folder_of(self, name: str) -> Path | None:
        return self.folder / name if self.folder is not None and self.apart else self.folder


def run(arguments: argparse.Namespace) -> int:
    from neurologic.experiments.runs import Contest, Selection

    task = TASKS[arguments.task]
    given = given_settings(arguments)
    _require_usage(arguments, given)
    options = options_of(task, {one.name: getattr(arguments, _destination(one)) for one in task.options})
    ways = _ways(arguments, task, options, given)
    require_packages(task)
    everything = task.items(arguments.data, arguments.split, options)
    selection = Selection(arguments.limit, arguments.sample)
    folder = None if arguments.output is None else Path(arguments.output)
    apart = arguments.decoders is not None or bool(arguments.vary)
    asked = _Asked(arguments, task, options, everything, selection.of(everything), folder, apart)
    if not asked.items:
        raise CommandError(f"{arguments.data} has no inputs in the split {arguments.split}")
    systems = _of_model(asked, ways) if arguments.predictions is None else [_of_file(asked)]
    circumstances = {"task": task.name, "split": arguments.split, "inputs": str(selection)}
    contest = Contest(task, tuple(asked.items), tuple(systems), circumstances)
    if folder is not None:
        _keep(asked, folder, contest)
    from neurologic.experiments.commands.contests import show_contest

    show_contest(contest, apart=apart, as_json=arguments.json)
    if folder is not None and not arguments.json:
        print(f"\n{folder / 'report.html'} shows the texts, the worst first")
    return UNMET if any(system.figures.failed for system in systems) else SATISFIED


# -- what was asked -------------------------------------------------------------------------------


def _require_usage(arguments: argparse.Namespace, given: Mapping[str, Any]) -> None:
    if arguments.output == "":
        raise CommandError("-o names no folder; leave it out to keep nothing")
    folder = None if arguments.output is None else Path(arguments.output)
    if folder is not None and folder.exists() and not folder.is_dir():
        raise CommandError(f"-o {folder} is a file; name a folder")
    # A folder has the files of one run or, for several decoders, a folder each.
    has_run = folder is not None and (folder / "run.json").exists()
    several = "--decoders" if arguments.decoders is not None else "--vary" if arguments.vary else ""
    if folder is not None and not several and any(folder.glob("*/run.json")):
        raise CommandError(f"{folder} holds several runs; name one of its folders, or another")
    if arguments.predictions is None:
        if has_run and several:
            raise CommandError(f"{folder} holds a single run; choose another folder for {several}")
        return
    if has_run:
        raise CommandError(f"{folder} holds texts of a model; choose another folder for --predictions")
    chosen = {"--decoder": arguments.decoder, "--decoders": arguments.decoders}
    chosen["--vary"] = arguments.vary or None
    chosen |= {f"--{name.rstrip('_').replace('_', '-')}": value for name, value in given.items()}
    chosen |= {f"--{name.replace('_', '-')}": value for name, value in model_options(arguments).items()}
    for option, value in chosen.items():
        if value is not None:
            raise CommandError(f"--predictions scores texts that are there, so it takes no {option}")


def _ways(
    arguments: argparse.Namespace, task: Task, options: Mapping[str, str], given: Mapping[str, Any]
) -> dict[str, _Way]:
    """The systems by their names: the chosen decoders, under every combination of the settings to vary.

    A system has the settings that were given, and else the task's own.
    """
    try:
        one = decoder_named(arguments.decoder or "neurologic").name
    except ValueError as error:
        raise CommandError(str(error)) from error
    decoders = [one] if arguments.decoders is None else decoders_named(arguments.decoders)
    varied = [_varied(text) for text in arguments.vary]
    twice = {name for name, _ in varied if name in given or [other for other, _ in varied].count(name) > 1}
    if twice:
        raise CommandError(f"--vary {min(twice)} comes on top of another value of it; give one of the two")
    ways = {}
    for values in itertools.product(*(several for _, several in varied)):
        own = dict(zip((name for name, _ in varied), values, strict=True))
        for decoder, settings in heeded_by_each(decoders, {**given, **own}, task.name, options).items():
            # A decoder that a setting does nothing to is the same whatever its value.
            labels = [f"{name.rstrip('_')}={json.dumps(own[name])}" for name in own if name in settings]
            ways[",".join([decoder, *labels])] = _Way(decoder, settings)
    return ways


def _varied(text: str) -> tuple[str, list[Any]]:
    """The setting of a `--vary`, under the library's name, and its values."""
    name, equals, values = text.partition("=")
    name = name.strip().removeprefix("--").replace("-", "_")
    name = {"lambda": "lambda_", "no_repeat_ngram": "no_repeat_ngram_size"}.get(name, name)
    found = [value for part in values.split(",") if (value := part.strip())]
    if not name or not equals or not found:
        raise CommandError(f"--vary {text}: write NAME=VALUE,VALUE")
    if name not in SearchSettings.__dataclass_fields__ or name == "stop_strings":
        raise CommandError(f"--vary {text}: there is no setting {name}, or none that can be varied")
    return name, [_literal(value) for value in found]


def _literal(text: str) -> Any:
    """A number or truth value as JSON writes it; anything else is a text."""
    try:
        return json.loads(text.lower())
    except ValueError:
        return text


# -- outputs of another program -------------------------------------------------------------------


def _of_file(asked: _Asked) -> System:
    from neurologic.experiments.runs import of_output

    path, split = Path(asked.arguments.predictions), asked.arguments.split
    with collected_warnings():
        outputs = asked.task.outputs(path, asked.arguments.data, split, asked.items)
    predictions = [of_output(item, output) for item, output in zip(asked.items, outputs, strict=True)]
    described = {
        "task": asked.task.name,
        "split": split,
        "predictions": path.name,
        "version": neurologic.__version__,
    }
    return _scored(asked, path.name, described, predictions)


# -- outputs of a model ---------------------------------------------------------------------------


def _of_model(asked: _Asked, ways: Mapping[str, _Way]) -> list[System]:
    from neurologic.experiments.runs import Experiment

    experiment = Experiment(
        asked.task,
        asked.arguments.split,
        asked.options,
        asked.everything,
        asked.items,
        asked.arguments.model,
        model_options(asked.arguments),
    )
    with contextlib.ExitStack() as opened:
        runs: dict[str, Run] = {}
        for name, way in ways.items():
            runs[name] = opened.enter_context(
                experiment.run(asked.folder_of(name), way.decoder, way.settings)
            )
        if asked.folder is None:
            say_warning("nothing is kept, and a run that is stopped is lost; -o FOLDER keeps it")
        with collected_warnings():
            _write(asked, runs, ways)
    return [_scored(asked, name, run.manifest, run.predictions(asked.items)) for name, run in runs.items()]


def _write(asked: _Asked, runs: Mapping[str, Run], ways: Mapping[str, _Way]) -> None:
    """Write what is missing; where nothing is, no model is loaded."""
    from neurologic.experiments.runs import continued

    total = len(asked.items) * len(runs)
    done = total - sum(len(run.left(asked.items)) for run in runs.values())
    if done == total:
        return
    lm = load_model(asked.arguments)
    try:
        with progress("writing", total) as advance:
            for _ in range(done):
                advance()
            for name, run in runs.items():
                for item, result in continued(
                    run,
                    lm,
                    asked.items,
                    decoder=ways[name].decoder,
                    settings=ways[name].settings,
                    batch_size=asked.arguments.batch_size,
                ):
                    if isinstance(result, NeurologicError):
                        say_warning(f"{name}, {item.id} ({item.title}): {result}")
                    done += 1
                    advance()
    except KeyboardInterrupt:
        rest = "" if asked.folder is None else "; the same command goes on from there"
        raise KeyboardInterrupt(f"interrupted after {done} of {total} texts{rest}") from None


# -- what comes of it -----------------------------------------------------------------------------


def _scored(
    asked: _Asked, name: str, described: Mapping[str, Any], predictions: Sequence[Prediction]
) -> System:
    from neurologic.experiments.runs import scored

    if not sys.stderr.isatty():
        return scored(asked.task, asked.items, name, described, predictions)
    from rich.console import Console

    with Console(stderr=True).status(f"scoring {name}"):
        return scored(asked.task, asked.items, name, described, predictions)


def _keep(asked: _Asked, folder: Path, contest: Contest) -> None:
    from neurologic.experiments.runs.keeping import keep

    try:
        keep(folder, contest, apart=asked.apart)
    except OSError as error:
        raise CommandError(f"cannot write {error.filename or folder}: {system_reason(error)}") from error
