"""Find a clump: three required phrases with nothing between them but a space or a hyphen.

Phrases that a search must pay at the last moment come like this ("your dishwasher spill-proof lid ceramic").
Scripts without spaces have no clumps, since all their words stand like this.
"""

from __future__ import annotations

import re

from neurologic.marks.phrase_runs import runs
from neurologic.marks.reading import Reading

_JOINT = re.compile(r"[ \t\u00a0]+|-")


def find(reading: Reading) -> str | None:
    """Return the first clump of a text.

    >>> from neurologic.logic import parse, to_clauses
    >>> find(Reading("Your lid ceramic dishwasher is here.", to_clauses(parse("ceramic & lid & dishwasher"))))
    'lid ceramic dishwasher'
    """
    if len(reading.items) < 3:
        return None
    for run in runs(reading, _JOINT):
        if len({place.item for place in run}) >= 3:
            return reading.text[run[0].start : run[-1].end]
    return None
