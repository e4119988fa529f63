"""The code of docs/own_models.md runs, and prints what the page says that it prints."""

from __future__ import annotations

import contextlib
import io
import re
from typing import Any

import paths

PAGE = paths.REPOSITORY / "docs" / "own_models.md"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> list[tuple[str, str]]:
    """The fenced blocks of a page: their kind, and what stands in them."""
    return [(match[1], match[2]) for match in _BLOCK.finditer(page)]


def run(page: str) -> list[tuple[str, str]]:
    """Per block of code that is followed by its output: what the page shows, and what came out."""
    names: dict[str, Any] = {"__name__": "page"}
    shown_and_printed: list[tuple[str, str]] = []
    printed = ""
    for number, (kind, content) in enumerate(blocks(page)):
        if kind == "python":
            assert not printed, f"block {number} prints, but the page does not show it"
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(content, f"{PAGE.name}, block {number}", "exec"), names)
            printed = output.getvalue()
        elif kind == "text":
            shown_and_printed.append((content, printed))
            printed = ""
    return shown_and_printed


def test_the_page_shows_what_its_code_prints() -> None:
    results = run(PAGE.read_text(encoding="utf-8"))
    assert len(results) >= 4
    for shown, printed in results:
        assert _lines(printed) == _lines(shown)


def test_a_scorer_takes_less_than_forty_lines() -> None:
    first = next(content for kind, content in blocks(PAGE.read_text(encoding="utf-8")) if kind == "python")
    assert "nl.Scorer" in first
    assert len([line for line in first.splitlines() if line.strip()]) < 40


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]
