"""The fixtures of the command line's own tests: a stand-in for a model, and a way to run a command."""

from cli.conftest import lm, read_output, run, write_lines

__all__ = ["lm", "read_output", "run", "write_lines"]
