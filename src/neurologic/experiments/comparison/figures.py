"""The figures of one decoder over its texts.

Texts that were refused or failed count in no figure but their own: compare decoders that wrote equally many.
Log-likelihoods are those of the search (`Result.logprob`), which are the model's own as long as no logits
processor changes scores; masks (forbidden special tokens, n-gram blocking) do not change them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from neurologic.experiments.comparison.attempts import Attempt
from neurologic.experiments.comparison.words import FUNCTION_WORDS, distinct, repetition
from neurologic.generation.result import Result

WHOLE = "whole"


@dataclass(frozen=True)
class Figures:
    """One row of the table; shares are in percent, and None stands for nothing to count.

    formula            by which rule formulas were reduced for the decoder, "whole" where they were not
    texts              texts written
    refused            inputs whose formula the decoder cannot express
    failed             inputs that failed otherwise
    clauses_satisfied  share of all clauses of the whole formulas
    texts_satisfied    share of texts with every clause satisfied
    log_likelihood     mean over texts of log-likelihood / tokens, end token included, in nats
    distinct_1, _2     different n-grams of words / n-grams, all texts together
    repetition_1       1 − different words / words inside a text, function words left out, mean over texts
    repetition_2       the same for pairs of words, function words included
    seconds            per text: the time of its batch / texts of the batch
    calls              per text: texts that the model read one token further (editing: sentences judged)
    reused             per text: steps of a look-ahead that needed no such call
    forced             share of texts with tokens forced by the payment plan
    cut_off            share of texts that ended at the limit of length or time
    """

    formula: str
    texts: int
    refused: int = 0
    failed: int = 0
    clauses_satisfied: float | None = None
    texts_satisfied: float | None = None
    log_likelihood: float | None = None
    distinct_1: float | None = None
    distinct_2: float | None = None
    repetition_1: float | None = None
    repetition_2: float | None = None
    seconds: float | None = None
    calls: float | None = None
    reused: float | None = None
    forced: float | None = None
    cut_off: float | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            name: round(value, 4) if isinstance(value, float) else value
            for name, value in asdict(self).items()
        }


def figures_of(attempts: Sequence[Attempt]) -> Figures:
    """The figures of a decoder."""
    results = [attempt.result for attempt in attempts if isinstance(attempt.result, Result)]
    refused = sum(attempt.refused for attempt in attempts)
    texts = [result.text for result in results]
    clauses = [clause.satisfied for result in results for clause in result.clauses]
    return Figures(
        formula=_formula(results),
        texts=len(results),
        refused=refused,
        failed=len(attempts) - len(results) - refused,
        clauses_satisfied=_percent(_mean(clauses)),
        texts_satisfied=_percent(_mean(result.satisfied for result in results if result.clauses)),
        log_likelihood=_mean(result.logprob / len(result.tokens) for result in results if result.tokens),
        distinct_1=_percent(distinct(texts, 1)),
        distinct_2=_percent(distinct(texts, 2)),
        repetition_1=_percent(_mean(repetition(text, 1, FUNCTION_WORDS) for text in texts)),
        repetition_2=_percent(_mean(repetition(text, 2) for text in texts)),
        seconds=_mean(attempt.seconds for attempt in attempts if isinstance(attempt.result, Result)),
        calls=_mean(result.calls for result in results),
        reused=_mean(result.reused for result in results),
        forced=_percent(_mean(result.forced > 0 for result in results)),
        cut_off=_percent(_mean(result.ending in ("length", "time") for result in results)),
    )


def _formula(results: Iterable[Result]) -> str:
    """The label of the reduction; with counts where inputs differ."""
    labels = Counter(result.reduced or WHOLE for result in results)
    if len(labels) < 2:
        return next(iter(labels), "")
    return "; ".join(f"{label} ({count})" for label, count in labels.items())


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return sum(listed) / len(listed) if listed else None


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
