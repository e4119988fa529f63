"""`neurologic reproduce TASK`: run a whole experiment of the paper, from training to tables."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from neurologic.cli.arguments import add_command_parser, positive_int
from neurologic.cli.jsonl import print_json
from neurologic.cli.messages import SATISFIED, UNMET, CommandError, collected_warnings, say_warning
from neurologic.cli.progress import duration, weighted_progress
from neurologic.cli.tables import print_line, print_table
from neurologic.experiments.commands.result_tables import print_result_table
from neurologic.experiments.commands.train import until_interrupted
from neurologic.experiments.reproduction.estimate import Estimate, estimate_time
from neurologic.experiments.reproduction.execution import Execution
from neurologic.experiments.reproduction.experiment_parts import PARTS, Scale
from neurologic.experiments.reproduction.found_runs import Findings
from neurologic.experiments.reproduction.plan import Stage, plan_stages
from neurologic.experiments.reproduction.presets import SCALES
from neurologic.experiments.reproduction.report import Report, write_report
from neurologic.experiments.reproduction.reproduction import Reproduction
from neurologic.experiments.runs import Subset
from neurologic.experiments.tasks import TASKS
from neurologic.experiments.tasks.base import require_packages
from neurologic.experiments.training.settings import located

_TASKS = ("commongen",)


def add_command(commands: Any) -> None:
    parser = add_command_parser(
        commands, "reproduce", parts="\n".join(f"  {name:8} {meaning}" for name, meaning in PARTS.items())
    )
    parser.add_argument("task", metavar="TASK", choices=_TASKS, help=", ".join(_TASKS))
    parser.add_argument("--data", metavar="DIR", required=True, help="the task's data, as for eval")
    parser.add_argument("-o", "--output", metavar="FOLDER", required=True, help="folder for everything")
    parser.add_argument(
        "--scale",
        choices=tuple(SCALES),
        default="laptop",
        help="laptop: small models, one night on two cores; paper: the paper's models (default: laptop)",
    )
    parser.add_argument(
        "--inputs",
        type=_count_or_all,
        metavar="N",
        help="size of a fixed sample of the dev split, or all (default: "
        + ", ".join(f"{name} {scale.inputs or 'all'}" for name, scale in SCALES.items())
        + ")",
    )
    parser.add_argument("--parts", metavar="NAMES", help="names separated by commas (default: all)")
    parser.add_argument(
        "--model",
        dest="models",
        action="append",
        default=[],
        metavar="NAME=MODEL",
        help="use another model for a name of the scale: a hub id, a folder or a GGUF file; the command then "
        "trains no model of this name; repeatable",
    )
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--dry-run", action="store_true", help="only print the steps, and how long they take")
    only.add_argument(
        "--report-only", action="store_true", help="only write the report of the runs that exist"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of tables")
    group = parser.add_argument_group("running")
    group.add_argument(
        "--device", help="device to run on, such as cpu or cuda (default: a GPU if there is one)"
    )
    group.add_argument(
        "--threads", type=positive_int, metavar="N", help="number of threads (default: one per physical core)"
    )
    group.add_argument(
        "--batch-size", type=positive_int, default=8, metavar="N", help="texts at a time (default: 8)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    reproduction = _reproduction(arguments)
    findings = Findings(reproduction)
    if arguments.report_only:
        require_packages(reproduction.task)
        _show(write_report(findings), reproduction, arguments)
        return SATISFIED
    stages = plan_stages(reproduction)
    estimate = estimate_time(reproduction.scale, stages, **_loading(arguments))
    if arguments.dry_run and arguments.json:
        print_json(_plan_document(stages, estimate))
        return SATISFIED
    if not arguments.json:
        _print_plan(stages, estimate)
    if arguments.dry_run:
        return SATISFIED
    require_packages(reproduction.task)
    failures = _execute(findings, stages, estimate, arguments)
    _show(write_report(findings), reproduction, arguments)
    for failure in failures:
        say_warning(f"not done: {failure}")
    return UNMET if failures else SATISFIED


# -- usage ----------------------------------------------------------------------------------------


def _reproduction(arguments: argparse.Namespace) -> Reproduction:
    scale = SCALES[arguments.scale]
    folder = Path(arguments.output)
    if folder.exists() and not folder.is_dir():
        raise CommandError(f"-o {folder} is a file; name a folder")
    inputs = scale.inputs if arguments.inputs is None else arguments.inputs
    return Reproduction(
        scale,
        TASKS[arguments.task],
        arguments.data,
        folder,
        subset=Subset(sample=inputs or None),
        parts=_parts(arguments.parts),
        models=_models(arguments.models, scale),
    )


def _parts(given: str | None) -> tuple[str, ...]:
    if given is None:
        return tuple(PARTS)
    chosen = list(dict.fromkeys(name for part in given.split(",") if (name := part.strip())))
    unknown = [name for name in chosen if name not in PARTS]
    if unknown or not chosen:
        problem = f"there is no part {unknown[0]!r}" if unknown else "--parts needs names"
        raise CommandError(f"{problem}; choose from {', '.join(PARTS)}")
    return tuple(chosen)


def _models(given: Sequence[str], scale: Scale) -> dict[str, str]:
    """Read the values of `--model NAME=MODEL`."""
    models = {}
    for text in given:
        name, equals, model = text.partition("=")
        if not equals or not model:
            raise CommandError(
                f"--model {text}: write NAME=MODEL, as in --model {next(iter(scale.models))}=FOLDER"
            )
        if name not in scale.models:
            raise CommandError(
                f"the scale {scale.name} has no model {name!r}; it has {', '.join(scale.models)}"
            )
        models[name] = located(model)
        # `load` looks for a hub id later; report a missing path now, before the night begins.
        if model.startswith(("/", ".", "~")) and not Path(models[name]).exists():
            raise CommandError(f"--model {text}: there is no {model}")
    return models


def _loading(arguments: argparse.Namespace) -> dict[str, Any]:
    given = {"device": arguments.device, "threads": arguments.threads}
    return {name: value for name, value in given.items() if value is not None}


# -- the plan -------------------------------------------------------------------------------------


def _print_plan(stages: Sequence[Stage], estimate: Estimate) -> None:
    rows = []
    for stage in stages:
        seconds = estimate.stages[stage.system.name]
        about = "done" if stage.finished else stage.problem or duration(seconds)
        rows.append((stage.system.name, _training_progress(stage), _text_progress(stage), about))
    print_table(("system", "training", "texts", "about"), rows)
    if estimate.seconds:
        source = "by the work done so far" if estimate.measured else "by a short trial of this machine"
        print(f"\nin all about {duration(estimate.seconds)}, {source}")
    else:
        print("\nnothing is left to do")
    sys.stdout.flush()


def _training_progress(stage: Stage) -> str:
    training = stage.training
    if training is None:
        return "-"
    return "done" if training.finished else f"{training.done:,} of {training.steps:,} steps"


def _text_progress(stage: Stage) -> str:
    done = sum(step.done for step in stage.generations)
    inputs = sum(step.inputs for step in stage.generations)
    left = [step.key.decoder for step in stage.generations if step.left]
    return f"{done:,} of {inputs:,}" + (f" ({', '.join(left)})" if left else "")


def _plan_document(stages: Sequence[Stage], estimate: Estimate) -> dict[str, Any]:
    return {
        "seconds": round(estimate.seconds),
        "measured": estimate.measured,
        "stages": [_stage_document(stage, estimate.stages[stage.system.name]) for stage in stages],
    }


def _stage_document(stage: Stage, seconds: float) -> dict[str, Any]:
    training = stage.training
    return {
        "system": stage.system.name,
        "training": None if training is None else {"steps": training.steps, "done": training.done},
        "runs": {step.key.decoder: {"inputs": step.inputs, "done": step.done} for step in stage.generations},
        "seconds": round(seconds),
        **({"problem": stage.problem} if stage.problem else {}),
    }


# -- the execution --------------------------------------------------------------------------------


class _Terminal:
    """Shows the progress of an execution; a log gets a line per step instead of the bar."""

    def __init__(self, advance: Callable[[str, float], None]) -> None:
        self.advance = advance

    def say(self, message: str) -> None:
        if not sys.stderr.isatty():  # the bar says it
            with contextlib.suppress(OSError):
                print(message, file=sys.stderr, flush=True)

    def warn(self, message: str) -> None:
        say_warning(message)

    def until_interrupted(self) -> contextlib.AbstractContextManager[Callable[[], bool]]:
        return until_interrupted()


def _execute(
    findings: Findings, stages: list[Stage], estimate: Estimate, arguments: argparse.Namespace
) -> list[str]:
    """Do the remaining steps; return the failures."""
    try:
        with weighted_progress(estimate.seconds) as advance, collected_warnings():
            execution = Execution(
                findings.reproduction,
                findings,
                estimate,
                _Terminal(advance),
                _loading(arguments),
                arguments.batch_size,
            )
            execution.run(stages, after_each=lambda: write_report(findings))
    except KeyboardInterrupt:
        raise KeyboardInterrupt("interrupted; the same command continues from there") from None
    return execution.failures


# -- output ---------------------------------------------------------------------------------------


def _show(report: Report, reproduction: Reproduction, arguments: argparse.Namespace) -> None:
    if arguments.json:
        print_json(report.to_json())
        return
    for table in report.tables:
        print_line(f"\n{table.title}", style="bold")
        print_result_table(table, show_marks=True)
        print_line(table.note, style="dim")
        print()
    for verdict in report.verdicts:
        print(f"- {verdict}")
    print(f"\n{reproduction.folder / 'report.html'} has the tables and curves")


def _count_or_all(text: str) -> int:
    """Read a number of inputs for argparse; 0 means all of them."""
    return 0 if text == "all" else positive_int(text)
