"""The rules by which a beam drops candidates. A decoder names the one it starts with."""

from __future__ import annotations

from enum import Enum


class Rule(Enum):
    """The candidates that the beam drops, and when a text may end.

    The first four are for decoders with a payment plan: each drops less, and promises less, than the one
    before it. The last two are for decoders without plans.
    """

    BUDGET = "drop candidates whose payment plan does not fit into the budget: the guarantee"
    SOLVABLE = "drop candidates without any payment plan: best effort"
    LAWFUL = "drop candidates with a clause in S2: write nothing forbidden"
    ANYTHING = "drop none, for one step in which nothing else is left"
    UNPLANNED = "drop none, but let a text end only when all clauses hold"
    FREE = "drop none, not even special tokens; a text may end at any time"


# The rules that refuse stop strings in texts that still owe something.
PLANNED = (Rule.BUDGET, Rule.SOLVABLE)
# The next rule where one leaves no candidate.
RELAXED = {Rule.BUDGET: Rule.SOLVABLE, Rule.SOLVABLE: Rule.LAWFUL, Rule.LAWFUL: Rule.ANYTHING}
