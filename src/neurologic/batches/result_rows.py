"""The fields of an output row: those of its input, then those of its result."""

from __future__ import annotations

from typing import Any

from neurologic.batches.inputs import PromptInput
from neurologic.batches.lines import RESULT_FIELDS
from neurologic.generation.result import Result


def output_fields(given: PromptInput, result: Result) -> dict[str, Any]:
    """Return the output line of an input: its fields, then those of the result."""
    # An input line may be the output of an earlier run: nothing of that run may stay. A failed line keeps its
    # constraint, which may be in "clauses", for whoever mends it.
    stale = {*RESULT_FIELDS} - ({"clauses"} if result.error is not None else set())
    fields = {name: value for name, value in given.fields.items() if name not in stale}
    fields |= result.to_dict()
    if given.uses is not None and result.error is None:
        fields["glossary"] = [use.to_json(result.text) for use in given.uses]
    return fields
