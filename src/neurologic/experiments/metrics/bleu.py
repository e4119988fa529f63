"""BLEU (Papineni et al., 2002) over a whole corpus, without smoothing, on CommonGen's tokens.

sacrebleu counts and computes, with its tokenizer switched off; the reference of the nearest length counts for
brevity. The result equals the BLEU of COCO's scorer. The unsmoothed BLEU of single inputs is nearly always 0,
so `per_input` is smoothed with sacrebleu's default ("exp"): sort by it, do not publish it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from neurologic.experiments.metrics import commongen_tokens
from neurologic.experiments.metrics.base import Corpus, Goal, Numbers
from neurologic.experiments.metrics.optional_packages import package, version


@dataclass(frozen=True)
class Bleu:
    """BLEU-n with rows (length, length of the nearest reference, n × matches, n × n-grams)."""

    order: int = 4
    goal: ClassVar[Goal] = Goal.HIGH
    digits: ClassVar[int] = 1
    unit: ClassVar[str] = ""

    @property
    def name(self) -> str:
        return f"bleu_{self.order}"

    @property
    def title(self) -> str:
        return f"BLEU-{self.order}"

    def statistics(self, texts: Corpus) -> Numbers:
        counter = _sacrebleu()(
            max_ngram_order=self.order,
            tokenize="none",
            force=True,  # no warning that the texts look tokenised: they are
            effective_order=True,  # changes no count, but without it every sentence gives a warning
        )
        rows = []
        for output, references in zip(texts.output_tokens, texts.reference_tokens, strict=True):
            counted = counter.sentence_score(" ".join(output), list(map(" ".join, references)))
            rows.append((counted.sys_len, counted.ref_len, *counted.counts, *counted.totals))
        return np.array(rows, dtype=np.float64)

    def value(self, totals: Numbers) -> float:
        return self._formula(totals, smooth_method="none")

    def value_of_one(self, row: Numbers) -> float:
        return self._formula(row, smooth_method="exp", effective_order=True)

    def _formula(self, totals: Numbers, **how: Any) -> float:
        length, reference_length, *counts = (int(number) for number in totals)
        score = _sacrebleu().compute_bleu(
            correct=counts[: self.order],
            total=counts[self.order :],
            sys_len=length,
            ref_len=reference_length,
            max_ngram_order=self.order,
            **how,
        )
        return float(score.score)

    def settings(self) -> str:
        how = "case:mixed|smooth:none|per-input:exp"
        return f"{how}|{commongen_tokens.signature()}|sacrebleu:{version('sacrebleu')}"


def _sacrebleu() -> Any:
    return package("sacrebleu.metrics").BLEU
