"""Parts of the documentation that come from the code, so that they cannot go out of date.

In a page, `<!-- help: explain -->` becomes the `--help` of a command, `<!-- files: logic -->` a table of the
files of a package with the first sentence of each, `<!-- settings -->` the table of all settings,
`<!-- limits -->` that of all limits, and
`<!-- server limits -->` that of a server.
`DocstringTables` shows the columns of our docstrings ("name   meaning") as tables and their examples as code.
"""  # noqa: INP001 (mkdocs loads this file by its path)

from __future__ import annotations

import ast
import os
import re
from pathlib import Path
from typing import Any

import griffe

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "neurologic"
_HELP = re.compile(r"^<!-- help: ?(?P<command>[\w ]*?) ?-->$", re.MULTILINE)
_FILES = re.compile(r"^<!-- files: (?P<folder>[\w/]+) -->$", re.MULTILINE)
_TABLE_ROW = re.compile(r"^\|.*$", re.MULTILINE)
_CODE = re.compile(r"`[^`]*`")
_COLUMNS = re.compile(r"(?P<names>\w+(?:, \w+)*)(?:  +(?P<meaning>\S.*))?")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Fill in the parts of a page that come from the code (called by mkdocs for every page)."""
    markdown = _HELP.sub(lambda match: _help(match["command"]), markdown)
    markdown = _FILES.sub(lambda match: _files(match["folder"]), markdown)
    if "<!-- limits -->" in markdown:
        from neurologic.limits import markdown_table as limits_table

        markdown = markdown.replace("<!-- limits -->", limits_table())
    if "<!-- settings -->" in markdown:
        from neurologic.search.settings import markdown_table

        markdown = markdown.replace("<!-- settings -->", markdown_table())
    if "<!-- server limits -->" in markdown:
        from neurologic.serve.limits import ServerLimits

        markdown = markdown.replace("<!-- server limits -->", ServerLimits.markdown_table())
    return _unescaped(markdown)


def _unescaped(markdown: str) -> str:
    r"""Write `a \| b` in the code of tables as `a | b`: GitHub needs the backslash, mkdocs would show it."""
    return _TABLE_ROW.sub(lambda row: _CODE.sub(lambda code: code[0].replace("\\|", "|"), row[0]), markdown)


def _help(command: str) -> str:
    from neurologic.cli import _build_parser
    from neurologic.cli.command_list import COMMANDS

    os.environ["COLUMNS"] = "100"  # argparse wraps at the width of the terminal
    parser, commands = _build_parser(COMMANDS)
    if command:
        parser = commands[command]
    return f"```text\n{parser.format_help().rstrip()}\n```"


def _files(folder: str) -> str:
    rows = ["| file | holds |", "| --- | --- |"]
    for path in sorted((PACKAGE / folder).glob("*.py")):
        if path.name != "__init__.py":
            rows.append(f"| `{folder}/{path.name}` | {_first_sentence(path)} |")
    return "\n".join(rows)


def _first_sentence(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    paragraph = docstring.split("\n\n")[0].replace("\n", " ")
    sentence = re.split(r"(?<=[.:])\s", paragraph)[0] if ". " in paragraph else paragraph
    return sentence.replace("|", "\\|")


class DocstringTables(griffe.Extension):
    """Turn the columns of a docstring into a Markdown table."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = "\n\n".join(map(_paragraph, obj.docstring.value.split("\n\n")))


def _paragraph(text: str) -> str:
    """Return a paragraph of a docstring as Markdown; columns may follow a line that ends with a colon."""
    if text.lstrip().startswith(">>>"):
        return f"```pycon\n{text}\n```"
    lines = text.splitlines()
    heading = lines[:1] if lines and lines[0].endswith(":") else []
    rows = _rows(lines[len(heading) :])
    if not rows:
        return text
    table = ["| | |", "| --- | --- |"]
    for names, meaning in rows:
        cell = meaning.replace("|", "\\|")
        table.append(f"| {', '.join(f'`{name.strip()}`' for name in names.split(','))} | {cell} |")
    return _unescaped("\n".join([*heading, *([""] if heading else []), *table]))


def _rows(lines: list[str]) -> list[tuple[str, str]]:
    """Return the names and meanings of lines in columns; nothing if they are not in columns."""
    rows: list[tuple[str, str]] = []
    for line in lines:
        match = _COLUMNS.fullmatch(line)
        if line.startswith("  ") and rows:  # the meaning above goes on
            rows[-1] = (rows[-1][0], f"{rows[-1][1]} {line.strip()}".strip())
        elif match is not None:
            rows.append((match["names"], match["meaning"] or ""))
        else:
            return []
    return rows if all(meaning for _, meaning in rows) else []
