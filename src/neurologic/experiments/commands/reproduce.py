"""`neurologic reproduce TASK`: a whole experiment of the paper, from training to tables, in one folder."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurologic.cli.arguments import Formatter, add_message_options, examples, positive_int
from neurologic.cli.jsonl import json_text, standard_encoding
from neurologic.cli.messages import SATISFIED, UNMET, CommandError, collected_warnings, say_warning
from neurologic.cli.progress import duration, weighted_progress
from neurologic.experiments.commands.train import until_interrupted
from neurologic.experiments.reproduction.scale import PARTS, Scale
from neurologic.experiments.reproduction.scales import SCALES
from neurologic.experiments.tasks import TASKS
from neurologic.experiments.tasks.base import require_packages
from neurologic.experiments.training.settings import located

if TYPE_CHECKING:
    from neurologic.experiments.reproduction.contents import Contents
    from neurologic.experiments.reproduction.estimate import Estimate
    from neurologic.experiments.reproduction.findings import Findings
    from neurologic.experiments.reproduction.plan import Reproduction, Stage
    from neurologic.experiments.reproduction.table import Row, Table

_EXAMPLES = """
  neurologic reproduce commongen --data DIR -o commongen --dry-run
  neurologic reproduce commongen --data DIR -o commongen
  neurologic reproduce commongen --data DIR -o commongen --report-only
  neurologic reproduce commongen --data DIR -o commongen --parts table4 --inputs 50
  neurologic reproduce commongen --data DIR -o paper --scale paper --model unilm=FOLDER
"""

_DESCRIPTION = """
The paper's experiment as a whole: trains what it needs, has all decoders write, and puts tables and curves
with the paper's figures beside ours into one folder.

It first says what is to be done, what is done already, and how long the rest will take. The same command goes
on where it was stopped, in whatever way. Models and runs have the form of "neurologic train" and "neurologic
eval", so parts of it can be done by these.

parts:
{parts}

