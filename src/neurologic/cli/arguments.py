"""Options that several commands share, and what they mean to the library.

Every option that is left out is left to the library, so defaults live in one place: the help texts read them
from `SearchSettings`.
"""

from __future__ import annotations

import argparse
import json
import math
from typing import TYPE_CHECKING, Any

import neurologic
from neurologic.cli.endings import CommandError
from neurologic.decoders.registry import METHODS, method_named
from neurologic.errors import FormulaError, NeurologicError
from neurologic.integrations.glossary import Glossary
from neurologic.logic import Formula, from_json
from neurologic.logic.phrase_validation import CASES
from neurologic.models.engines import ENGINES
from neurologic.search.settings import SearchSettings

if TYPE_CHECKING:
    from neurologic.generation.model import ConstrainedModel

DEFAULT_MODEL = "smollm2"

_DEFAULTS = SearchSettings()


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the line breaks of examples, and leaves more room for the names of options."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=32)


def examples(text: str) -> str:
    """The end of a help page."""
    lines = [line.strip() for line in text.strip().splitlines()]
    return "examples:\n" + "\n".join(f"  {line}" for line in lines)


def add_debug_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--debug", action="store_true", help="show Python's traceback with an error")


def add_constraint_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("constraint", "All that is given must hold together.")
    group.add_argument(
        "--include",
        metavar="PHRASE",
        action="append",
        default=[],
        help="must occur, taken literally; repeatable",
    )
    group.add_argument(
        "--exclude",
        metavar="PHRASE",
        action="append",
        default=[],
        help="must not occur, likewise; repeatable",
    )
    group.add_argument(
        "--formula",
        metavar="FORMULA",
        action="append",
        default=[],
        help="""formula text, such as 'dog & (frisbee | "flying disc") & !cat'; repeatable""",
    )
    group.add_argument(
        "--match",
        choices=("word", "substring"),
        help="substring to find --include and --exclude inside words too (default: word)",
    )
    group.add_argument(
        "--case",
        choices=CASES,
        help="exact if upper and lower case count in --include and --exclude (default: fold)",
    )


def add_glossary_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("glossary", "Terms that a text must keep where its prompt has them.")
    group.add_argument(
        "--glossary",
        metavar="FILE",
        help="lines of term, allowed forms and forbidden forms, with tabs between them and | between forms",
    )
    group.add_argument(
        "--no-inflect",
        dest="inflect",
        action="store_false",
        help="find terms as they are written, not in their English inflected forms",
    )


def add_model_options(parser: argparse.ArgumentParser, *, model: str | None = DEFAULT_MODEL) -> None:
    group = parser.add_argument_group("model")
    group.add_argument(
        "--model",
        default=model,
        help=f"{DEFAULT_MODEL}, a hub id, a folder or a GGUF file"
        + (f" (default: {model})" if model else ""),
    )
    group.add_argument(
        "--engine",
        choices=ENGINES,
        help="llama.cpp runs a GGUF file as it is (default: transformers)",
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
        "--threads", type=count, metavar="N", help="threads to use (default: one per physical core)"
    )


def add_search_options(
    parser: argparse.ArgumentParser, *, several: bool = False, max_new_tokens: int | None = None
) -> None:
    """The settings of a search; `several` decoders are chosen elsewhere, and write one text each.

    A command whose texts are longer than the library expects has a `max_new_tokens` of its own.
    """
    group = parser.add_argument_group("search")

    def option(name: str, setting: str, kind: Any, help_text: str, metavar: str = "N") -> None:
        own = max_new_tokens if setting == "max_new_tokens" else None
        default = getattr(_DEFAULTS, setting) if own is None else own
        shown = "" if default is None else f" (default: {default})"
        group.add_argument(
            name, dest=setting, type=kind, metavar=metavar, default=own, help=help_text + shown
        )

    if not several:
        group.add_argument(
            "--decoder",
            default="neurologic",
            metavar="NAME",
            help=f"one of {', '.join(METHODS)} (default: neurologic)",
        )
    option("--num-beams", "num_beams", int, "hypotheses kept per step")
    option("--max-new-tokens", "max_new_tokens", int, "the longest text, in tokens")
    option("--min-new-tokens", "min_new_tokens", int, "the shortest text, in tokens")
    option("--alpha", "alpha", int, "candidates kept per step by likelihood")
    option("--beta", "beta", int, "tiers kept per step by the number of satisfied clauses")
    option("--lambda", "lambda_", _finite, "weight of the reward for a phrase under way", "X")
    option("--doubt", "doubt", _finite, "what a forbidden word under way costs in the ranking", "X")
    option("--reserve", "reserve", _finite, "part of the budget kept for a proper end", "X")
    group.add_argument(
        "--no-phrase-groups",
        dest="phrase_groups",
        action="store_false",
        default=None,
        help="no groups of their own for texts inside of a wanted phrase, as in the paper",
    )
    group.add_argument(
        "--no-dominance",
        dest="dominance",
        action="store_false",
        default=None,
        help="fill the beam by the paper's plain rotation over the groups",
    )
    option("--length-penalty", "length_penalty", _finite, "texts rank by log-likelihood / length ** X", "X")
    option("--no-repeat-ngram", "no_repeat_ngram_size", int, "no n-gram comes twice, 0 for off")
    group.add_argument(
        "--early-stopping",
        choices=("false", "true", "never"),
        help="Hugging Face's rules: false (heuristic, the default), true (k texts do), never (provably safe)",
    )
    if not several:
        option("--num-return-sequences", "num_return_sequences", int, "different texts per prompt")
    group.add_argument(
        "--stop",
        dest="stop_strings",
        action="append",
        metavar="TEXT",
        help="end the text where this appears; repeatable",
    )
    option("--max-time", "max_time", _finite, "after so many seconds take the best text so far", "SECONDS")
    option("--seed", "seed", int, "for decoders that draw random numbers")
    add_decoder_options(parser)
    group.add_argument(
        "--batch-size", type=count, default=8, metavar="N", help="prompts at a time (default: 8)"
    )


