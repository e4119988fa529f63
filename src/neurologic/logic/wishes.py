"""Wishes: what a text should be if it costs little, apart from what it must be.

A wish is `prefer(F, w)`, joined to the whole formula with `&`. It is true of every text, so it makes no
clause; the search adds its weight to the score of texts with F, and reports say whether a text has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neurologic.errors import FormulaError
from neurologic.logic.formula import And, Formula
from neurologic.logic.json_format import to_formula
from neurologic.logic.predicates import Prefer, predicates_of
from neurologic.logic.specification import holds


@dataclass(frozen=True)
class WishReport:
    """A wish, judged on the finished text.

    text    what is wished for, as the user wrote it
    met     whether the text has it
    weight  what it adds to the score, in nats
    """

    text: str
    met: bool
    weight: float

    def to_json(self) -> dict[str, Any]:
        return {"wish": self.text, "met": self.met, "weight": self.weight}

    def __str__(self) -> str:
        return f"wish {'met' if self.met else 'not met'}: {self.text}"


def split_wishes(formula: Formula | None) -> tuple[Formula | None, tuple[Prefer, ...]]:
    """Return what a formula requires (None: nothing), and its wishes; refuse a wish anywhere inside.

    >>> from neurologic.logic.parser import parse
    >>> required, wishes = split_wishes(parse("dog & prefer(park) & !cat"))
    >>> print(required, *wishes)
    dog & !cat prefer(park)
    """
    if formula is None:
        return None, ()
    parts = formula.parts if isinstance(formula, And) else (formula,)
    wishes = tuple(part for part in parts if isinstance(part, Prefer))
    required = tuple(part for part in parts if not isinstance(part, Prefer))
    for part in required:
        for predicate in predicates_of(part):
            if isinstance(predicate, Prefer):
                raise FormulaError(
                    f"{predicate} is a wish; join it to the whole formula with &, not inside {part}"
                )
    if not wishes:
        return formula, ()
    if not required:
        return None, wishes
    return required[0] if len(required) == 1 else And(required), wishes


def judge_wishes(wishes: Iterable[Prefer], text: str, *, before: str = "") -> tuple[WishReport, ...]:
    """Return which wishes a finished text has."""
    return tuple(
        WishReport(str(wish.part), holds(wish.part, text, before=before), wish.weight) for wish in wishes
    )


def check_wishes(
    constraint: Formula | str | Mapping[str, Any] | Sequence[Any] | None, text: str, before: str = ""
) -> tuple[WishReport, ...]:
    """Return one report per wish of a constraint; `check` reports on its clauses.

    >>> [str(report) for report in check_wishes("dog & prefer(park) & prefer(words(..3), 2)", "A dog.")]
    ['wish not met: park', 'wish met: words(..3)']
    """
    return judge_wishes(split_wishes(to_formula(constraint))[1], text, before=before)
