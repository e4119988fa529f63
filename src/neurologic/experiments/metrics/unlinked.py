"""Unlinked words: how many words of a text link-grammar cannot link, as a mean over the texts.

`link-parser` reports how many words the best linkage of a sentence leaves out (see `link_parser`). So it
judges syntax alone, and shares nothing with the model that wrote the text. Without the program the metric is
n/a.

Limits: English only. Punctuation counts as words, fragments such as headlines and closings cost a word or
two in good texts as well, and long texts have more words to leave out. Compare systems on the same inputs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from neurologic.experiments.metrics.base import Corpus, Goal, Numbers
from neurologic.experiments.metrics.kept_scores import KeptScores, Verdict
from neurologic.experiments.metrics.link_parser import answers, parser_settings, sentences

_UNUSED = re.compile(r"cost vector = \(UNUSED=(\d+)")


@dataclass(frozen=True)
class Unlinked:
    """Unlinked words with rows (words, 1); lower is better."""

    name: ClassVar[str] = "unlinked"
    title: ClassVar[str] = "Unlinked"
    goal: ClassVar[Goal] = Goal.LOW
    digits: ClassVar[int] = 2
    unit: ClassVar[str] = "unlinked words per text"

    def statistics(self, texts: Corpus) -> Numbers:
        pieces = [sentences(output) for output in texts.outputs]
        flat = [sentence for several in pieces for sentence in several]
        counts = iter(KeptScores(f"unlinked|{self.settings()}").of(flat, _counted))
        return np.array([(sum(next(counts)[0] for _ in several), 1.0) for several in pieces])

    def value(self, totals: Numbers) -> float:
        return float(totals[0] / totals[1])

    def value_of_one(self, row: Numbers) -> float:
        return self.value(row)

    def settings(self) -> str:
        return parser_settings()


def _counted(lines: list[str]) -> Iterator[tuple[str, Verdict]]:
    """Yield every sentence with the number of its unlinked words."""
    for line, answer in zip(lines, answers(lines), strict=True):
        unused = _UNUSED.search(answer)
        # No linkage at all, not even one that leaves words out.
        yield line, (float(len(line.split()) if unused is None else unused[1]),)
