"""Metrics of generated text against references, one file each, made to give the figures that papers print.

>>> from neurologic.experiments.metrics import score
>>> scores = score(["A dog runs."], [["The dog runs fast."]], [["dog", "run"]], names=["coverage", "rouge_l"])
>>> [each.name for each in scores]
['coverage', 'rouge_l']

A score has a value, a value per input, and a signature that names all it depends on. A metric that lacks a
package, Java or data is n/a, with the reason. `bootstrap.compare` says whether two systems differ. `Fluency`
and `Unlinked` judge texts as they stand, without references. See docs/experiments/metrics.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from neurologic.experiments.metrics.base import Corpus, Goal, Metric, Score, corpus, measure
from neurologic.experiments.metrics.bleu import Bleu
from neurologic.experiments.metrics.bootstrap import Difference, Interval, compare, interval
from neurologic.experiments.metrics.cider import Cider
from neurologic.experiments.metrics.coverage import Coverage
from neurologic.experiments.metrics.fluency import Fluency
from neurologic.experiments.metrics.meteor import Meteor
from neurologic.experiments.metrics.optional_packages import UnavailableError
from neurologic.experiments.metrics.right_part_of_speech import RightPartOfSpeech, TaggedCorpus
from neurologic.experiments.metrics.rouge_l import RougeL
from neurologic.experiments.metrics.spice import Spice
from neurologic.experiments.metrics.unlinked import Unlinked

__all__ = [
    "METRICS",
    "Bleu",
    "Cider",
    "Corpus",
    "Coverage",
    "Difference",
    "Fluency",
    "Goal",
    "Interval",
    "Meteor",
    "Metric",
    "RightPartOfSpeech",
    "RougeL",
    "Score",
    "Spice",
    "TaggedCorpus",
    "UnavailableError",
    "Unlinked",
    "compare",
    "corpus",
    "interval",
    "measure",
    "score",
]

# In the order of the paper's tables.
_ALL: tuple[Metric, ...] = (RougeL(), Bleu(3), Bleu(4), Meteor(), Cider(), Spice(), Coverage())
METRICS: dict[str, Metric] = {metric.name: metric for metric in _ALL}


def score(
    outputs: Sequence[str],
    references: Sequence[Sequence[str]],
    concepts: Sequence[Sequence[str]] | None = None,
    names: Iterable[str] = tuple(METRICS),
) -> list[Score]:
    """Score outputs by the named metrics, by default by all.

    references  a list of texts per input
    concepts    per input its words in their base form; without them coverage is n/a
    """
    chosen = list(names)
    unknown = [name for name in chosen if name not in METRICS]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not a metric; choose from {', '.join(METRICS)}")
    texts = corpus(outputs, references, concepts)
    return [measure(METRICS[name], texts) for name in chosen]
