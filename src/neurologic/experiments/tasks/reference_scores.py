"""Score texts by the metrics that compare them with references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from neurologic.experiments.tasks.base import Item

if TYPE_CHECKING:
    from neurologic.experiments.metrics import Corpus, Score

# Packages of the metrics that compare texts with references, with their extra.
PACKAGES: Mapping[str, str] = dict.fromkeys(("pycocoevalcap", "sacrebleu", "spacy"), "metrics")


def corpus_of(
    outputs: Sequence[str], items: Sequence[Item], concepts: Sequence[Sequence[str]] | None = None
) -> Corpus:
    """Return outputs beside their items' references, which may be missing."""
    from neurologic.experiments.metrics import Corpus
    from neurologic.experiments.metrics.commongen_tokens import normalised

    return Corpus(
        tuple(map(normalised, outputs)),
        tuple(tuple(map(normalised, item.references)) for item in items),
        None if concepts is None else tuple(map(tuple, concepts)),
    )


def reference_scores(texts: Corpus, items: Sequence[Item]) -> list[Score]:
    """Score texts by every metric but coverage, which each task defines for itself.

    If an item has no references, all scores are n/a: one of the others alone would look like one of all.
    """
    from neurologic.experiments.metrics import METRICS, Score, measure

    metrics = [metric for name, metric in METRICS.items() if name != "coverage"]
    missing = [item.title for item in items if not item.references]
    if not missing:
        return [measure(metric, texts) for metric in metrics]
    reason = "the data has no references" if len(missing) == len(items) else f"{missing[0]} has no references"
    return [Score(metric, None, reason=reason) for metric in metrics]
