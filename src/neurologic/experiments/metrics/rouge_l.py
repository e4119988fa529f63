"""ROUGE-L (Lin, 2004), as ROUGE-1.5.5 gives it for pairs of one output and one reference.

The score of a pair is the harmonic mean of precision and recall: the share of the output and the share of the
reference in their longest common subsequence of words. The score is the mean over all pairs, so an input with
more references counts more, and all references of an output count, not only the best. The ROUGE-L of COCO's
scorer is another number: it takes the best precision and the best recall, favours recall and does not stem.

Limits: an output is one sentence whatever its length; there is no sentence-by-sentence ROUGE-L of summaries.
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
        for output, references in zip(texts.outputs, texts.references, strict=True):
            words = rouge_words(output)
            pairs = [f_measure(words, rouge_words(reference)) for reference in references]
            rows.append((sum(pairs), len(pairs)))
        return np.array(rows, dtype=np.float64)

    def settings(self) -> str:
        return "mean:pairs|f:1|case:lower|stem:rouge-1.5.5|forms:wordnet-2.0"


def f_measure(output: Sequence[str], reference: Sequence[str]) -> float:
    """Return the F-measure of a pair; 0 if either text is empty.

    >>> f_measure("police kill the gunman".split(), "police killed the gunman".split())
    0.75
    """
    common = common_subsequence(output, reference)
    return 2 * common / (len(output) + len(reference)) if common else 0.0


def common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the length of the longest common subsequence.

    >>> common_subsequence("abcbdab", "bdcaba")
    4
    """
    lengths = [0] * (len(second) + 1)  # between the words of `first` so far and each prefix of `second`
    for word in first:
        diagonal = 0
        for place, other in enumerate(second, 1):
            above = lengths[place]
            lengths[place] = diagonal + 1 if word == other else max(above, lengths[place - 1])
            diagonal = above
    return lengths[-1]
