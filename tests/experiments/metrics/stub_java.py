"""Programs that stand in for Java, so that what goes wrong with it can be tried without it."""

from __future__ import annotations

import sys
from pathlib import Path


def stub_java(folder: Path, body: str, version: str = "11.0.2") -> str:
    """A program that answers `-version` as Java does, and otherwise runs the lines of Python in `body`."""
    program = folder / "java"
    program.write_text(
        f"#!{sys.executable}\n"
        "import sys\n"
        "if '-version' in sys.argv:\n"
        f"    sys.exit(print('openjdk version \"{version}\" 2019-01-15', file=sys.stderr))\n"
        f"{body}\n",
        encoding="utf-8",
    )
    program.chmod(0o755)
    return str(program)
