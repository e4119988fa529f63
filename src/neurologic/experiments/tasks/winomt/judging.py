"""From translations to verdicts: align them, find the person's words, read the gender.

The aligner is trained on the very translations that are judged, as in the published program. So a verdict
depends a little on the other translations, and among few of them it is worth little: judge all 3,888
sentences.
"""

from __future__ import annotations

from collections.abc import Sequence

from neurologic.experiments.tasks.base import Item
from neurologic.experiments.tasks.winomt.alignment import align, signature
from neurologic.experiments.tasks.winomt.reading import READERS, person_places
from neurologic.experiments.tasks.winomt.scores import Verdict


def judge(outputs: Sequence[str], items: Sequence[Item]) -> tuple[list[Verdict], str]:
    """A verdict for each output, and how they were come by, for signatures."""
    read, how = READERS[str(items[0].fields["language"])]
    sources = [str(item.fields["sentence"]).split() for item in items]
    targets = [output.split() for output in outputs]
    verdicts = []
    for item, source, target, aligned in zip(items, sources, targets, align(sources, targets), strict=True):
        fields = item.fields
        places = [
            place for one in person_places(source, int(fields["place"])) for place in aligned.get(one, ())
        ]
        found = read(target, places, str(fields["noun"]))
        verdicts.append(Verdict(str(fields["gender"]), found, str(fields["subset"])))
    return verdicts, f"{signature(len(items))}|{how()}"