Exit code 0: everything is there; 1: a step failed, the others were done; 2: bad usage or bad input; 130:
interrupted.
"""

_TASKS = ("commongen",)


def add_command(commands: Any) -> None:
    parser = commands.add_parser(
        "reproduce",
        help="a whole experiment of the paper: models, runs, tables and curves",
        usage="neurologic reproduce TASK --data DIR -o FOLDER [--scale NAME] [options]",
        description=_DESCRIPTION.format(
            parts="\n".join(f"  {name:8} {meaning}" for name, meaning in PARTS.items())
        ).strip("\n"),
        epilog=examples(_EXAMPLES),
        formatter_class=Formatter,
        allow_abbrev=False,
    )
    parser.add_argument("task", metavar="TASK", choices=_TASKS, help=", ".join(_TASKS))
    parser.add_argument("--data", metavar="DIR", required=True, help="the task's data, as for eval")
    parser.add_argument("-o", "--output", metavar="FOLDER", required=True, help="where everything goes")
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
        help="a fixed sample of the dev split, or all (default: "
        + ", ".join(f"{name} {scale.inputs or 'all'}" for name, scale in SCALES.items())
        + ")",
    )
    parser.add_argument("--parts", metavar="NAMES", help="separated by commas (default: all)")
    parser.add_argument(
        "--model",
        dest="models",
        action="append",
        default=[],
        metavar="NAME=MODEL",
        help="another model for a name of the scale: a hub id, a folder or a GGUF file; in place of one that "
        "would be trained, it is not trained; repeatable",
    )
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--dry-run", action="store_true", help="say what is to be done and how long it takes")
    only.add_argument(
        "--report-only", action="store_true", help="write the report of what is there, and nothing else"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of tables")
    add_message_options(parser)
    group = parser.add_argument_group("running")
    group.add_argument("--device", help="where to run, such as cpu or cuda (default: a GPU if there is one)")
    group.add_argument(
        "--threads", type=positive_int, metavar="N", help="threads to use (default: one per physical core)"
    )
    group.add_argument(
        "--batch-size", type=positive_int, default=8, metavar="N", help="texts at a time (default: 8)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from neurologic.experiments.reproduction.findings import Findings
    from neurologic.experiments.reproduction.keeping import keep_report
    from neurologic.experiments.reproduction.plan import stages

    reproduction = _reproduction(arguments)
    findings = Findings(reproduction)
    if arguments.report_only:
        require_packages(reproduction.task)
        _show(keep_report(findings), reproduction, arguments)
        return SATISFIED
    planned = stages(reproduction)
    estimate = _estimate(reproduction, planned, arguments)
    if arguments.dry_run and arguments.json:
        print(json_text(_plan_document(planned, estimate), encoding=standard_encoding(), indent=2))
        return SATISFIED
    if not arguments.json:
        _print_plan(planned, estimate)
    if arguments.dry_run:
        return SATISFIED
    require_packages(reproduction.task)
    failures = _execute(findings, planned, estimate, arguments)
    _show(keep_report(findings), reproduction, arguments)
    for failure in failures:
        say_warning(f"not done: {failure}")
    return UNMET if failures else SATISFIED


# -- what was asked -------------------------------------------------------------------------------


def _reproduction(arguments: argparse.Namespace) -> Reproduction:
    from neurologic.experiments.reproduction.plan import Reproduction
    from neurologic.experiments.runs import Selection

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
        selection=Selection(sample=inputs or None),
        parts=_parts(arguments.parts),
        models=_models(arguments.models, scale),
    )


def _parts(given: str | None) -> tuple[str, ...]:
    if given is None:
        return tuple(PARTS)
    chosen = list(dict.fromkeys(name for part in given.split(",") if (name := part.strip())))
    unknown = [name for name in chosen if name not in PARTS]
    if unknown or not chosen:
        told = f"there is no part {unknown[0]!r}" if unknown else "--parts needs names"
        raise CommandError(f"{told}; choose from {', '.join(PARTS)}")
    return tuple(chosen)


def _models(given: Sequence[str], scale: Scale) -> dict[str, str]:
    """What `--model NAME=MODEL` says."""
    models = {}
    for one in given:
        name, equals, model = one.partition("=")
        if not equals or not model:
            raise CommandError(
                f"--model {one}: write NAME=MODEL, as in --model {next(iter(scale.models))}=FOLDER"
            )
        if name not in scale.models:
            raise CommandError(
                f"the scale {scale.name} has no model {name!r}; it has {', '.join(scale.models)}"
            )
        models[name] = located(model)
        # A hub id is looked for later; what can only be a path is missed before the night begins.
        if model.startswith(("/", ".", "~")) and not Path(models[name]).exists():
            raise CommandError(f"--model {one}: there is no {model}")
    return models


def _loading(arguments: argparse.Namespace) -> dict[str, Any]:
    given = {"device": arguments.device, "threads": arguments.threads}
    return {name: value for name, value in given.items() if value is not None}


# -- the plan -------------------------------------------------------------------------------------


def _estimate(
    reproduction: Reproduction, planned: Sequence[Stage], arguments: argparse.Namespace
) -> Estimate:
    from neurologic.experiments.reproduction.estimate import estimate

    return estimate(reproduction.scale, planned, **_loading(arguments))


def _print_plan(planned: Sequence[Stage], estimate: Estimate) -> None:
    from neurologic.cli.tables import print_table

    rows = []
    for stage in planned:
        seconds = estimate.stages[stage.system.name]
        about = "done" if stage.finished else stage.problem or duration(seconds)
        rows.append((stage.system.name, _training_told(stage), _writing_told(stage), about))
    print_table(("system", "training", "texts", "about"), rows)
    if estimate.seconds:
        source = "by what was done so far" if estimate.measured else "by a short trial of this machine"
        print(f"\nin all about {duration(estimate.seconds)}, {source}")
    else:
        print("\nnothing is left to do")
    sys.stdout.flush()


def _training_told(stage: Stage) -> str:
    training = stage.training
    if training is None:
        return "-"
    return "done" if training.finished else f"{training.done:,} of {training.steps:,} steps"


def _writing_told(stage: Stage) -> str:
    done, inputs = (sum(getattr(one, name) for one in stage.writings) for name in ("done", "inputs"))
    left = [one.key[1] for one in stage.writings if one.left]
    return f"{done:,} of {inputs:,}" + (f" ({', '.join(left)})" if left else "")


def _plan_document(planned: Sequence[Stage], estimate: Estimate) -> dict[str, Any]:
    return {
        "seconds": round(estimate.seconds),
        "measured": estimate.measured,
        "stages": [
            {
                "system": stage.system.name,
                "training": None
                if stage.training is None
                else {"steps": stage.training.steps, "done": stage.training.done},
                "runs": {one.key[1]: {"inputs": one.inputs, "done": one.done} for one in stage.writings},
                "seconds": round(estimate.stages[stage.system.name]),
                **({"problem": stage.problem} if stage.problem else {}),
            }
            for stage in planned
        ],
    }


# -- doing it -------------------------------------------------------------------------------------


class _Terminal:
    """Tells the person at the terminal; in a log there is a line per step instead of the bar."""

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
    findings: Findings, planned: list[Stage], estimate: Estimate, arguments: argparse.Namespace
) -> list[str]:
    from neurologic.experiments.reproduction.execution import Execution
    from neurologic.experiments.reproduction.keeping import keep_report

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
            execution.run(planned, after_each=lambda: keep_report(findings))
    except KeyboardInterrupt:
        raise KeyboardInterrupt("interrupted; the same command goes on from there") from None
    return execution.failures


# -- what comes of it -----------------------------------------------------------------------------


def _show(contents: Contents, reproduction: Reproduction, arguments: argparse.Namespace) -> None:
    if arguments.json:
        print(json_text(contents.to_json(), encoding=standard_encoding(), indent=2))
        return
    for table in contents.tables:
        _print_table(table)
    for verdict in contents.verdicts:
        print(f"- {verdict}")
    print(f"\n{reproduction.folder / 'report.html'} has the tables and curves")


def _print_table(table: Table) -> None:
    from rich.text import Text

    from neurologic.cli.tables import print_line, print_wide_table

    print_line(f"\n{table.title}", style="bold")
    rows = []
    for block in table.blocks:
        rows.append([Text(block.title, "dim"), *(Text("") for _ in table.headings)])
        rows += [_line(row, len(table.headings)) for row in block.rows]
    headings = [Text(""), *(Text(name, justify="right") for name in table.headings)]
    print_wide_table(headings, rows)
    print_line(table.note, style="dim")
    print()


def _line(row: Row, width: int) -> list[Any]:
    from rich.text import Text

    from neurologic.experiments.reproduction.contents import marked

    styles = {1: "green", -1: "bold red", 0: ""}
    name = row.name + (f" ({'; '.join(row.notes)})" if row.notes else "")
    cells = [Text(marked(cell), styles[cell.mark], justify="right") for cell in row.cells]
    cells += [Text("missing" if row.missing and place == 0 else "") for place in range(width - len(cells))]
    return [Text(name), *cells]


def _count_or_all(text: str) -> int:
    """A number of inputs, 0 for all of them, for argparse."""
    return 0 if text == "all" else positive_int(text)


_count_or_all.__name__ = "int"
