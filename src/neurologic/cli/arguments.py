"""Options that several commands share, and how to read them.

Options the user omits are not passed on, so the library's defaults apply. The options of a search
come from the descriptions in `neurologic.search.settings`.
"""

from __future__ import annotations

import argparse
import gc
import json
import logging
import time
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

import neurologic
from neurologic.batches.inputs import is_text
from neurologic.batches.lines import conjunction
from neurologic.cli.command_list import COMMANDS
from neurologic.cli.messages import CommandError
from neurologic.decoders.registry import DECODERS, decoder_named
from neurologic.errors import FormulaError, NeurologicError
from neurologic.integrations.glossary import Glossary
from neurologic.logic import Formula, from_json
from neurologic.logic.phrase_validation import CASES
from neurologic.models.backends import ENGINES
from neurologic.search.settings import (
    GROUPS,
    SETTINGS,
    SWITCH,
    Number,
    OneOf,
    Setting,
    Text,
    Texts,
    Whole,
)

if TYPE_CHECKING:
    from neurologic.generation.constrained_model import ConstrainedModel

DEFAULT_MODEL = "smollm2"
RAY = "ray"

logger = logging.getLogger(__name__)


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the line breaks of examples, and leaves more room for the names of options."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=32)


def add_parser(
    commands: Any,
    name: str,
    *,
    description: str,
    examples_text: str,
    usage: str | None = None,
    summary: str | None = None,
    has_commands: bool = False,
) -> argparse.ArgumentParser:
    """Add the parser of a command, with the options of every command.

    summary       its line in the list of commands
    has_commands  it has commands of its own, and they have those options
    """
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=COMMANDS[name][1] if summary is None else summary,
        usage=usage,
        description=description.strip("\n"),
        epilog=examples(examples_text),
        formatter_class=Formatter,
        allow_abbrev=False,
    )
    if not has_commands:
        parser.add_argument("--verbose", action="store_true", help="show on standard error what is going on")
        parser.add_argument("--debug", action="store_true", help="show Python's traceback with an error")
    return parser


def add_command_parser(commands: Any, name: str, **values: str) -> argparse.ArgumentParser:
    """Add the parser of a command that has a help page; `values` replace the $names of the page."""
    return add_parser(commands, name, **help_page(COMMANDS[name][0].rpartition(".")[0], name, **values))


def help_page(package: str, name: str, **values: str) -> dict[str, Any]:
    """Read `help/NAME.txt` of a package; return usage (if it has one), description and examples."""
    text = files(package).joinpath("help", f"{name}.txt").read_text(encoding="utf-8")
    description, _, examples_text = Template(text).substitute(values).partition("examples:\n")
    page: dict[str, Any] = {"description": description, "examples_text": examples_text}
    if description.startswith("usage: "):
        usage, _, page["description"] = description.removeprefix("usage: ").partition("\n")
        page["usage"] = usage
    return page


def examples(text: str) -> str:
    """Return the end of a help page."""
    lines = [line.strip() for line in text.strip().splitlines()]
    return "examples:\n" + "\n".join(f"  {line}" for line in lines)


def add_prompt_options(parser: argparse.ArgumentParser, *, several_files: bool = False) -> None:
    parser.add_argument("prompts", metavar="PROMPT", nargs="*", default=[], help="a prompt for the model")
    if several_files:
        add_input_option(parser, "read lines of JSON or Parquet instead of prompts")
    else:
        parser.add_argument(
            "-i", "--input", metavar="FILE", help='read lines of JSON instead of prompts; "-" for stdin'
        )
    parser.add_argument(
        "--raw", action="store_true", help="send prompts as they are, without a chat template"
    )
    parser.add_argument("--system", metavar="TEXT", help="put a system message before every conversation")


def add_input_option(parser: argparse._ActionsContainer, help_text: str) -> None:
    """Add `-i` for files, globs and standard input."""
    parser.add_argument(
        "-i",
        "--input",
        metavar="FILE",
        nargs="+",
        action="extend",
        help=f'{help_text}; several files, a glob in quotes, or "-" for stdin',
    )


def add_resume_options(parser: argparse.ArgumentParser) -> None:
    """Add what to do with the rows that -o has already."""
    parser.add_argument(
        "--retry-errors", action="store_true", help="write the rows of -o that failed once more"
    )
    parser.add_argument("--fresh", action="store_true", help="give up what -o holds, and start over")


def require_prompts(arguments: argparse.Namespace) -> None:
    """Raise `CommandError` for prompts of the command line, and options for them, that make no sense."""
    if not all(map(is_text, arguments.prompts)):
        raise CommandError("a prompt is not text in this terminal's encoding")
    if arguments.raw and arguments.system is not None:
        raise CommandError("--raw sends the prompt alone, so it takes no --system")


