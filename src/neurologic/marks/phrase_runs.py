"""Runs of required phrases: neighbours with nothing between them but what a pattern allows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from neurologic.marks.reading import PhrasePlace, Reading


def runs(reading: Reading, joint: re.Pattern[str]) -> Iterator[list[PhrasePlace]]:
    """Yield the longest runs of required phrases between which the text matches `joint`."""
    run: list[PhrasePlace] = []
    for place in reading.phrase_places:
        if run and not joint.fullmatch(reading.text, run[-1].end, place.start):
            yield run
            run = []
        run.append(place)
    if run:
        yield run
