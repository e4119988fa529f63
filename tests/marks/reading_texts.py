"""The view of a text that each detector's test hands to it."""

from __future__ import annotations

from neurologic.logic import all_of, to_clauses
from neurologic.marks.reading import Reading


def read(
    text: str, *required: str, prompt: str = "", before: str = "", truncated: bool | None = None
) -> Reading:
    """Read a text in which all these phrases are required."""
    clauses = to_clauses(all_of(*required)) if required else ()
    return Reading(text, clauses, prompt=prompt, before=before, truncated=truncated)
