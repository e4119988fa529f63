"""`neurologic eval TASK`: run one of the paper's experiments with any model and decoder, or score a file."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import neurologic
from neurologic.batches.run_manifest import MANIFEST
from neurologic.cli.arguments import (
    add_parser,
    given_settings,
    load_model,
    model_options,
)
from neurologic.cli.jsonl import print_json
from neurologic.cli.messages import (
    SATISFIED,
    UNMET,
    CommandError,
    collected_warnings,
    say_warning,
)
from neurologic.cli.progress import progress
from neurologic.decoders.registry import decoder_named
from neurologic.errors import system_reason
from neurologic.experiments.commands.decoder_options import parse_decoders, settings_per_decoder
from neurologic.experiments.commands.eval_options import add_task, destination
from neurologic.experiments.commands.grades import show_grades
from neurologic.experiments.commands.result_tables import print_result_table
from neurologic.experiments.runs import (
    Evaluation,
    Experiment,
    Prediction,
    RunFolder,
    ScoredSystem,
    Subset,
    finished_runs,
    generate_missing,
    score_system,
)
from neurologic.experiments.runs.result_files import (
    REPORT,
    system_document,
    write_comparison,
    write_results,
)
from neurologic.experiments.runs.side_by_side import PAGE
from neurologic.experiments.tasks import TASKS, Task
from neurologic.experiments.tasks.base import (
    OpenEnded,
    Options,
    all_items,
    options_of,
    require_packages,
)
from neurologic.search.settings import SearchSettings

_EXAMPLES = """
  neurologic eval commongen --data DIR --sample 200 -o runs/neurologic
  neurologic eval commongen --data DIR --sample 200 -o runs/all --decoders neurologic,astar,beam,dba
  neurologic eval commongen --data DIR --split held-out -o runs/lambda --vary lambda=0,0.25,0.5
  neurologic eval commongen --data DIR --predictions outputs.txt
  neurologic eval everyday --half report -o runs/everyday --decoders neurologic,beam
  neurologic eval commongen --help
