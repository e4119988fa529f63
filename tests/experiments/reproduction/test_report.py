"""The report: one page, one text, every table as data; at any moment."""

import json
import re
from dataclasses import replace

import pytest

from experiments.reproduction.small import SMALL, good, poor, small_reproduction, write_run
from experiments.runs.test_report import Reader
from neurologic.experiments.reproduction.found_runs import Findings
from neurologic.experiments.reproduction.report import write_report

EVIL = "<script>alert('&')</script>|"


@pytest.fixture(autouse=True)
def _no_pictures(monkeypatch):
    """They take a second."""
    monkeypatch.setattr("neurologic.experiments.reproduction.curves.can_draw", lambda: False)


@pytest.fixture
def reproduction(tmp_path):
    found = small_reproduction(tmp_path / "out")
    write_run(found, ("supervised-1", "beam"), poor())
    write_run(found, ("supervised-1", "neurologic"), good())
    return found


def test_the_files_of_a_report(reproduction, tmp_path):
    write_report(Findings(reproduction))
    folder = tmp_path / "out"
    assert sorted(path.name for path in (folder / "tables").iterdir()) == [
        *("contrasts.json", "data.json", "size.json"),
        *("table2.json", "table3.json", "table4.json", "table4_differences.json"),
    ]
    assert json.loads((folder / "tables" / "data.json").read_text())["lines"]["beam search"][1]["x"] == 100
    assert {"report.html", "report.md"} <= {path.name for path in folder.iterdir()}


def test_a_report_of_nothing_is_a_report(tmp_path):
    contents = write_report(Findings(small_reproduction(tmp_path / "out")))
    assert all(row.missing for table in contents.tables for row in table.blocks[0].rows)
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "| tiny, all data (no run of beam on supervised-1 yet; no run of neurologic" in text
    assert not (tmp_path / "out" / "data.svg").exists()


def test_it_says_that_figures_of_other_models_are_not_to_be_compared(reproduction, tmp_path):
    write_report(Findings(reproduction))
    for name in ("report.html", "report.md"):
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert "of other models" in text
        assert "the test split" in text
        assert "can be compared is the pattern" in text
        assert "SPICE is n/a: " in text


def test_the_page_needs_nothing_else_and_pictures_are_in_it(reproduction, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.undo()
    monkeypatch.setenv("NEUROLOGIC_JAVA", "/nonexistent/java")
    write_report(Findings(reproduction))
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    reader = Reader(page)
    assert "script" not in reader.tags
    sources = [value for name, value in reader.attributes if name in ("src", "href")]
    assert len(sources) == 2
    assert all(source.startswith("data:image/svg+xml;base64,") for source in sources)
    assert 'class="number better" title="p = 0.001">50.0 → 100.0<span class="unseen"> better</span>' in page


def test_marks_are_in_the_text_too(reproduction, tmp_path):
    write_report(Findings(reproduction))
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "50.0 → 100.0 ▲" in text
    assert "-50.0 ▼" in text


def test_rows_of_the_text_have_as_many_cells_as_headings(reproduction, tmp_path):
    write_report(Findings(reproduction))
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    for table in re.findall(r"(?:^\|.*\n)+", text, flags=re.M):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1


def test_all_text_is_escaped(tmp_path):
    systems = tuple(replace(system, title=EVIL) for system in SMALL.systems)
    found = small_reproduction(tmp_path / "out", replace(SMALL, systems=systems, about=EVIL))
    write_report(Findings(found))
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "script" not in Reader(page).tags
    assert "alert('&')" in "".join(Reader(page).text)


def test_without_matplotlib_it_says_so(reproduction, tmp_path, monkeypatch):
    monkeypatch.setattr("neurologic.experiments.reproduction.report.can_draw", lambda: False)
    write_report(Findings(reproduction))
    assert "pip install 'neurologic-decoding[plots]'" in (tmp_path / "out" / "report.md").read_text(
        encoding="utf-8"
    )
