"""Find a list: at least four required phrases, or all three of them, with little more than commas between.

Copying the prompt's list of words is the cheapest way to say them all. Three of more than three are no list,
because "bread, butter and milk" is a good enumeration; nor is "soft, washable merino blanket", where a single
comma stands between words that follow each other anyway.
"""

from __future__ import annotations

import re
from itertools import pairwise

from neurologic.marks.phrase_runs import runs
from neurologic.marks.reading import Reading

_JOINT = re.compile(
    r"(?:[\s,;/|&+•·*_\"'`“”„‘’«»–—-]|\d+[.)]|\b(?:and|or|und|oder|et|ou|y)\b)*", re.IGNORECASE
)
_SPACES = " \t\u00a0-"


def find(reading: Reading) -> str | None:
    """Return the first list of a text.

    >>> from neurologic.logic import parse, to_clauses
    >>> find(
    ...     Reading("Lighthouse, piano, and storm: a story.", to_clauses(parse("storm & piano & lighthouse")))
    ... )
    'Lighthouse, piano, and storm'
    """
    all_items = len(reading.items)
    if all_items < 3:
        return None
    text = reading.text
    for run in runs(reading, _JOINT):
        joints = [text[left.end : right.start] for left, right in pairwise(run)]
        separators = sum(bool(joint.strip(_SPACES)) for joint in joints)
        if len({place.item for place in run}) >= min(4, all_items) and separators >= 2:
            return text[run[0].start : run[-1].end]
    return None
