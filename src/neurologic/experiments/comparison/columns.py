"""The columns of the table: one list for the terminal, the page and the help text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from neurologic.experiments.comparison.figures import Figures

NOTHING = "-"


@dataclass(frozen=True)
class Column:
    """A figure: its heading, what it means in a line, and how it is written."""

    heading: str
    meaning: str
    shown: Callable[[Figures], str]
    is_number: bool = True


def _number(name: str, digits: int) -> Callable[[Figures], str]:
    def shown(figures: Figures) -> str:
        value = getattr(figures, name)
        return NOTHING if value is None else f"{value:.{digits}f}"

    return shown


def _texts(figures: Figures) -> str:
    """The number of texts, and why some are missing.

    >>> _texts(Figures("whole", 3, refused=2)), _texts(Figures("whole", 5))
    ('3, refused: 2', '5')
    """
    parts = [str(figures.texts)]
    parts += [f"refused: {figures.refused}"] if figures.refused else []
    parts += [f"failed: {figures.failed}"] if figures.failed else []
    return ", ".join(parts)


COLUMNS = (
    Column(
        "formula",
        "whole, or the rule that reduced it to what the decoder can express",
        lambda figures: figures.formula or NOTHING,
        is_number=False,
    ),
    Column("texts", "texts written; refused: the decoder cannot express the formula", _texts, False),
    Column("clauses %", "clauses satisfied, of all clauses", _number("clauses_satisfied", 1)),
    Column("texts %", "texts with every clause satisfied", _number("texts_satisfied", 1)),
    Column(
        "nats/token",
        "log-likelihood per token under the model, mean over texts",
        _number("log_likelihood", 3),
    ),
    Column("dist-1 %", "different words / words, all texts together", _number("distinct_1", 1)),
    Column("dist-2 %", "the same for pairs of words", _number("distinct_2", 1)),
    Column(
        "rep-1 %", "words that repeat one of the same text, without a, the, …", _number("repetition_1", 1)
    ),
    Column("rep-2 %", "pairs of words that repeat one of the same text", _number("repetition_2", 1)),
    Column("s/text", "seconds per text", _number("seconds", 2)),
    Column(
        "calls/text",
        "texts that the model read one token further, per text; for cgmh and gradient sentences judged",
        _number("calls", 0),
    ),
    Column("reused", "look-ahead steps per text that needed no such call", _number("reused", 0)),
    Column("forced %", "texts with tokens forced by the payment plan", _number("forced", 1)),
    Column("cut off %", "texts that ended at the limit of length or time", _number("cut_off", 1)),
)
