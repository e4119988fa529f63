"""Compile constraints for one model, and keep the compiled ones that were used last."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeAlias
from weakref import WeakKeyDictionary

from neurologic.errors import ExpressivityError
from neurologic.feasibility.compiled_constraint import CompiledConstraint, compile_clauses, compile_formula
from neurologic.generation.request import Constraint
from neurologic.logic import Clause, Expressivity, Formula, reduce_clauses, to_formula
from neurologic.logic.predicates import Prefer
from neurologic.matching.vocabulary import Vocabulary

# Compiled constraints kept per model, and what all of them may hold together, in entries of about 200 bytes:
# their automata, and the states, steps and plans that they remember. One that remembers more than its share,
# or than its own size, is compiled anew for the next request, so that a formula may serve any number of
# texts. Texts under way keep the one they have.
_KEPT = 256
_HELD = 1_000_000
_REMEMBERED_BY_ONE = 100_000

_Key: TypeAlias = Formula | tuple[tuple[Clause, ...], tuple[Prefer, ...]] | None


class Compiler:
    """Compiles constraints for one vocabulary; thread-safe."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._kept: OrderedDict[_Key, CompiledConstraint] = OrderedDict()
        # Constraints that callers hold themselves, and the ones that serve in their place.
        self._successors: WeakKeyDictionary[CompiledConstraint, CompiledConstraint] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def compile(self, constraint: Constraint | CompiledConstraint) -> CompiledConstraint:
        """Compile a constraint; raise for contradictions and for phrases that the model cannot spell."""
        if not isinstance(constraint, CompiledConstraint):
            formula = to_formula(constraint)
            return self._remembered(formula, lambda: compile_formula(formula, self._vocabulary))
        if constraint.vocabulary is not self._vocabulary:
            raise ValueError("this constraint was compiled for another tokenizer; compile it with this model")
        return self._serving(constraint)

    def _serving(self, held: CompiledConstraint) -> CompiledConstraint:
        """Return a caller's own constraint, or a new one in its place if it cannot serve again."""
        if held.follows_predicates:
            return held.renewed()
        with self._lock:
            serving = self._successors.get(held, held)
        if _may_serve_again(serving):
            return serving
        renewed = serving.renewed()
        with self._lock:
            self._successors[held] = renewed
        return renewed

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
            if known is not None and _may_serve_again(known):
                self._kept.move_to_end(key)
                self._forget()
                return known
        made = make()  # outside the lock: compiling may take a while
        if made.follows_predicates:
            return made  # its plans depend on those found before, so no two texts share it
        with self._lock:
            other = self._kept.get(key)
            if other is None or other is known:
                self._kept[key] = made
            else:
                made = other  # another thread was faster
            self._kept.move_to_end(key)
            self._forget()
        return made

    def _forget(self) -> None:
        """Drop the constraints that were used longest ago, as far as the bounds demand."""
        held = sum(map(_held_by, self._kept.values()))
        while len(self._kept) > 1 and (len(self._kept) > _KEPT or held > _HELD):
            held -= _held_by(self._kept.popitem(last=False)[1])


def _may_serve_again(constraint: CompiledConstraint) -> bool:
    return constraint.remembered <= _REMEMBERED_BY_ONE + constraint.size


def _held_by(constraint: CompiledConstraint) -> int:
    return constraint.size + constraint.remembered
