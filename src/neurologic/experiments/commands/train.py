"""`neurologic train`: train a model on a task's pairs, or adapt it to a task's sentences."""

from __future__ import annotations

import argparse
import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurologic.cli.arguments import DEFAULT_MODEL, add_command_parser, positive_int
from neurologic.cli.jsonl import print_json
from neurologic.cli.messages import SATISFIED, CommandError, say, say_warning
from neurologic.cli.progress import duration, progress
from neurologic.errors import install_line
from neurologic.experiments.plotting import can_draw
from neurologic.experiments.tasks import TASKS
from neurologic.experiments.tasks.base import Trainable
from neurologic.experiments.training.folder import MANIFEST
from neurologic.experiments.training.loss_curve import PICTURES
from neurologic.experiments.training.settings import SettingsError, TrainingSettings, located
from neurologic.experiments.training.train import train

if TYPE_CHECKING:
    from neurologic.experiments.training.trainer import Training

_DEFAULTS = TrainingSettings()
_LORA_RANK = 16
_TRAINABLE = {name: task for name, task in TASKS.items() if isinstance(task, Trainable)}


def add_command(commands: Any) -> None:
    parser = add_command_parser(commands, "train")
    parser.add_argument("task", metavar="TASK", choices=tuple(_TRAINABLE), help=", ".join(_TRAINABLE))
    parser.add_argument("-o", "--output", metavar="FOLDER", required=True, help="the folder for the model")
    parser.add_argument("--json", action="store_true", help=f"print the result in {MANIFEST} as JSON")
    _add_data_options(parser)
    _add_model_options(parser)
    _add_training_options(parser)
    parser.set_defaults(run=run)


def _add_data_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("data")
    group.add_argument(
        "--data", metavar="DIR", required=True, help="the folder of the task's data, as for eval"
    )
    group.add_argument("--split", default="train", help="the split to train on (default: train)")
    group.add_argument("--adapt", action="store_true", help="train on the sentences alone")
    group.add_argument(
        "--fraction",
        type=float,
        metavar="X",
        help="the part of the inputs to use; every larger part contains the smaller ones (default: 1)",
    )
    group.add_argument(
        "--held-out",
        type=int,
        metavar="N",
        help="the number of inputs to hold out for the loss curve, at most a tenth of the split "
        f"(default: {_DEFAULTS.held_out})",
    )


def _add_model_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("model")
    group.add_argument(
        "--model",
        default=DEFAULT_MODEL,
        help=f"the base model: {DEFAULT_MODEL}, a hub id, a folder or a GGUF file; causal or "
        f"encoder–decoder (default: {DEFAULT_MODEL})",
    )
    group.add_argument(
        "--lora",
        nargs="?",
        type=positive_int,
        const=_LORA_RANK,
        metavar="RANK",
        help=f"train a LoRA instead of all weights and merge it in the end (default rank: {_LORA_RANK})",
    )
    group.add_argument(
        "--layers",
        type=positive_int,
        metavar="N",
        help="keep only N layers, the first ones and the last fifth, for a smaller and faster model",
    )
    group.add_argument("--device", choices=("cpu", "cuda"), help="default: a GPU if there is one")
    group.add_argument("--threads", type=positive_int, metavar="N", help="default: one per physical core")


def _add_training_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("training")
    length = group.add_mutually_exclusive_group()
    length.add_argument("--epochs", type=float, metavar="X", help="passes over the data (default: 1)")
    length.add_argument("--steps", type=positive_int, metavar="N", help="updates, instead of --epochs")
    group.add_argument(
        "--learning-rate",
        type=float,
        metavar="X",
        help=f"the peak (default: {_DEFAULTS.rate:g}, with --lora {TrainingSettings(lora=1).rate:g}); "
        "use less for models of more than half a billion weights",
    )
    for name, meaning in (
        ("batch_size", "sentences per update"),
        ("max_tokens", "leave out longer examples"),
    ):
        default = getattr(_DEFAULTS, name)
        option = f"--{name.replace('_', '-')}"
        group.add_argument(option, type=positive_int, metavar="N", help=f"{meaning} (default: {default})")
    group.add_argument("--seed", type=int, metavar="N", help=f"random seed (default: {_DEFAULTS.seed})")


def run(arguments: argparse.Namespace) -> int:
    settings = _settings(arguments)
    pairs = _TRAINABLE[arguments.task].pairs(arguments.data, arguments.split)
    if not can_draw():
        say_warning(f"no picture of the loss curve: it needs matplotlib ({install_line('training')})")
    with until_interrupted() as interrupted:
        result = train(
            pairs,
            settings,
            arguments.output,
            device=arguments.device,
            threads=arguments.threads,
            begin=lambda training: _begin(training, settings),
            should_stop=interrupted,
        )
    if arguments.json:
        print_json(result)
    else:
        _print(result, Path(arguments.output))
    return SATISFIED


def _settings(arguments: argparse.Namespace) -> TrainingSettings:
    given = {
        name: value
        for name in TrainingSettings.__dataclass_fields__
        if (value := getattr(arguments, name, None)) is not None
    }
    given["model"] = located(arguments.model)
    try:
        return TrainingSettings(**given)
    except SettingsError as error:
        name, _, rest = str(error).partition(" ")
        raise CommandError(f"--{name.replace('_', '-')} {rest}") from error


# -- messages and interruption --------------------------------------------------------------------


@contextlib.contextmanager
def _begin(training: Training, settings: TrainingSettings) -> Iterator[Callable[[], None]]:
    """Say what the training will do, and show a progress bar while it runs."""
    say(
        f"{settings.model}: {training.parameters / 1e6:,.0f} million weights, {len(training.examples):,} "
        f"sentences, {training.steps:,} steps of {settings.batch_size}"
    )
    if training.left_out:
        say_warning(f"left out {training.left_out:,} sentences of more than {settings.max_tokens} tokens")
    if training.done:
        say(f"continuing after step {training.done:,}")
    say(f"this will take about {duration(training.estimate())}; after Ctrl-C the same command continues it")
    with progress("training", training.steps - training.done) as advance:
        yield advance


@contextlib.contextmanager
def until_interrupted() -> Iterator[Callable[[], bool]]:
    """Give a function that says whether Ctrl-C was pressed; a second Ctrl-C interrupts at once."""
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set  # only the main thread receives signals
        return
    before = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: object) -> None:
        pressed.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        say("stopping after this step; press Ctrl-C again to stop at once")

    signal.signal(signal.SIGINT, note)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)


def _print(result: dict[str, Any], folder: Path) -> None:
    losses = f"loss {result['loss']:.3f}"
    if result["held_out_loss"] is not None:
        losses += f", on held-out sentences {result['held_out_loss']:.3f}"
    print(f"{folder}: {result['steps']:,} steps in {duration(result['seconds'])}, {losses}")
    if (folder / PICTURES[0]).is_file():
        print(f"loss curve: {folder / PICTURES[0]}")
