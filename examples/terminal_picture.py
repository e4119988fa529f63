"""Draw the picture at the top of the README: a real command, its real output, as a terminal.

    python examples/terminal_picture.py -o docs/assets/demo.svg

The command runs with the default model. The picture needs no fonts from the network.
"""

from __future__ import annotations

import argparse
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

COMMAND = [
    "neurologic",
    "generate",
    "Write one sentence about a dog that catches a frisbee in the park.",
    "--formula",
    'inflect(dog) & inflect(catch) & (frisbee | "flying disc") & !ball',
    "--max-new-tokens",
    "40",
]
WIDTH = 94


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, required=True, help="the SVG file")
    arguments = parser.parse_args()
    command = [sys.executable, "-m", *COMMAND]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    arguments.output.write_text(picture(output), encoding="utf-8")


def picture(output: str) -> str:
    """Return an SVG of a terminal in which the command has printed this output."""
    console = Console(record=True, width=WIDTH, file=io.StringIO())
    program, action, prompt, *rest = map(shlex.quote, COMMAND)
    console.print(Text.assemble(("$ ", "bold green"), f"{program} {action} {prompt} \\"))
    console.print(Text("      " + " ".join(rest[:2]) + " \\"))
    console.print(Text("      " + " ".join(rest[2:])))
    for line in output.rstrip().splitlines():
        text = Text(line)
        text.highlight_regex("✓", "bold green")
        text.highlight_regex(r"\bS\d\b", "cyan")
        text.highlight_regex("^ +state.*|^score.*", "bright_black")
        console.print(text)
    svg = console.export_svg(title="neurologic", unique_id="demo")
    # rich names a font on a web server; a browser's own monospace does as well.
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)


if __name__ == "__main__":
    main()
