"""fairseq's input with constraints: a source, then a tab and a phrase for each constraint.

`fairseq-interactive --constraints` and `sockeye.lexical_constraints` read such lines from standard input.
fairseq has no forbidden phrases, and by default requires the constraints in their order; here they may come
in any order (as with `--constraints unordered`). A line without a tab is a source without constraints.
"""

from __future__ import annotations

from typing import Any

from neurologic.errors import DataError
from neurologic.integrations.toolkit_phrases import MatchOptions, joined, phrase_of


def to_fields(line: str, matching: MatchOptions | None = None) -> dict[str, Any]:
    """Return the fields of an input line of ours; skip empty columns, which spreadsheets leave.

    >>> to_fields("Das ist schwer.\\thard\\tin@@ fluence", MatchOptions(case="fold"))
    {'prompt': 'Das ist schwer.', 'include': ['hard', 'influence']}
    """
    source, *columns = line.split("\t")
    prompt = joined(source).strip()
    if not prompt:
        raise DataError("the source is empty" if columns or source else "the line is empty")
    include = [
        phrase_of(column.strip(), f"column {number}", matching or MatchOptions())
        for number, column in enumerate(columns, start=2)
        if column.strip()
    ]
    return {"prompt": prompt, "include": include} if include else {"prompt": prompt}
