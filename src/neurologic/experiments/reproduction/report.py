"""The report of a reproduction: tables, curves and verdicts as HTML, Markdown and JSON.

| file | content |
| --- | --- |
| `report.html`, `report.md` | the report |
| `tables/NAME.json` | every table and curve as data |
| `data.svg`, `data.png`, `size.svg`, `size.png` | the curves |
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neurologic.errors import install_line
from neurologic.experiments.plotting import can_draw
from neurologic.experiments.reproduction.curves import CurveData, all_curves, draw
from neurologic.experiments.reproduction.found_runs import Findings
from neurologic.experiments.reproduction.paper_tables import all_tables, verdicts
from neurologic.experiments.runs.evaluation import SIGNIFICANCE_LEVEL
from neurologic.experiments.runs.report import render
from neurologic.experiments.tables import ResultTable
from neurologic.storage import write_whole

TABLES, PAGE, TEXT = "tables", "report.html", "report.md"


@dataclass(frozen=True)
class Report:
    """All parts of a report in their order.

    intro, notes  paragraphs at the beginning and at the end
    pictures      SVG files by the key of their curve
    """

    title: str
    intro: tuple[str, ...]
    tables: tuple[ResultTable, ...]
    verdicts: tuple[str, ...]
    curves: tuple[CurveData, ...]
    pictures: Mapping[str, Path]
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "about": list(self.intro),
            "tables": {table.key: table.to_json() for table in self.tables},
            "verdicts": list(self.verdicts),
            "curves": {curve.key: curve.to_json() for curve in self.curves},
        }

    def to_html(self) -> str:
        """Return a single page, pictures included."""
        pictures = {key: base64.b64encode(path.read_bytes()).decode() for key, path in self.pictures.items()}
        return render("reproduction.html", title=self.title, report=self, pictures=pictures)

    def to_markdown(self) -> str:
        """Return one Markdown text; pictures are links to files beside it."""
        return render("reproduction.md", report=self)


def write_report(findings: Findings) -> Report:
    """Write the report of all runs that exist at this moment."""
    folder = findings.reproduction.folder
    (folder / TABLES).mkdir(parents=True, exist_ok=True)
    report = _report(findings)
    documents = report.to_json()
    for name, document in {**documents["tables"], **documents["curves"]}.items():
        write_whole(folder / TABLES / f"{name}.json", json.dumps(document, indent=2) + "\n")
    write_whole(folder / TEXT, report.to_markdown())
    write_whole(folder / PAGE, report.to_html())
    return report


def _report(findings: Findings) -> Report:
    reproduction = findings.reproduction
    tables, curves = all_tables(findings), all_curves(findings)
    drawn = {curve.key: draw(curve, reproduction.folder) for curve in curves}
    return Report(
        f"{reproduction.task.title}, the whole experiment: scale {reproduction.scale.name}",
        _intro(findings),
        tuple(tables),
        tuple(verdicts(findings)) if any(table.key == "contrasts" for table in tables) else (),
        tuple(curves),
        {key: paths[0] for key, paths in drawn.items() if paths},  # the SVG comes first
        _notes(findings),
    )


def _intro(findings: Findings) -> tuple[str, ...]:
    reproduction = findings.reproduction
    scale = reproduction.scale
    searched = ", ".join(f"{name} {value}" for name, value in scale.settings.items())
    return (
        f"Here: {scale.about}; {reproduction.inputs} inputs of the {scale.split} split"
        + (f"; {searched}" if searched else "")
        + ".",
        "The paper's figures (Lu et al., NAACL 2021) stand beside ours, but they are of other models and of "
        "the test split, which has no public references. So do not compare figures with figures: what "
        "can be compared is the pattern, which decoder is better than which, and by how much.",
    )


def _notes(findings: Findings) -> tuple[str, ...]:
    notes = [
        f"Marks rest on a paired bootstrap over the inputs that both runs have, p < {SIGNIFICANCE_LEVEL}. "
        "Among many comparisons some fall below that by chance. Figures are in percent, CIDEr × 10; figures "
        "on fewer inputs cannot be compared with figures on all, CIDEr least of all. Seconds depend on the "
        "machine, and on what else it was doing.",
        "The texts of a system are in runs/SYSTEM/report.html, the worst first.",
    ]
    reasons: dict[str, str] = {}
    for key in findings.reproduction.scale.runs(findings.reproduction.parts):
        scores = findings.scores(key)
        if scores is not None:
            reasons |= {score.metric.title: score.reason for score in scores.scores if score.reason}
    notes += [f"{title} is n/a: {reason}." for title, reason in reasons.items()]
    if not can_draw():
        notes.append(f"There are no pictures: they need matplotlib ({install_line('plots')}).")
    return tuple(notes)