def add_decoder_options(parser: argparse.ArgumentParser) -> None:
    """Settings of single decoders; one that the chosen decoder would ignore is refused."""
    group = parser.add_argument_group("single decoders")
    group.add_argument(
        "--do-sample",
        action="store_true",
        default=None,
        help="neurologic: draw candidates instead of taking the likeliest",
    )
    for name, setting, kind, metavar, help_text in (
        ("--temperature", "temperature", _finite, "X", "sampling: above 1 flatter, below 1 sharper"),
        ("--top-k", "top_k", int, "N", "sampling: from so many likeliest tokens, 0 for all"),
        ("--top-p", "top_p", _finite, "X", "sampling: from the likeliest tokens of this probability"),
        ("--look-ahead", "look_ahead", int, "N", "astar: tokens of a roll-out"),
        ("--look-ahead-width", "look_ahead_width", int, "N", "astar: roll-outs per candidate, unless greedy"),
        ("--look-ahead-weight", "look_ahead_weight", _finite, "X", "astar: weight of what is seen ahead"),
        ("--rows", "rows", int, "N", "gbs, cbs: hypotheses shared by all banks or states"),
        ("--edit-steps", "edit_steps", int, "N", "cgmh, gradient: edits that are tried"),
    ):
        default = getattr(_DEFAULTS, setting)
        shown = "" if default is None else f" (default: {default})"
        group.add_argument(name, dest=setting, type=kind, metavar=metavar, help=help_text + shown)
    group.add_argument(
        "--look-ahead-kind",
        dest="look_ahead_kind",
        choices=("greedy", "beam", "sample"),
        help=f"astar: kind of roll-out (default: {_DEFAULTS.look_ahead_kind})",
    )


def constraint_of(arguments: argparse.Namespace) -> Formula | None:
    """What `--include`, `--exclude` and `--formula` say together; None if nothing was given."""
    options = {name: value for name in ("match", "case") if (value := getattr(arguments, name)) is not None}
    _require_phrases(arguments, options)
    parts = []
    for field in ("include", "exclude", "formula"):
        for given in getattr(arguments, field):
            phrase = {"phrase": given, **options}
            try:
                parts.append(from_json({field: given if field == "formula" else [phrase]}))
            except FormulaError as error:
                told = str(error).removeprefix(f"{field}: ").removeprefix(f"{field}[0]: ")
                raise CommandError(f"--{field}: {told}") from error
    return conjunction(parts)


def glossary_of(arguments: argparse.Namespace) -> Glossary | None:
    """The glossary of `--glossary`; None if there is none."""
    if arguments.glossary is not None:
        return Glossary.read(arguments.glossary, inflect=arguments.inflect)
    if not arguments.inflect:
        raise CommandError("--no-inflect acts on --glossary, and there is none")
    return None


def _require_phrases(arguments: argparse.Namespace, options: dict[str, str]) -> None:
    """Refuse options that would have no effect; lines and formulas of our own say these things themselves."""
    foreign = getattr(arguments, "format", "jsonl") != "jsonl"
    if options and not (arguments.include or arguments.exclude or foreign):
        name, value = next(iter(options.items()))
        raise CommandError(
            f"--{name} acts on --include and --exclude, and there are none; in a formula write "
            f'word[{name}={value}], in a line of JSON {{"phrase": "word", "{name}": "{value}"}}'
        )


def conjunction(parts: list[Formula | None]) -> Formula | None:
    """All of the parts that constrain anything."""
    given = [part for part in parts if part is not None]
    return neurologic.all_of(*given) if given else None


def settings_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """The search settings that were given, checked before any model is loaded."""
    settings = given_settings(arguments)
    try:
        method_named(arguments.decoder).settings(settings)
    except ValueError as error:
        raise CommandError(str(error)) from error
    return settings


def given_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """The search settings that were given, under the library's names."""
    settings = {
        name: value
        for name in SearchSettings.__dataclass_fields__
        if (value := getattr(arguments, name, None)) is not None
    }
    if "early_stopping" in settings:
        settings["early_stopping"] = {"false": False, "true": True}.get(arguments.early_stopping, "never")
    if "stop_strings" in settings:
        settings["stop_strings"] = tuple(arguments.stop_strings)
    return settings


def model_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """What was given of the options that say where and how to run the model."""
    return {
        name: value
        for name in ("engine", "device", "dtype", "device_map", "threads")
        if (value := getattr(arguments, name)) is not None
    }


def load_model(arguments: argparse.Namespace) -> ConstrainedModel:
    try:
        return neurologic.load(arguments.model, **model_options(arguments))
    except NeurologicError:
        raise
    except (RuntimeError, ValueError) as error:  # torch's own words, for instance about a device
        first_line = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise CommandError(f"cannot load the model {arguments.model}: {first_line}") from error


def count(text: str) -> int:
    """A whole number of at least 1, for argparse."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {number}")
    return number


def _device_map(text: str) -> str | dict[str, Any]:
    """A device map as accelerate knows it: a word, or parts of a model and where they go."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        parts: dict[str, Any] = json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"is not a JSON object: {error}") from error
    return parts


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"must be a finite number, not {text}")
    return number


# argparse names the type in its messages: "invalid int value: 'x'".
count.__name__ = "int"
_finite.__name__ = "float"
