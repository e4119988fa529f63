"""Scenario (d): from no clause to 3,000, against one; and 3,000 negatives that were never seen before."""

from __future__ import annotations

from collections.abc import Iterator

from neurologic.experiments.bench.figures import Values, bookkeeping_per_step, time_ratios
from neurologic.experiments.bench.results import Measured
from neurologic.experiments.bench.scenarios.scenario import Scenario
from neurologic.experiments.bench.scenarios.texts import REQUIRED_PROMPT, formula_of, negatives
from neurologic.experiments.bench.workload import REFERENCE, CountTokens, Size, Workload

ALL_NEGATIVE = "3,000 negatives"
COMPILING = f"{ALL_NEGATIVE}: compiling"
FIRST_BOOKKEEPING = f"{ALL_NEGATIVE}: bookkeeping per step, first run"
# The negatives are words that no other formula of the sweep forbids, so that they are new when compiled.
_START = 4_000


def name_of_count(count: int) -> str:
    """Name a formula of the sweep by its number of clauses.

    >>> name_of_count(1), name_of_count(3000)
    ('1 clause', '3,000 clauses')
    """
    return f"{count:,} clause" + ("" if count == 1 else "s")


ONE_CLAUSE = name_of_count(1)


def _workloads(size: Size, _: CountTokens) -> list[Workload]:
    formulas = {name_of_count(count): (formula_of(count),) for count in size.clauses}
    formulas[ALL_NEGATIVE] = (negatives(3_000, _START),)
    return [
        Workload(
            "d",
            f"many clauses, 8 beams, {size.tokens} tokens",
            (REQUIRED_PROMPT,),
            formulas,
            num_beams=8,
            max_new_tokens=size.tokens,
            times=size.sweeps,
        )
    ]


def _figures(workload: Measured) -> Iterator[Values]:
    one_clause = workload.sides[ONE_CLAUSE]
    for side, series in workload.sides.items():
        if side not in (ONE_CLAUSE, REFERENCE):
            yield f"{side} ÷ {ONE_CLAUSE}", "ratio", time_ratios(series, one_clause)
    yield f"{ONE_CLAUSE} ÷ {REFERENCE}", "ratio", time_ratios(one_clause, workload.sides[REFERENCE])
    negative = workload.sides.get(ALL_NEGATIVE)
    if negative is not None and negative.compiling is not None:
        yield COMPILING, "ms", [1000 * negative.compiling]
        yield FIRST_BOOKKEEPING, "ms", bookkeeping_per_step([negative.first])


SCENARIO = Scenario(
    "number of clauses from 0 to 3,000, 8 beams",
    "d",
    _workloads,
    _figures,
    {
        ("d", f"{name_of_count(1_000)} ÷ {ONE_CLAUSE}"): 1.10,
        ("d", f"{ALL_NEGATIVE} ÷ {ONE_CLAUSE}"): 1.15,
        ("d", COMPILING): 60.0,
        ("d", FIRST_BOOKKEEPING): 0.15,
    },
)
