"""`neurologic train`: supervised training on a task's pairs, or domain adaptation on its sentences alone."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurologic.cli.arguments import DEFAULT_MODEL, Formatter, add_message_options, examples, positive_int
from neurologic.cli.jsonl import json_text, standard_encoding
from neurologic.cli.messages import SATISFIED, CommandError, say_warning
from neurologic.cli.progress import duration, progress
from neurologic.experiments.tasks import TASKS
from neurologic.experiments.tasks.base import Trainable
from neurologic.experiments.training.curve import PICTURES, can_draw
from neurologic.experiments.training.folder import MANIFEST
from neurologic.experiments.training.settings import SettingsError, TrainingSettings, located
from neurologic.experiments.training.train import train

if TYPE_CHECKING:
    from neurologic.experiments.training.session import Session

_EXAMPLES = """
  neurologic train commongen --data DIR -o trained/commongen --fraction 0.25
  neurologic train commongen --data DIR -o trained/adapted --adapt --fraction 0.25
  neurologic train commongen --data DIR -o trained/lora --lora --steps 200
  neurologic train commongen --data DIR -o trained/small --layers 10
  neurologic eval commongen --data DIR --model trained/commongen --prompt supervised -o runs/supervised
"""

_DESCRIPTION = """
Train a model on a task's training data: to write the sentence that belongs to an input, or with --adapt on
the sentences alone, so that a language model takes on their style.

The folder gets the model (a folder for --model of all commands), its settings, and its loss curve. The same
command again goes on where it was stopped, by Ctrl-C or otherwise; other settings are refused.

Exit code 0: the model is there; 2: bad usage or bad input; 130: interrupted.
"""

_DEFAULTS = TrainingSettings()
_LORA_RANK = 16
_TRAINABLE = {name: task for name, task in TASKS.items() if isinstance(task, Trainable)}


def add_command(commands: Any) -> None:
    parser = commands.add_parser(
        "train",
        help="train a model on a task's data, or adapt it to a task's language",
        usage="neurologic train TASK --data DIR -o FOLDER [--adapt] [--lora] [options]",
        description=_DESCRIPTION.strip("\n"),
        epilog=examples(_EXAMPLES),
        formatter_class=Formatter,
        allow_abbrev=False,
    )
    parser.add_argument("task", metavar="TASK", choices=tuple(_TRAINABLE), help=", ".join(_TRAINABLE))
    parser.add_argument("-o", "--output", metavar="FOLDER", required=True, help="where the model goes")
    parser.add_argument("--json", action="store_true", help=f"print what {MANIFEST} says in the end")
    add_message_options(parser)
    _add_data_options(parser)
    _add_model_options(parser)
    _add_training_options(parser)
    parser.set_defaults(run=run)


def _add_data_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("data")
    group.add_argument("--data", metavar="DIR", required=True, help="the task's data, as for eval")
    group.add_argument("--split", default="train", help="the part to train on (default: train)")
    group.add_argument("--adapt", action="store_true", help="sentences only, inputs ignored")
    group.add_argument(
        "--fraction",
        type=float,
        metavar="X",
        help="use this part of the inputs; a smaller part is contained in every larger one (default: 1)",
    )
    group.add_argument(
        "--held-out",
        type=_count_or_none,
        metavar="N",
        help="inputs of the split that are never trained on, at most a tenth; the loss curve shows "
        f"some of them (default: {_DEFAULTS.held_out})",
    )


def _add_model_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("model")
    group.add_argument(
        "--model",
        default=DEFAULT_MODEL,
        help=f"what to start from: {DEFAULT_MODEL}, a hub id, a folder or a GGUF file; causal or "
        f"encoder–decoder (default: {DEFAULT_MODEL})",
    )
    group.add_argument(
        "--lora",
        nargs="?",
        type=positive_int,
        const=_LORA_RANK,
        metavar="RANK",
        help=f"train a LoRA instead of all weights (rank {_LORA_RANK} if not given) and merge it in the end",
    )
    group.add_argument(
        "--layers",
        type=positive_int,
        metavar="N",
        help="keep N layers of the model, the first ones and the last fifth: smaller, faster",
    )
    group.add_argument(
        "--device", choices=("cpu", "cuda"), help="where to train (default: a GPU if there is one)"
    )
    group.add_argument(
        "--threads", type=positive_int, metavar="N", help="threads to use (default: one per physical core)"
    )


def _add_training_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("training")
    how_long = group.add_mutually_exclusive_group()
    how_long.add_argument("--epochs", type=float, metavar="X", help="passes over the data (default: 1)")
    how_long.add_argument("--steps", type=positive_int, metavar="N", help="so many updates instead")
    group.add_argument(
        "--learning-rate",
        type=float,
        metavar="X",
        help=f"its peak (default: {_DEFAULTS.rate:g}, with --lora {TrainingSettings(lora=1).rate:g}); "
        "models above half a billion weights want less",
    )
    group.add_argument(
        "--batch-size",
        type=positive_int,
        metavar="N",
        help=f"sentences per update (default: {_DEFAULTS.batch_size})",
    )
    group.add_argument(
        "--max-tokens",
        type=positive_int,
        metavar="N",
        help=f"longer examples are left out (default: {_DEFAULTS.max_tokens})",
    )
    group.add_argument("--seed", type=int, metavar="N", help=f"of all chance (default: {_DEFAULTS.seed})")


def run(arguments: argparse.Namespace) -> int:
    settings = _settings(arguments)
    pairs = _TRAINABLE[arguments.task].pairs(arguments.data, arguments.split)
    if not can_draw():
        say_warning("no picture of the loss curve: it needs matplotlib (pip install 'neurologic[training]')")
    with until_interrupted() as interrupted:
        result = train(
            pairs,
            settings,
            arguments.output,
            device=arguments.device,
            threads=arguments.threads,
            begin=lambda session: _begin(session, settings),
            should_stop=interrupted,
        )
    if arguments.json:
        print(json_text(result, encoding=standard_encoding(), indent=2))
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


# -- before, during and after ---------------------------------------------------------------------


@contextlib.contextmanager
def _begin(session: Session, settings: TrainingSettings) -> Iterator[Callable[[], None]]:
    """Say what is about to happen, and show a bar while it does."""
    _say(
        f"{settings.model}: {session.parameters / 1e6:,.0f} million weights, {len(session.examples):,} "
        f"sentences, {session.steps:,} steps of {settings.batch_size}"
    )
    if session.left_out:
        say_warning(f"{session.left_out:,} sentences have more than {settings.max_tokens} tokens: left out")
    if session.done:
        _say(f"going on after step {session.done:,}")
    _say(f"this will take about {duration(session.estimate())}; Ctrl-C stops it, to be continued")
    with progress("training", session.steps - session.done) as advance:
        yield advance


@contextlib.contextmanager
def until_interrupted() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed; the second one interrupts at once."""
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set  # only the main thread hears signals
        return
    before = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: object) -> None:
        pressed.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _say("stopping after this step; once more stops at once")

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


def _say(message: str) -> None:
    with contextlib.suppress(OSError):
        print(message, file=sys.stderr, flush=True)


def _count_or_none(text: str) -> int:
    """A whole number of at least 0, for argparse."""
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"must be at least 0, not {number}")
    return number


_count_or_none.__name__ = "int"