"""


def add_command(commands: Any) -> None:
    parser = add_parser(
        commands,
        "eval",
        description="Run one of the paper's experiments, or score existing outputs.",
        examples_text=_EXAMPLES,
        has_commands=True,
    )
    tasks = parser.add_subparsers(dest="task", metavar="TASK", required=True)
    for task in TASKS.values():
        add_task(tasks, task, run)


@dataclass(frozen=True)
class _Variant:
    """A decoder with its settings: one of the compared systems."""

    decoder: str
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class _Command:
    """The command line as the functions below need it.

    several  whether there may be several systems, each with a folder of its own
    """

    arguments: argparse.Namespace
    experiment: Experiment
    folder: Path | None
    several: bool

    def folder_of(self, name: str) -> Path | None:
        return self.folder / name if self.folder is not None and self.several else self.folder


def run(arguments: argparse.Namespace) -> int:
    if arguments.grades is not None:
        return show_grades(arguments)
    task = TASKS[arguments.task]
    given = given_settings(arguments)
    _require_usage(arguments, given)
    options = options_of(
        task, {option.name: getattr(arguments, destination(option)) for option in task.options}
    )
    variants = _variants(arguments, task, options, given)
    require_packages(task)
    if isinstance(task, OpenEnded):
        task.require_judges(options)
    subset = Subset(arguments.limit, arguments.sample)
    command = _command(arguments, task, options, subset)
    if arguments.predictions is not None:
        systems = [_system_of_file(command)]
    elif arguments.runs is not None:
        command, systems = _systems_of_runs(command)
    else:
        systems = _systems_of_model(command, variants)
    circumstances = {"task": task.name, "split": arguments.split, "inputs": str(subset)}
    circumstances |= _choosing(task, options)
    evaluation = Evaluation(task, tuple(command.experiment.items), tuple(systems), circumstances)
    if command.folder is not None:
        _write(command, evaluation, command.folder)
    _show(command, evaluation)
    return UNMET if any(system.figures.without_text for system in systems) else SATISFIED


def _write(command: _Command, evaluation: Evaluation, folder: Path) -> None:
    try:
        if command.arguments.runs is not None:
            write_comparison(folder, evaluation)
        else:
            write_results(folder, evaluation, folder_per_system=command.several)
    except OSError as error:
        raise CommandError(f"cannot write {error.filename or folder}: {system_reason(error)}") from error


def _command(arguments: argparse.Namespace, task: Task, options: Options, subset: Subset) -> _Command:
    chosen = task.items(arguments.data, arguments.split, options)
    items = subset.of(chosen)
    if not items:
        raise CommandError(f"{arguments.data} has no inputs in the split {arguments.split}")
    split_items = chosen
    if _choosing(task, options):
        split_items = all_items(task, arguments.data, arguments.split, options)
    loading = model_options(arguments)
    experiment = Experiment(task, arguments.split, options, split_items, items, arguments.model, loading)
    folder = None if arguments.output is None else Path(arguments.output)
    several = any(part is not None for part in (arguments.decoders, arguments.runs)) or bool(arguments.vary)
    return _Command(arguments, experiment, folder, several)


def _choosing(task: Task, options: Options) -> dict[str, str]:
    """Return the options that choose inputs, which the manifest of a run leaves out."""
    names = {option.name for option in task.options if option.choices and not option.decides_texts}
    return {name: value for name, value in options.items() if name in names}


# -- usage ----------------------------------------------------------------------------------------


def _require_usage(arguments: argparse.Namespace, given: Mapping[str, Any]) -> None:
    if arguments.output == "":
        raise CommandError("-o is empty; name a folder, or leave -o out to save nothing")
    folder = None if arguments.output is None else Path(arguments.output)
    if folder is not None and folder.exists() and not folder.is_dir():
        raise CommandError(f"-o {folder} is a file; name a folder")
    # A folder holds the files of one run, or a folder per decoder.
    has_run = folder is not None and (folder / MANIFEST).exists()
    several = "--decoders" if arguments.decoders is not None else "--vary" if arguments.vary else ""
    if folder is not None and not several and any(folder.glob(f"*/{MANIFEST}")):
        raise CommandError(f"{folder} holds several runs; name one of its folders, or another")
    without_model = [name for name in ("predictions", "runs") if getattr(arguments, name) is not None]
    if len(without_model) > 1:
        raise CommandError("--predictions and --runs cannot be combined; give one of them")
    if without_model:
        if has_run:
            raise CommandError(
                f"{folder} holds texts of a model; choose another folder for --{without_model[0]}"
            )
        _require_no_model(arguments, given, f"--{without_model[0]}")
    elif has_run and several:
        raise CommandError(f"{folder} holds a single run; choose another folder for {several}")


def _require_no_model(arguments: argparse.Namespace, given: Mapping[str, Any], source: str) -> None:
    """Refuse options that --predictions or --runs would ignore."""
    chosen = {"--decoder": arguments.decoder, "--decoders": arguments.decoders}
    chosen["--vary"] = arguments.vary or None
    chosen |= {f"--{name.rstrip('_').replace('_', '-')}": value for name, value in given.items()}
    chosen |= {f"--{name.replace('_', '-')}": value for name, value in model_options(arguments).items()}
    for option, value in chosen.items():
        if value is not None:
            raise CommandError(f"{option} cannot be combined with {source}")


def _variants(
    arguments: argparse.Namespace, task: Task, options: Options, given: Mapping[str, Any]
) -> dict[str, _Variant]:
    """Return the systems by name: each decoder under every combination of the settings to vary."""
    try:
        decoder = decoder_named(arguments.decoder or "neurologic").name
    except ValueError as error:
        raise CommandError(str(error)) from error
    decoders = [decoder] if arguments.decoders is None else parse_decoders(arguments.decoders)
    varied = [_varied(text) for text in arguments.vary]
    names = [name for name, _ in varied]
    twice = {name for name in names if name in given or names.count(name) > 1}
    if twice:
        raise CommandError(f"--vary {min(twice)} comes on top of another value of it; give one of the two")
    variants = {}
    for values in itertools.product(*(choices for _, choices in varied)):
        own = dict(zip(names, values, strict=True))
        for decoder, settings in settings_per_decoder(decoders, {**given, **own}, task.name, options).items():
            # A decoder that does not accept a setting is one system, whatever the value.
            labels = [f"{name.rstrip('_')}={json.dumps(own[name])}" for name in own if name in settings]
            variants[",".join([decoder, *labels])] = _Variant(decoder, settings)
    return variants


def _varied(text: str) -> tuple[str, list[Any]]:
    """Return the setting of a `--vary` under the library's name, and its values."""
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
    """Read a number or truth value as JSON writes it; anything else is a text."""
    try:
        return json.loads(text.lower())
    except ValueError:
        return text


# -- systems --------------------------------------------------------------------------------------