def add_reduce_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--reduce",
        action="store_true",
        help="search with the part of a formula that the decoder can express, and judge by all of it",
    )


def add_constraint_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("constraint", "A text must satisfy all of these together.")
    group.add_argument(
        "--include",
        metavar="PHRASE",
        action="append",
        default=[],
        help="a phrase that must occur, taken literally; repeatable",
    )
    group.add_argument(
        "--exclude",
        metavar="PHRASE",
        action="append",
        default=[],
        help="a phrase that must not occur, taken literally; repeatable",
    )
    group.add_argument(
        "--formula",
        metavar="FORMULA",
        action="append",
        default=[],
        help="""formula text, such as 'dog & (frisbee | "flying disc") & !cat'; repeatable""",
    )
    group.add_argument(
        "--strict",
        action="store_true",
        help="refuse lines with keys that are misspelt or given twice, instead of a warning",
    )
    group.add_argument(
        "--match",
        choices=("word", "substring"),
        help="substring: find --include and --exclude inside words too (default: word)",
    )
    group.add_argument(
        "--case",
        choices=CASES,
        help="exact: distinguish upper and lower case in --include and --exclude (default: fold)",
    )


def add_glossary_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("glossary", "Terms that a text must use where its prompt has them.")
    group.add_argument(
        "--glossary",
        metavar="FILE",
        help="lines of a term, its allowed forms and its forbidden forms, separated by tabs, forms by |",
    )
    group.add_argument(
        "--no-inflect",
        dest="inflect",
        action="store_false",
        help="find terms as they are written, not in their English inflected forms",
    )


def add_model_options(
    parser: argparse.ArgumentParser, *, model: str | None = DEFAULT_MODEL, on_ray: bool = False
) -> None:
    """Add the options of loading a model; `on_ray`: Ray can run it in many processes."""
    group = parser.add_argument_group("model")
    group.add_argument(
        "--model",
        default=model,
        help=f"{DEFAULT_MODEL}, a hub id, a folder or a GGUF file"
        + (f" (default: {model})" if model else ""),
    )
    group.add_argument(
        "--engine",
        choices=(*ENGINES, RAY) if on_ray else ENGINES,
        help="llama.cpp runs a GGUF file as it is (default: transformers)"
        + ("; ray runs many processes with transformers" if on_ray else ""),
    )
    group.add_argument(
        "--device", help="where to run, such as cpu or cuda:0 (default: a GPU if there is one)"
    )
    group.add_argument(
        "--dtype",
        choices=("auto", "float32", "float16", "bfloat16", "int8"),
        help="type of the weights (default: float32 on a CPU, else as in the checkpoint)",
    )
    group.add_argument(
        "--device-map",
        type=_device_map,
        metavar="MAP",
        help="""instead of a device: auto, or a JSON object such as '{"": "cpu"}'""",
    )
    group.add_argument(
        "--threads", type=positive_int, metavar="N", help="threads to use (default: one per physical core)"
    )


def add_search_options(
    parser: argparse.ArgumentParser, *, several: bool = False, max_new_tokens: int | None = None
) -> None:
    """Add an option for every setting of a search.

    several         the command itself chooses several decoders, and each writes one text
    max_new_tokens  the command's own default
    """
    group = parser.add_argument_group("search")
    if not several:
        group.add_argument(
            "--decoder",
            default="neurologic",
            metavar="NAME",
            help=f"one of {', '.join(DECODERS)} (default: neurologic)",
        )
    group.add_argument(
        "--batch-size", type=positive_int, default=8, metavar="N", help="prompts at a time (default: 8)"
    )
    groups = {name: parser.add_argument_group(f"settings of {title}") for name, title in GROUPS.items()}
    for name, setting in SETTINGS.items():
        if several and name == "num_return_sequences":
            continue
        own_default = max_new_tokens if name == "max_new_tokens" else None
        groups[setting.group].add_argument(
            option_of(name),
            dest=name,
            default=own_default,
            help=_help(name, setting, own_default),
            **_kind(setting),
        )


def option_of(name: str) -> str:
    """Return the command-line option of a setting.

    >>> [option_of(name) for name in ("num_beams", "lambda_", "dominance")]
    ['--num-beams', '--lambda', '--no-dominance']
    """
    setting = SETTINGS[name]
    prefix = "--no-" if setting.default is True else "--"
    return setting.flag or prefix + name.replace("_", "-")


