"""Code in README and docs runs, prints what the pages show, and uses commands and options that exist.

- Python blocks of a page run one after the other in one namespace. If a block prints, the page shows the
  output in the `text` block that follows.
- `console` blocks: every `neurologic` command parses. `explain` and `check`, and `generate` with the default
  model, also run if the page shows their output.
- A block that cannot run carries its reason: `<!-- not run: needs a GPU -->` in the line before.

`nl.load` hands out models that are loaded once for all pages.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import neurologic
import paths
from neurologic.cli import _build_parser, main
from neurologic.cli.command_list import COMMANDS
from neurologic.generation.constrained_model import ConstrainedModel

PAGES = [paths.REPOSITORY / "README.md", *sorted((paths.REPOSITORY / "docs").rglob("*.md"))]
PARSER, _ = _build_parser(COMMANDS)
TRANSLATION_MODEL = "Helsinki-NLP/opus-mt-en-fr"
_BLOCK = re.compile(
    r"^(?:<!-- not run: (?P<reason>[^\n]*?) -->\n)?```(?P<kind>\w*)\n(?P<content>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page; `reason` says why it does not run, None if it does."""

    kind: str
    content: str
    reason: str | None


@dataclass(frozen=True)
class Command:
    """A command of a `console` block, with the output that the page shows."""

    page: str
    words: tuple[str, ...]
    output: str

    def __str__(self) -> str:
        return f"{self.page}: {shlex.join(self.words)[:70]}"


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [Block(match["kind"], match["content"], match["reason"]) for match in _BLOCK.finditer(text)]


def commands() -> list[Command]:
    return [
        Command(name_of(page), words, output)
        for page in PAGES
        for block in blocks(page)
        if block.kind == "console"
        for words, output in split_commands(block.content)
    ]


def split_commands(content: str) -> list[tuple[tuple[str, ...], str]]:
    """Return the words and the shown output of each `$ …` line; a backslash continues a line."""
    found = []
    for part in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]:
        command, _, output = re.sub(r"\\\n\s*", "", part).partition("\n")
        words = shlex.split(command.partition(" > ")[0], comments=True)  # without a redirection
        found.append((tuple(words), output))
    return found


def name_of(page: Path) -> str:
    return page.relative_to(paths.REPOSITORY).as_posix()


def lines_of(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


def pages_with_code() -> list[Any]:
    """Return the pages with Python blocks that run; those that load a model are marked."""
    found = []
    for page in PAGES:
        code = "".join(block.content for block in blocks(page) if block.kind == "python" and not block.reason)
        if code:
            marks = [pytest.mark.real_model] if "nl.load(" in code else []
            found.append(pytest.param(page, id=name_of(page), marks=marks))
    return found


@pytest.fixture
def shared_models(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `nl.load` return models that are loaded once per run."""

    def load(name: str = "smollm2", **options: Any) -> ConstrainedModel:
        fixture = {"smollm2": "smollm2", TRANSLATION_MODEL: "marian"}[name]
        loaded = request.getfixturevalue(fixture)
        # Pages may set it; other tests use the same tokenizer.
        monkeypatch.setattr(loaded.tokenizer, "padding_side", loaded.tokenizer.padding_side)
        return ConstrainedModel(loaded)

    monkeypatch.setattr(neurologic, "load", load)
    monkeypatch.chdir(paths.REPOSITORY)


@pytest.fixture(scope="module")
def outputs() -> dict[tuple[str, ...], str]:
    """Outputs of commands that ran, since some pages show the same one."""
    return {}


@pytest.mark.usefixtures("shared_models")
@pytest.mark.parametrize("page", pages_with_code())
def test_python_blocks_print_what_the_page_shows(page: Path) -> None:
    namespace: dict[str, Any] = {"__name__": page.stem}
    printed = ""
    for number, block in enumerate(blocks(page), start=1):
        if block.kind == "python" and block.reason is None:
            assert not printed, f"the block before block {number} prints, but the page does not show it"
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(block.content, f"{name_of(page)}, block {number}", "exec"), namespace)
            printed = output.getvalue()
        elif block.kind == "text" and printed:
            assert lines_of(printed) == lines_of(block.content)
            printed = ""
    assert not printed, "the last block prints, but the page does not show it"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_blocks_that_do_not_run_say_why(page: Path) -> None:
    reasons = [block.reason for block in blocks(page) if block.reason is not None]
    assert page.read_text(encoding="utf-8").count("<!-- not run") == len(reasons)
    assert all(len(reason.split()) >= 3 for reason in reasons)


@pytest.mark.parametrize("command", commands(), ids=str)
def test_commands_exist(command: Command) -> None:
    program, *arguments = command.words
    if program == "neurologic":
        _, surplus = PARSER.parse_known_args(arguments)
        assert not [word for word in surplus if word.startswith("-")]
    elif program == "python":
        if arguments[0] == "-m":
            assert importlib.util.find_spec(arguments[1]) is not None
        else:
            assert (paths.REPOSITORY / arguments[0]).is_file()
    elif program == "make":
        assert f"\n{arguments[0]}:" in (paths.REPOSITORY / "Makefile").read_text(encoding="utf-8")
    else:
        assert program in ("pip", "cat", "awk")


def commands_that_run() -> list[Any]:
    """Return the commands whose output the tests compare; those that need the default model are marked."""
    found = []
    for command in commands():
        needed = models_of(command)
        if command.output and needed <= {"smollm2"}:
            marks = [pytest.mark.real_model] if needed else []
            found.append(pytest.param(command, id=str(command), marks=marks))
    return found


def models_of(command: Command) -> set[str]:
    """Return the models that a command loads, or something else if it cannot run here."""
    if command.words[0] != "neurologic" or command.words[1] not in ("explain", "check", "generate"):
        return {"another program"}
    arguments = PARSER.parse_known_args(command.words[1:])[0]
    if getattr(arguments, "input", None):
        return {"a file"}
    model = getattr(arguments, "model", None)
    return {model} if model else set()


@pytest.mark.usefixtures("shared_models")
@pytest.mark.parametrize("command", commands_that_run())
def test_commands_print_what_the_page_shows(
    command: Command,
    outputs: dict[tuple[str, ...], str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if command.words not in outputs:
        monkeypatch.setenv("COLUMNS", "200")
        main(command.words[1:])
        captured = capsys.readouterr()
        outputs[command.words] = captured.out + captured.err
    assert lines_of(outputs[command.words]) == lines_of(command.output)


def test_a_scorer_takes_less_than_forty_lines() -> None:
    page = paths.REPOSITORY / "docs" / "guides" / "own_models.md"
    first = next(block.content for block in blocks(page) if block.kind == "python")
    assert "nl.Scorer" in first
    assert len([line for line in first.splitlines() if line.strip()]) < 40
