"""CIDEr (Vedantam et al., 2015), in the form "CIDEr-D" that COCO's scorer calls CIDEr, on CommonGen's tokens.

For each n from 1 to 4 a text is a vector of its n-grams, weighted by how few inputs have them in their
references (tf-idf). The score of an output is the mean, over n and the references, of the cosine to the
reference, with counts clipped to the reference's and a penalty on the difference of lengths. COCO multiplies
it by 10, and tables by another 10. pycocoevalcap's program computes it.

The weights come from the references at hand, so the same output has another score among other inputs. With a
single input all weights are 0 and there is no score. No stemming, unlike in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from neurologic.experiments.metrics import commongen_tokens
from neurologic.experiments.metrics.base import Corpus, Mean, Numbers
from neurologic.experiments.metrics.optional_packages import UnavailableError, package

ORDER = 4
SIGMA = 6.0  # width of the Gaussian length penalty, in words


@dataclass(frozen=True)
class Cider(Mean):
    """CIDEr-D with rows (mean cosine, 1)."""

    name: ClassVar[str] = "cider"
    title: ClassVar[str] = "CIDEr"
    unit: ClassVar[str] = "CIDEr × 10"

    def statistics(self, texts: Corpus) -> Numbers:
        if len(texts) < 2:
            raise UnavailableError("CIDEr weighs n-grams by how many inputs have them: it needs two or more")
        scorer = package("pycocoevalcap.cider.cider_scorer").CiderScorer(n=ORDER, sigma=SIGMA)
        for output, references in zip(texts.output_tokens, texts.reference_tokens, strict=True):
            scorer += (" ".join(output), [" ".join(reference) for reference in references])
        has_words = any(any(references) for references in texts.reference_tokens)  # or the scorer fails
        scores = scorer.compute_score()[1] if has_words else np.zeros(len(texts))
        return np.column_stack((scores / 10, np.ones(len(texts))))

    def settings(self) -> str:
        return f"variant:D|n:{ORDER}|sigma:{SIGMA:g}|idf:references|case:mixed|{commongen_tokens.signature()}"