def _kind(setting: Setting) -> dict[str, Any]:
    """Return how argparse reads a setting; its allowed values are checked later, by `SearchSettings`."""
    match setting.values:
        case Whole():
            return {"type": int, "metavar": "N"}
        case Number():
            return {"type": float, "metavar": "X"}
        case Text():
            return {"metavar": "TEXT"}
        case Texts():
            return {"action": "append", "metavar": "TEXT"}
        case OneOf((True, False)):
            return {"action": "store_false" if setting.default else "store_true"}
        case OneOf(choices):
            return {"choices": [str(choice).lower() for choice in choices]}


def _help(name: str, setting: Setting, own_default: Any) -> str:
    if isinstance(setting.values, Texts):
        return f"{setting.help}; repeatable"
    if setting.values == SWITCH:
        return f"do not {setting.help}" if setting.default else setting.help
    default = setting.default if own_default is None else own_default
    defaults = [] if default is None else [f"default: {str(default).lower()}"]
    defaults += [
        f"{entry.name}: {entry.defaults[name]}" for entry in DECODERS.values() if name in entry.defaults
    ]
    return setting.help + (f" ({', '.join(defaults)})" if defaults else "")


def constraint_of(arguments: argparse.Namespace) -> Formula | None:
    """Return the conjunction of `--include`, `--exclude` and `--formula`; None if there are none."""
    options = {name: value for name in ("match", "case") if (value := getattr(arguments, name)) is not None}
    _require_phrases(arguments, options)
    parts = []
    for field in ("include", "exclude", "formula"):
        for given in getattr(arguments, field):
            phrase = {"phrase": given, **options}
            try:
                parts.append(from_json({field: given if field == "formula" else [phrase]}))
            except FormulaError as error:
                message = str(error).removeprefix(f"{field}: ").removeprefix(f"{field}[0]: ")
                raise CommandError(f"--{field}: {message}") from error
    return conjunction(parts)


def glossary_of(arguments: argparse.Namespace) -> Glossary | None:
    """Read the glossary of `--glossary`; None if there is none."""
    if arguments.glossary is not None:
        return Glossary.read(arguments.glossary, inflect=arguments.inflect)
    if not arguments.inflect:
        raise CommandError("--no-inflect needs --glossary")
    return None


def _require_phrases(arguments: argparse.Namespace, options: dict[str, str]) -> None:
    """Refuse `--match` and `--case` without phrases; a formula or a line of JSON has them per phrase."""
    foreign = getattr(arguments, "format", "jsonl") != "jsonl"
    if options and not (arguments.include or arguments.exclude or foreign):
        name, value = next(iter(options.items()))
        raise CommandError(
            f"--{name} acts on --include and --exclude, and there are none; in a formula write "
            f'word[{name}={value}], in a line of JSON {{"phrase": "word", "{name}": "{value}"}}'
        )


def settings_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the given settings of the search, checked before any model is loaded."""
    settings = given_settings(arguments)
    try:
        decoder_named(arguments.decoder).settings(settings)
    except ValueError as error:
        raise CommandError(str(error)) from error
    return settings


def given_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the given settings of the search, under the library's names."""
    settings = {name: value for name in SETTINGS if (value := getattr(arguments, name, None)) is not None}
    for name, value in settings.items():
        values = SETTINGS[name].values
        if isinstance(values, Texts):
            settings[name] = tuple(value)
        elif isinstance(values, OneOf) and isinstance(value, str):
            settings[name] = next(choice for choice in values.choices if str(choice).lower() == value)
    return settings


def model_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the given options that say where and how to run the model."""
    return {
        name: value
        for name in ("engine", "device", "dtype", "device_map", "threads")
        if (value := getattr(arguments, name)) not in (None, RAY)
    }


def load_model(arguments: argparse.Namespace) -> ConstrainedModel:
    """Load the model of `--model`."""
    logger.info("loading the model %s", arguments.model)
    started = time.perf_counter()
    try:
        lm = neurologic.load(arguments.model, **model_options(arguments))
        # The objects of libraries and the model stay: without this, every full collection looks through all
        # of them and holds up the search for 0.2 s.
        gc.collect()
        gc.freeze()
        logger.info("loaded it in %.1f s", time.perf_counter() - started)
        return lm
    except NeurologicError:
        raise
    except (RuntimeError, ValueError) as error:  # torch's own words, for instance about a device
        first_line = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise CommandError(f"cannot load the model {arguments.model}: {first_line}") from error


def positive_int(text: str) -> int:
    """Read a whole number of at least 1, for argparse."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, not {text!r}")
    return int(text)


def _device_map(text: str) -> str | dict[str, Any]:
    """Read a device map of accelerate: a word, or an object that maps parts of a model to devices."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        parts: dict[str, Any] = json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"is not a JSON object: {error}") from error
    return parts
