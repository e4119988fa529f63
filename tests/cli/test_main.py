"""`neurologic` itself: help, versions, completion, misspelt words, the log."""

from __future__ import annotations

import platform
import subprocess
from importlib.metadata import version

import pytest

import neurologic
from neurologic.cli.command_list import COMMANDS


def test_help_lists_every_command_with_its_summary(run):
    ended = run("--help")
    assert ended.code == 0
    words = " ".join(ended.out.split())
    for name, (_, summary) in COMMANDS.items():
        assert f"{name} {summary}" in words


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(run, command):
    ended = run(command, "--help")
    assert ended.code == 0
    assert f"examples:\n  neurologic {command}" in ended.out


def test_version_names_the_libraries(run):
    ended = run("--version")
    assert (ended.code, ended.out) == (
        0,
        f"neurologic {neurologic.__version__} (Python {platform.python_version()}, "
        f"torch {version('torch')}, transformers {version('transformers')})\n",
    )


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "give a command: generate, translate, "),
        (["genrate", "a"], 'there is no command "genrate"; did you mean "generate"?'),
        (["--versoin"], 'unknown arguments: --versoin; did you mean "--version"?'),
        (
            ["generate", "a", "--num-beam", "3"],
            'did you mean "--num-beams"? (see neurologic generate --help)',
        ),
        (["generate", "a", "--num-beam=3"], 'unknown arguments: --num-beam=3; did you mean "--num-beams"?'),
        (["eval", "commongen", "--data", "d", "--sampel", "3"], 'did you mean "--sample"?'),
        (["generate", "a", "--decoder", "beem"], 'did you mean "beam"?'),
        (["explain", "a", "--zzz"], "unknown arguments: --zzz (see"),
    ],
)
def test_misspelt_words_are_bad_usage_with_a_suggestion(run, argv, message):
    ended = run(*argv)
    assert (ended.code, ended.out) == (2, "")
    assert message in " ".join(ended.err.split())


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion_knows_commands_and_options(run, shell):
    ended = run("--print-completion", shell)
    assert ended.code == 0
    for word in (*COMMANDS, "max-new-tokens", "print-completion"):
        assert word in ended.out
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=ended.out, text=True, check=True)


def test_verbose_shows_the_log_on_standard_error(lm, run):
    quiet, verbose = run("generate", "one"), run("generate", "one", "--verbose")
    assert "loading the model smollm2" in verbose.err
    assert "loading" not in quiet.err
    assert verbose.out == quiet.out
