"""What a report says, whatever its form: tables, curves, verdicts, and what a reader must know before all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neurologic.experiments.reproduction.curves import Drawn, all_curves
from neurologic.experiments.reproduction.findings import Findings
from neurologic.experiments.reproduction.pictures import can_draw, draw
from neurologic.experiments.reproduction.table import Cell, Table
from neurologic.experiments.reproduction.tables import all_tables, verdicts
from neurologic.experiments.runs.scoring import SIGNIFICANT

MARKS = {1: " ▲", -1: " ▼", 0: ""}


@dataclass(frozen=True)
class Contents:
    """All parts of a report in their order.

    intro     paragraphs
    pictures  files by the key of their curve
    notes     paragraphs at the end
    """

    title: str
    intro: tuple[str, ...]
    tables: tuple[Table, ...]
    verdicts: tuple[str, ...]
    curves: tuple[Drawn, ...]
    pictures: dict[str, Sequence[Path]]
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "about": list(self.intro),
            "tables": {table.key: table.to_json() for table in self.tables},
            "verdicts": list(self.verdicts),
            "curves": {curve.key: curve.to_json() for curve in self.curves},
        }


def marked(cell: Cell) -> str:
    """A cell with its mark."""
    return cell.text + MARKS[cell.mark]


def contents_of(findings: Findings) -> Contents:
    """What there is to say at the moment; pictures are drawn on the way."""
    reproduction = findings.reproduction
    tables, curves = all_tables(findings), all_curves(findings)
    pictures = {curve.key: draw(curve, reproduction.folder) for curve in curves}
    return Contents(
        f"{reproduction.task.title}, the whole experiment: scale {reproduction.scale.name}",
        _intro(findings),
        tuple(tables),
        tuple(verdicts(findings)) if any(table.key == "contrasts" for table in tables) else (),
        tuple(curves),
        {key: paths for key, paths in pictures.items() if paths},
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
        "the test split, whose references are not public. So figures cannot be compared with figures: what "
        "can be compared is the pattern, which decoder is better than which, and by how much.",
    )


def _notes(findings: Findings) -> tuple[str, ...]:
    notes = [
        f"Marks rest on a paired bootstrap over the inputs that both runs have, p < {SIGNIFICANT}. Among "
        "many comparisons some fall below that by chance. Figures are in percent, CIDEr × 10; those on fewer "
        "inputs cannot be compared with those on all, CIDEr least of all. Seconds depend on the machine that "
        "the runs were made on, and on what else it was doing.",
    ]
    notes.append("The texts of a system are in runs/SYSTEM/report.html, the worst first.")
    reasons: dict[str, str] = {}
    for key in findings.reproduction.scale.runs(findings.reproduction.parts):
        scores = findings.scores(key)
        if scores is not None:
            reasons |= {score.metric.title: score.reason for score in scores.scores if score.reason}
    notes += [f"{title} is n/a: {reason}." for title, reason in reasons.items()]
    if not can_draw():
        notes.append("There are no pictures: they need matplotlib (pip install 'neurologic[plots]').")
    return tuple(notes)