def _system_of_file(command: _Command) -> ScoredSystem:
    """Score the outputs of another program."""
    experiment, path = command.experiment, Path(command.arguments.predictions)
    with collected_warnings():
        outputs = experiment.task.outputs(path, command.arguments.data, experiment.split, experiment.items)
    pairs = zip(experiment.items, outputs, strict=True)
    predictions = [Prediction.from_output(item, output) for item, output in pairs]
    manifest = {
        "task": experiment.task.name,
        "split": experiment.split,
        "predictions": path.name,
        "version": neurologic.__version__,
    }
    return _score(experiment, path.name, manifest, predictions)


def _systems_of_runs(command: _Command) -> tuple[_Command, list[ScoredSystem]]:
    """Score finished runs on the inputs that all of them have; return the command for just these inputs."""
    experiment = command.experiment
    runs = finished_runs([Path(folder) for folder in command.arguments.runs], experiment)
    items = [item for item in experiment.items if all(item.id in run.done for run in runs.values())]
    if not items:
        raise CommandError("there is no input for which all of these runs have a text")
    if len(items) < len(experiment.items):
        say_warning(f"{len(experiment.items) - len(items)} inputs lack a text of some run and are left out")
    experiment = replace(experiment, items=items)
    systems = [_score(experiment, name, run.manifest, run.predictions(items)) for name, run in runs.items()]
    return replace(command, experiment=experiment), systems


def _systems_of_model(command: _Command, variants: Mapping[str, _Variant]) -> list[ScoredSystem]:
    """Have the model write the missing texts, and score them."""
    experiment = command.experiment
    with contextlib.ExitStack() as opened:
        runs = {
            name: opened.enter_context(
                experiment.run(command.folder_of(name), variant.decoder, variant.settings)
            )
            for name, variant in variants.items()
        }
        if command.folder is None:
            say_warning("results are not saved; use -o FOLDER to be able to resume")
        with collected_warnings():
            _generate(command, runs, variants)
    return [
        _score(experiment, name, run.manifest, run.predictions(experiment.items))
        for name, run in runs.items()
    ]


def _generate(command: _Command, runs: Mapping[str, RunFolder], variants: Mapping[str, _Variant]) -> None:
    """Write the missing texts; if none is missing, load no model."""
    items = command.experiment.items
    total = len(items) * len(runs)
    done = total - sum(len(run.missing(items)) for run in runs.values())
    if done == total:
        return
    lm = load_model(command.arguments)
    try:
        with progress("writing", total) as advance:
            for _ in range(done):
                advance()
            for name, run in runs.items():
                decoder, settings = variants[name].decoder, variants[name].settings
                for item, prediction in generate_missing(
                    run,
                    lm,
                    items,
                    decoder=decoder,
                    settings=settings,
                    batch_size=command.arguments.batch_size,
                ):
                    if prediction.error:
                        say_warning(f"{name}, {item.id} ({item.title}): {prediction.error}")
                    done += 1
                    advance()
    except KeyboardInterrupt:
        rest = "" if command.folder is None else "; the same command continues from there"
        raise KeyboardInterrupt(f"interrupted after {done} of {total} texts{rest}") from None


def _score(
    experiment: Experiment, name: str, manifest: Mapping[str, Any], predictions: Sequence[Prediction]
) -> ScoredSystem:
    with contextlib.ExitStack() as stack:
        if sys.stderr.isatty():
            from rich.console import Console

            stack.enter_context(Console(stderr=True).status(f"scoring {name}"))
        return score_system(
            experiment.task, experiment.items, name, manifest, predictions, experiment.options
        )


# -- output ---------------------------------------------------------------------------------------


def _show(command: _Command, evaluation: Evaluation) -> None:
    """Print scores and differences, and on standard error the reason for each score that is n/a."""
    if command.arguments.json:
        document = evaluation.to_json() if command.several else system_document(evaluation)
        print_json(document)
        return
    print_result_table(evaluation.scores_table())
    differences = evaluation.differences_table()
    if differences is not None:
        print()
        print_result_table(differences)
    for explanation, titles in _not_available(evaluation).items():
        say_warning(f"{', '.join(titles)} n/a: {explanation}")
    if command.folder is not None:
        print(f"\n{command.folder / REPORT} shows the texts, the worst first")
        if isinstance(evaluation.task, OpenEnded):
            print(f"{command.folder / PAGE} has them side by side without names, to grade")


def _not_available(evaluation: Evaluation) -> dict[str, list[str]]:
    """Return the reasons for n/a, each with the titles of its metrics."""
    reasons: dict[str, list[str]] = {}
    for system in evaluation.systems:
        for score in system.scores:
            if score.reason and score.metric.title not in reasons.setdefault(score.reason, []):
                reasons[score.reason].append(score.metric.title)
    return reasons
