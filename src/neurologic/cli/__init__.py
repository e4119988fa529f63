"""The command line: `neurologic generate | translate | explain | check | compare | eval | bench | train |
reproduce`.

One file per command; this one picks it. Exit codes: 0 all satisfied, 1 some clause unmet or some line failed,
2 bad usage or bad input; for `compare` and `eval`, 0 means that every text was written, for `bench` that it
ran. torch is imported when a model is loaded and not before: `--help`, `explain` and `check` answer at once.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import neurologic
from neurologic.cli import check, explain, generate, translate
from neurologic.cli.arguments import Formatter, examples
from neurologic.cli.messages import run_safely
from neurologic.experiments.commands import bench, compare, reproduce, train
from neurologic.experiments.commands import eval as evaluate  # the builtin stays what it is

__all__ = ["main"]

_EXAMPLES = """
  neurologic generate "Write one sentence about the park." --include dog --exclude cat
  neurologic generate -i in.jsonl -o out.jsonl
  neurologic translate -i source.txt -o target.txt --model path/to/opus-mt-en-fr --glossary terms.tsv
  neurologic explain 'inflect(run) & (frisbee | "flying disc") & !cat'
  neurologic check -i out.jsonl
  neurologic compare -i in.jsonl --decoders neurologic,beam,cbs --reduce --html page.html
  neurologic eval commongen --data DIR --sample 200 -o runs/neurologic
  neurologic bench --quick
  neurologic train commongen --data DIR -o trained/commongen
  neurologic reproduce commongen --data DIR -o commongen --dry-run
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    parser = build_parser()
    arguments, surplus = parser.parse_known_args(argv)
    takes_prompts = arguments.command in ("generate", "translate", "compare")
    if takes_prompts and not any(word.startswith("-") for word in surplus):
        # argparse takes positional arguments in one piece: these stood behind an option.
        arguments.prompts += surplus
    elif surplus:
        parser.error(f"unknown arguments: {' '.join(surplus)} (see neurologic {arguments.command} --help)")
    return run_safely(arguments)


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands; `arguments.run` is the function of the chosen one."""
    parser = argparse.ArgumentParser(
        prog="neurologic",
        description="Text generation that obeys logical formulas over words.",
        epilog=examples(_EXAMPLES)
        + "\n\nexit codes: 0 all satisfied, 1 some clause unmet or some line failed, "
        "2 bad usage or bad input",
        formatter_class=Formatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"neurologic {neurologic.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in (generate, translate, explain, check, compare, evaluate, bench, train, reproduce):
        module.add_command(commands)
    return parser
