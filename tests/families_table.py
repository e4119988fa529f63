"""`--families-table FILE`: the outcomes of tests/models/test_families.py as a page for people.

The page says what was seen in this run, so it is written only if every cell of the table was run. A cell
that was skipped has its reason as a footnote.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

MODULE = "models.test_families"
_CELL = re.compile(r"test_families\.py::(?P<test>\w+)\[(?P<family>.*)\]$")
SIGNS = {"passed": "✓", "failed": "✗", "skipped": "–"}
HEAD = """# Model families

Made by `make test`: every cell is a test of tests/models/test_families.py, run on a tiny model with random
weights, built from the family's own config. ✓ passed, ✗ failed, – not applicable.

| column | what was seen |
| --- | --- |
| loads | saved with `save_pretrained`, found by `neurologic.load`, and it writes |
| cached = uncached | the log-likelihood of a text is that of running it anew, without a cache |
| batch = single | prompts of different lengths have the same texts in one batch as each alone |
| constraints hold | a required phrase, an alternative and a forbidden phrase, read off the text |
| search = reference | with wide beams, the best of all texts of up to three tokens, by brute force |
| custom_generate | `model.generate(custom_generate=neurologic.decoder(…))` writes what `lm.generate` writes |
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--families-table", metavar="FILE", help="write the table of model families to FILE")


def pytest_configure(config: pytest.Config) -> None:
    path = config.getoption("--families-table")
    # Where tests run in several processes, all outcomes come together in the one that started them.
    if path is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(FamiliesTable(Path(path)), "families-table")


class FamiliesTable:
    """Collects the outcomes of one run, and writes them at its end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.module: Any = None
        # By the test's name and the family.
        self.outcomes: dict[tuple[str, str], str] = {}
        self.reasons: dict[tuple[str, str], str] = {}
        self.properties: dict[tuple[str, str], list[tuple[str, Any]]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        found = _CELL.search(report.nodeid)
        if found is None or (report.when != "call" and report.outcome == "passed"):
            return
        # pytest escapes what is not ASCII in the names of cases.
        cell = (found["test"], found["family"].encode().decode("unicode_escape"))
        self.outcomes[cell] = report.outcome
        self.properties[cell] = report.user_properties
        if report.outcome == "skipped" and isinstance(report.longrepr, tuple):
            self.reasons[cell] = report.longrepr[2].removeprefix("Skipped: ")

    def pytest_sessionfinish(self) -> None:
        if not self.outcomes:
            return
        self.module = importlib.import_module(MODULE)
        tests = [*self.module.COLUMNS]
        wanted = {(test, family) for test in tests for family in self.module.FAMILIES}
        wanted |= {("test_refused", name) for name in self.module.REFUSED}
        if wanted <= self.outcomes.keys():
            page = self.page()
            # An unchanged page keeps its date, for those who look at dates.
            if not self.path.exists() or self.path.read_text() != page:
                self.path.write_text(page)

    # -- the page -----------------------------------------------------------------------------------

    def page(self) -> str:
        footnotes = Footnotes()
        parts = [HEAD]
        for section, names in self.module.SECTIONS.items():
            parts.append(f"\n## {section} models\n\n{self.table(section, names, footnotes)}")
        parts.append(f"\n{footnotes.text()}" if footnotes.numbers else "")
        parts.append(f"\n## Refused\n\nWith these words, before anything is run:\n\n{self.refusals()}")
        return "".join(parts)

    def table(self, section: str, names: list[str], footnotes: Footnotes) -> str:
        columns = self.module.COLUMNS
        lines = [
            "| family | class | " + " | ".join(columns.values()) + " |",
            "| --- | --- |" + " :-: |" * len(columns),
        ]
        for name in names:
            family = f"{section}: {name}"
            told = self.properties["test_loads", family]
            kind = next((value for key, value in told if key == "class"), "")
            marks = "".join(footnotes.mark(value) for key, value in told if key == "note")
            cells = [self.sign(test, family, footnotes) for test in columns]
            lines.append(f"| {name}{marks} | `{kind}` | " + " | ".join(cells) + " |")
        return "\n".join(lines) + "\n"

    def sign(self, test: str, family: str, footnotes: Footnotes) -> str:
        cell = (test, family)
        reason = self.reasons.get(cell)
        return SIGNS[self.outcomes[cell]] + (footnotes.mark(reason) if reason else "")

    def refusals(self) -> str:
        lines = []
        for name in self.module.REFUSED:
            told = dict(self.properties["test_refused", name])
            message = told.get("message", "**not refused**")
            lines.append(f"- `{told.get('class', name)}`: {message}\n")
        return "".join(lines)


class Footnotes:
    """Numbers texts in the order in which they come, each once."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def mark(self, text: str) -> str:
        return f"<sup>{self.numbers.setdefault(text, len(self.numbers) + 1)}</sup>"

    def text(self) -> str:
        return "".join(f"{number}. {text}\n" for text, number in self.numbers.items())
