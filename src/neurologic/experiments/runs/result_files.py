"""Write the files of a finished evaluation, beside those of the run itself (see `folder`).

| file | content |
| --- | --- |
| `outputs.txt` | the scored outputs, one per line, in the order of the inputs |
| `scores.json` | scores, signatures, figures, and the manifest of the run |
| `report.html` | the report page |

Several systems have a folder each; above them, `scores.json` and `report.html` cover all of them. For a task
that people grade there are `side_by_side.html` and its key as well, over all systems.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from neurologic.experiments.runs.evaluation import Evaluation
from neurologic.experiments.runs.report import evaluation_page
from neurologic.experiments.runs.side_by_side import KEY, PAGE, key_document, side_by_side_page
from neurologic.experiments.tasks.base import OpenEnded
from neurologic.storage import write_whole

OUTPUTS = "outputs.txt"
SCORES = "scores.json"
REPORT = "report.html"


def write_results(folder: Path, evaluation: Evaluation, *, folder_per_system: bool) -> None:
    """Write the files of an evaluation."""
    for system in evaluation.systems:
        own = folder / system.name if folder_per_system else folder
        own.mkdir(parents=True, exist_ok=True)
        write_system(own, replace(evaluation, systems=(system,)))
    if folder_per_system:
        _write(folder, evaluation, evaluation.to_json())
    if isinstance(evaluation.task, OpenEnded):
        write_side_by_side(folder, evaluation)


def write_comparison(folder: Path, evaluation: Evaluation) -> None:
    """Write the files of an evaluation whose systems have folders elsewhere."""
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder, evaluation, evaluation.to_json())
    if isinstance(evaluation.task, OpenEnded):
        write_side_by_side(folder, evaluation)


def write_side_by_side(folder: Path, evaluation: Evaluation) -> None:
    """Write the page on which people grade the texts, and its key."""
    write_whole(folder / PAGE, side_by_side_page(evaluation))
    write_whole(folder / KEY, json.dumps(key_document(evaluation), indent=2) + "\n")


def write_system(folder: Path, evaluation: Evaluation) -> None:
    """Write the files of an evaluation of one system."""
    (system,) = evaluation.systems
    lines = (" ".join(prediction.output.split()) for prediction in system.predictions)
    write_whole(folder / OUTPUTS, "".join(f"{line}\n" for line in lines))
    _write(folder, evaluation, system_document(evaluation))


def system_document(evaluation: Evaluation) -> dict[str, Any]:
    """Return the JSON document of an evaluation of one system."""
    return {**evaluation.circumstances, **evaluation.systems[0].to_json(), **evaluation.parts_to_json()}


def _write(folder: Path, evaluation: Evaluation, document: Mapping[str, Any]) -> None:
    write_whole(folder / SCORES, json.dumps(document, indent=2) + "\n")
    write_whole(folder / REPORT, evaluation_page(evaluation))
