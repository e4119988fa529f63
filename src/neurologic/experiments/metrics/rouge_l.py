"""ROUGE-L (Lin, 2004), as ROUGE-1.5.5 gives it for pairs of one output and one reference.

For each pair: the longest common subsequence of words, its share of the output (precision) and of the
reference (recall), and their harmonic mean. The score is the mean over all pairs, so that an input with
more references counts for more, and an output is not judged by its best reference alone. The ROUGE-L of
COCO's scorer is another number: it takes the best precision and the best recall, favours recall and does
not stem.

An output is one sentence whatever its length; the sentence-by-sentence ROUGE-L of summaries is not here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from neurologic.experiments.metrics.base import Corpus, Mean, Numbers
from neurologic.experiments.metrics.rouge_words import rouge_words


@dataclass(frozen=True)
class RougeL(Mean):
    """ROUGE-L with rows (sum of F over the references, number of references)."""

    name: ClassVar[str] = "rouge_l"
    title: ClassVar[str] = "ROUGE-L"

    def statistics(self, texts: Corpus) -> Numbers:
        rows = []
        for output, several in zip(texts.outputs, texts.references, strict=True):
            words = rouge_words(output)
            pairs = [f_measure(words, rouge_words(reference)) for reference in several]
            rows.append((sum(pairs), len(pairs)))
        return np.array(rows, dtype=np.float64)

    def settings(self) -> str:
        return "mean:pairs|f:1|case:lower|stem:rouge-1.5.5|forms:wordnet-2.0"


def f_measure(output: Sequence[str], reference: Sequence[str]) -> float:
    """The F-measure of one pair; 0 if either is empty.

    >>> f_measure("police kill the gunman".split(), "police killed the gunman".split())
    0.75
    """
    common = common_subsequence(output, reference)
    return 2 * common / (len(output) + len(reference)) if common else 0.0


def common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """The length of the longest common subsequence.

    >>> common_subsequence("abcbdab", "bdcaba")
    4
    """
    lengths = [0] * (len(second) + 1)  # with the words of `first` so far, for each prefix of `second`
    for word in first:
        diagonal = 0
        for place, other in enumerate(second, 1):
            above = lengths[place]
            lengths[place] = diagonal + 1 if word == other else max(above, lengths[place - 1])
            diagonal = above
    return lengths[-1]
