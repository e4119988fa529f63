"""The command line: `neurologic COMMAND`.

`main` imports the module of the command at hand and no other. Exit codes: 0 all satisfied, 1 some clause
unmet or some line failed, 2 bad usage or bad input; `compare` and `eval` return 0 if they wrote every text,
`bench` if it ran. Only loading a model imports torch, so `--help`, `explain` and `check` answer at once.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Collection, Sequence

from neurologic.cli.arguments import Formatter, examples, help_page
from neurologic.cli.command_list import COMMANDS
from neurologic.cli.messages import run_safely
from neurologic.cli.waiting import wait_briefly
from neurologic.errors import suggestion

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    wait_briefly(os.environ)
    words = sys.argv[1:] if argv is None else list(argv)
    command = next((word for word in words if word in COMMANDS), None)
    parser, commands = _build_parser([] if command is None else [command])
    if words and not words[0].startswith("-") and words[0] not in COMMANDS:
        parser.error(f'there is no command "{words[0]}"{suggestion(words[0], COMMANDS)}')
    arguments, surplus = parser.parse_known_args(words)
    if arguments.version:
        print(_versions())
        return 0
    if arguments.print_completion is not None:
        _print_completion(arguments.print_completion)
        return 0
    if command is None and not surplus:
        parser.error(f"give a command: {', '.join(COMMANDS)}")
    options = [word.partition("=")[0] for word in surplus if word.startswith("-")]
    if hasattr(arguments, "prompts") and not options:
        # argparse takes positional arguments in one piece: these came after an option.
        arguments.prompts += surplus
    elif surplus:
        known = _options(parser if command is None else commands[command])
        hint = suggestion(options[0], known) if options else ""
        page = "neurologic --help" if command is None else f"neurologic {command} --help"
        parser.error(f"unknown arguments: {' '.join(surplus)}{hint} (see {page})")
    return run_safely(arguments)


def _build_parser(
    imported: Collection[str],
) -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """Return the parser and those of the commands; commands that are not `imported` have a summary alone."""
    page = help_page(__name__, "neurologic")
    parser = argparse.ArgumentParser(
        prog="neurologic",
        description=page["description"].strip(),
        epilog=examples(page["examples_text"])
        + "\n\nexit codes: 0 all satisfied, 1 some clause unmet or some line failed, "
        "2 bad usage or bad input",
        formatter_class=Formatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--version",
        action="store_true",
        help="show the versions of neurologic, Python, torch and transformers",
    )
    parser.add_argument(
        "--print-completion", choices=("bash", "zsh", "tcsh"), help="print the completion script of a shell"
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, (module, summary) in COMMANDS.items():
        if name in imported:
            importlib.import_module(module).add_command(commands)
        else:
            commands.add_parser(name, help=summary)
    return parser, dict(commands.choices)


def _options(parser: argparse.ArgumentParser) -> list[str]:
    """Return the options of a command, those of its own commands included (`eval commongen --data`)."""
    options: list[str] = []
    for action in parser._actions:
        options += action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for choice in action.choices.values():
                options += _options(choice)
    return options


def _versions() -> str:
    from importlib.metadata import PackageNotFoundError, version
    from platform import python_version

    import neurologic

    found = [f"Python {python_version()}"]
    for package in ("torch", "transformers"):
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"no {package}")
    return f"neurologic {neurologic.__version__} ({', '.join(found)})"


def _print_completion(shell: str) -> None:
    import shtab

    parser, _ = _build_parser(COMMANDS)
    print(shtab.complete(parser, shell))
