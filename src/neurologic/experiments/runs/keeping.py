"""The files that a finished evaluation leaves in its folder, beside those of the run itself (see `runs`).

| file | holds |
| --- | --- |
| `outputs.txt` | the outputs that were scored, one a line, in the order of the inputs |
| `scores.json` | scores, signatures, figures, and what the run was |
| `report.html` | the page |

Several systems have a folder each, and above them `scores.json` and `report.html` are about all of them.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from neurologic.experiments.runs.report import page_of
from neurologic.experiments.runs.scoring import Contest
from neurologic.storage import write_whole

OUTPUTS = "outputs.txt"
SCORES = "scores.json"
REPORT = "report.html"


def keep(folder: Path, contest: Contest, *, apart: bool) -> None:
    """The files of a contest; `apart` for several systems with a folder each, otherwise there is one."""
    for system in contest.systems:
        own = folder / system.name if apart else folder
        own.mkdir(parents=True, exist_ok=True)
        keep_system(own, replace(contest, systems=(system,)))
    if apart:
        keep_contest(folder, contest)


def keep_system(folder: Path, contest: Contest) -> None:
    """The files of a contest of one system."""
    (system,) = contest.systems
    lines = (" ".join(one.output.split()) for one in system.predictions)
    write_whole(folder / OUTPUTS, "".join(f"{line}\n" for line in lines))
    write_whole(folder / SCORES, json.dumps({**contest.circumstances, **system.to_json()}, indent=2) + "\n")
    write_whole(folder / REPORT, page_of(contest))


def keep_contest(folder: Path, contest: Contest) -> None:
    """The files of several systems together."""
    write_whole(folder / SCORES, json.dumps(contest.to_json(), indent=2) + "\n")
    write_whole(folder / REPORT, page_of(contest))
