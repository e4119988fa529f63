"""What scores against references do not say of a run: verdicts, force, repetition, likelihood, cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from neurologic.experiments.comparison.words import FUNCTION_WORDS, repetition
from neurologic.experiments.runs.predictions import Prediction
from neurologic.logic import ClauseReport, Formula, check


@dataclass(frozen=True)
class Figures:
    """Of one run; shares are in percent, and None stands for nothing to count, or for what is not known.

    formula            by which rule formulas were reduced for the decoder, "whole" where they were not
    texts              texts written
    failed             inputs without a text, whose outputs are scored as empty ones
    clauses_satisfied  share of the clauses of the whole formulas, of those that ask for words: thousands of
                       forbidden words, which an empty text keeps as well, would hide the rest
    broken             share of texts that break one of the other clauses
    texts_satisfied    share of texts with every clause satisfied
    forced             share of texts with tokens forced by the payment plan
    cut_off            share of texts that ended at the limit of length or time
    repetition         1 − different words / words inside a text, function words left out, mean over texts
    words              words a text
    log_likelihood     mean over texts of log-likelihood / tokens, in nats
    calls              model calls per text
    seconds            per text
    """

    formula: str
    texts: int
    failed: int
    clauses_satisfied: float | None
    broken: float | None
    texts_satisfied: float | None
    forced: float | None
    cut_off: float | None
    repetition: float | None
    words: float | None
    log_likelihood: float | None
    calls: float | None
    seconds: float | None

    def to_json(self) -> dict[str, Any]:
        return {
            name: round(value, 4) if isinstance(value, float) else value
            for name, value in asdict(self).items()
        }


@dataclass(frozen=True)
class Column:
    """A figure in a table: its heading, what it means in a line, its name, and the digits after its point."""

    heading: str
    meaning: str
    name: str
    digits: int

    def value(self, figures: Figures) -> float | None:
        value = getattr(figures, self.name)
        return None if value is None else float(value)

    def shown(self, figures: Figures) -> str:
        value = self.value(figures)
        return "-" if value is None else f"{value:.{self.digits}f}"


COLUMNS = (
    Column("clauses %", "clauses satisfied, of those that ask for words", "clauses_satisfied", 1),
    Column("broken %", "texts that break a clause that asks for nothing", "broken", 1),
    Column("texts %", "texts with every clause satisfied", "texts_satisfied", 1),
    Column("forced %", "texts with tokens forced by the payment plan", "forced", 1),
    Column("rep-1 %", "words that repeat one of the same text, without a, the, …", "repetition", 1),
    Column("words", "words a text", "words", 1),
    Column("calls/text", "model calls per text", "calls", 0),
    Column("s/text", "seconds per text", "seconds", 2),
)


@lru_cache(maxsize=4096)  # several systems have the same inputs
def asking_clauses(formula: Formula | None) -> frozenset[str]:
    """The clauses that ask for words: those that an empty text does not satisfy."""
    clauses = check(formula, "", occurred=lambda phrase: False)
    return frozenset(clause.text for clause in clauses if not clause.satisfied)


def figures_of(predictions: Sequence[Prediction], asking: Sequence[frozenset[str]]) -> Figures:
    """The figures of a run; of outputs that another program wrote, those that can be known.

    `asking` are the clauses of each prediction that ask for words.
    """
    texts = [one for one in predictions if not one.error]
    asked: list[list[ClauseReport]] = []
    kept: list[list[ClauseReport]] = []
    for one, wanted in zip(predictions, asking, strict=True):
        asked.append([clause for clause in one.clauses if clause.text in wanted])
        kept.append([clause for clause in one.clauses if clause.text not in wanted])
    costs = [one.cost for one in texts if one.cost is not None]
    return Figures(
        formula=_formula(cost.reduced for cost in costs),
        texts=len(texts),
        failed=len(predictions) - len(texts),
        clauses_satisfied=_percent(clause.satisfied for clauses in asked for clause in clauses),
        broken=_percent(not all(clause.satisfied for clause in clauses) for clauses in kept if clauses),
        texts_satisfied=_percent(not one.unmet for one in texts if one.clauses),
        forced=_percent(cost.forced > 0 for cost in costs),
        cut_off=_percent(cost.ending in ("length", "time") for cost in costs),
        repetition=_percent(repetition(one.output, 1, FUNCTION_WORDS) for one in texts),
        words=_mean(len(one.output.split()) for one in texts),
        log_likelihood=_mean(cost.logprob / cost.tokens for cost in costs if cost.tokens),
        calls=_mean(cost.calls for cost in costs),
        seconds=_mean(cost.seconds for cost in costs),
    )


def _formula(labels: Iterable[str]) -> str:
    """The label of the reduction; with counts where inputs differ; nothing where it is not known."""
    counts = Counter(label or "whole" for label in labels)
    if len(counts) < 2:
        return next(iter(counts), "")
    return "; ".join(f"{label} ({count})" for label, count in counts.items())


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return sum(listed) / len(listed) if listed else None


def _percent(values: Iterable[float]) -> float | None:
    share = _mean(values)
    return None if share is None else 100 * share
