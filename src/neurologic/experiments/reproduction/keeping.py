"""The files of a report in the folder of a reproduction.

report.html, report.md         to be read
tables/NAME.json               every table and curve as data
data.svg, data.png, size.…     the curves
"""

from __future__ import annotations

import json

from neurologic.experiments.reproduction.contents import Contents, contents_of
from neurologic.experiments.reproduction.findings import Findings
from neurologic.experiments.reproduction.markdown import document
from neurologic.experiments.reproduction.report import page_of
from neurologic.storage import write_whole

TABLES, PAGE, TEXT = "tables", "report.html", "report.md"


def keep_report(findings: Findings) -> Contents:
    """Write the report of all that is there at the moment."""
    folder = findings.reproduction.folder
    (folder / TABLES).mkdir(parents=True, exist_ok=True)
    contents = contents_of(findings)
    parts = {table.key: table.to_json() for table in contents.tables}
    parts |= {curve.key: curve.to_json() for curve in contents.curves}
    for name, content in parts.items():
        write_whole(folder / TABLES / f"{name}.json", json.dumps(content, indent=2) + "\n")
    write_whole(folder / TEXT, document(contents))
    write_whole(folder / PAGE, page_of(contents))
    return contents
