"""CIDEr (Vedantam et al., 2015), in the form "CIDEr-D" that COCO's scorer calls CIDEr, on CommonGen's tokens.

For each n from 1 to 4 a text is a vector of its n-grams, weighted by how few inputs have them in their
references (tf-idf). An output's score is the cosine to each reference, with its counts clipped to the
reference's and less the more the lengths differ, as a mean over n and the references. COCO multiplies it by
10, and tables by another 10.

The weights come from the references at hand: with other inputs, or fewer of them, the same output has
another score. With a single input all weights are 0 and there is no score. No stemming, unlike in the
paper.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from neurologic.experiments.metrics import tokens
from neurologic.experiments.metrics.base import Corpus, Mean, Numbers
from neurologic.experiments.metrics.requirements import UnavailableError

NGram = tuple[str, ...]

ORDER = 4
SIGMA = 6.0  # of the Gaussian penalty on the difference of lengths, in words


@dataclass(frozen=True)
class Weighted:
    """A text as vectors, one per n, with their norms and the text's length."""

    vectors: tuple[dict[NGram, float], ...]
    norms: tuple[float, ...]
    length: int


@dataclass(frozen=True)
class Cider(Mean):
    """CIDEr-D with rows (mean cosine, 1)."""

    name: ClassVar[str] = "cider"
    title: ClassVar[str] = "CIDEr"

    def statistics(self, texts: Corpus) -> Numbers:
        if len(texts) < 2:
            raise UnavailableError("CIDEr weighs n-grams by how many inputs have them: it needs two or more")
        references = [[_counted(one) for one in several] for several in texts.reference_tokens]
        weights = _Weights(references)
        rows = []
        for output, several in zip(texts.output_tokens, references, strict=True):
            vectors = weights(_counted(output))
            cosines = [_similarity(vectors, weights(reference)) for reference in several]
            rows.append((sum(cosines) / len(cosines), 1.0))
        return np.array(rows, dtype=np.float64)

    def settings(self) -> str:
        return f"variant:D|n:{ORDER}|sigma:{SIGMA:g}|idf:references|case:mixed|{tokens.signature()}"


class _Weights:
    """The weight of every n-gram: log(inputs / inputs that have it in a reference)."""

    def __init__(self, references: Sequence[Sequence[Counter[NGram]]]) -> None:
        self._inputs_with = Counter(
            ngram for several in references for ngram in {ngram for counts in several for ngram in counts}
        )
        self._log_inputs = math.log(len(references))

    def __call__(self, counts: Counter[NGram]) -> Weighted:
        vectors: tuple[dict[NGram, float], ...] = tuple({} for _ in range(ORDER))
        for ngram, count in counts.items():
            weight = self._log_inputs - math.log(max(1, self._inputs_with[ngram]))
            vectors[len(ngram) - 1][ngram] = count * weight
        norms = tuple(math.sqrt(sum(weight**2 for weight in vector.values())) for vector in vectors)
        # COCO's scorer takes the number of pairs for the length; only texts of no and of one word show it.
        return Weighted(vectors, norms, sum(count for ngram, count in counts.items() if len(ngram) == 2))


def _counted(words: Sequence[str]) -> Counter[NGram]:
    return Counter(
        tuple(words[start : start + n]) for n in range(1, ORDER + 1) for start in range(len(words) - n + 1)
    )


def _similarity(output: Weighted, reference: Weighted) -> float:
    """The mean over n of the clipped cosines, reduced by the difference of lengths."""
    cosines = 0.0
    for mine, theirs, norm, other in zip(
        output.vectors, reference.vectors, output.norms, reference.norms, strict=True
    ):
        if norm and other:
            shared = sum(
                min(mine[ngram], theirs[ngram]) * theirs[ngram] for ngram in mine.keys() & theirs.keys()
            )
            cosines += shared / (norm * other)
    difference = output.length - reference.length
    return cosines / ORDER * math.exp(-(difference**2) / (2 * SIGMA**2))
