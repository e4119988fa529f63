"""Compile constraints for one model, and keep the compiled ones that were used last."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeAlias

from neurologic.errors import ExpressivityError
from neurologic.feasibility.compiled_constraint import CompiledConstraint, compile_clauses, compile_formula
from neurologic.generation.request import Constraint
from neurologic.logic import Clause, Expressivity, Formula, reduce_clauses, to_formula
from neurologic.logic.predicates import Prefer
from neurologic.matching.vocabulary import Vocabulary

# Compiled constraints kept per model; one of some clauses with its remembered plans takes some hundred kB.
_KEPT = 256

_Key: TypeAlias = Formula | tuple[tuple[Clause, ...], tuple[Prefer, ...]] | None


class Compiler:
    """Compiles constraints for one vocabulary; thread-safe."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._kept: OrderedDict[_Key, CompiledConstraint] = OrderedDict()
        self._lock = threading.Lock()

    def compile(self, constraint: Constraint | CompiledConstraint) -> CompiledConstraint:
        """Compile a constraint; raise for contradictions and for phrases that the model cannot spell."""
        if not isinstance(constraint, CompiledConstraint):
            formula = to_formula(constraint)
            return self._remembered(formula, lambda: compile_formula(formula, self._vocabulary))
        if constraint.vocabulary is not self._vocabulary:
            raise ValueError("this constraint was compiled for another tokenizer; compile it with this model")
        return constraint

    def reduce(
        self, whole: CompiledConstraint, decoder: str, expresses: Expressivity, *, allowed: bool
    ) -> tuple[CompiledConstraint, str]:
        """Return the part of a constraint that a decoder can express, and the rule that reduced it.

        The rule is "" where the decoder can express all of it. Unless reducing is `allowed`, raise an
        `ExpressivityError` that names the clauses which it cannot express.
        """
        inexpressible = [clause for clause in whole.clauses if not expresses.covers(clause)]
        if not inexpressible:
            return whole, ""
        if not allowed:
            named = ", ".join(clause.text for clause in inexpressible[:5])
            more = f" and {len(inexpressible) - 5} more" if len(inexpressible) > 5 else ""
            raise ExpressivityError(
                f"the decoder {decoder} expresses {expresses.value}, and cannot obey {named}{more}; "
                "use neurologic, or reduce the formula (reduce=True, --reduce)"
            )
        reduction = reduce_clauses(whole.clauses, expresses)
        return self.compile_clauses(reduction.clauses), reduction.label

    def compile_clauses(
        self, clauses: tuple[Clause, ...], wishes: tuple[Prefer, ...] = ()
    ) -> CompiledConstraint:
        """Compile clauses that are known to be consistent, and wishes."""
        key = (clauses, wishes)
        return self._remembered(key, lambda: compile_clauses(clauses, self._vocabulary, wishes))

    def _remembered(self, key: _Key, make: Callable[[], CompiledConstraint]) -> CompiledConstraint:
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
                return known
        made = make()  # outside the lock: compiling may take a while
        with self._lock:
            made = self._kept.setdefault(key, made)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return made
