"""A formula compiled for one vocabulary: everything that a search needs to know about it.

Compiling finds contradictions and phrases that the model cannot spell, before the model runs. The result is
reusable and thread-safe.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import NamedTuple

from neurologic.bounded_table import BoundedTable
from neurologic.errors import BudgetError, UnspellableError
from neurologic.feasibility.lower_bound import fewest_tokens_for_lengths, fewest_tokens_needed
from neurologic.feasibility.planner import Planner
from neurologic.feasibility.rooms import MUCH_ROOM, Rooms
from neurologic.limits import current_limits, time_limit
from neurologic.logic import (
    Atom,
    Clause,
    Formula,
    Phrase,
    containment,
    require_consistent,
    split_wishes,
    to_clauses,
)
from neurologic.logic.clauses import Literal
from neurologic.logic.occurrence import places_in_tokens
from neurologic.logic.predicates import Prefer, Regex, UnitCount
from neurologic.matching.advancing_tokens import AdvancingTokens
from neurologic.matching.clause_tracker import ClauseTracker, Status, bits
from neurologic.matching.matcher import Matcher
from neurologic.matching.predicates.build import machine_of
from neurologic.matching.predicates.joint_automaton import helper_of
from neurologic.matching.predicates.text_automaton import TextAutomaton
from neurologic.matching.vocabulary import TokenIds, Vocabulary

# A search for one text makes some hundred to some thousand outlooks.
_KEPT_OUTLOOKS = 20_000
# An outlook and the status in it, for estimates of memory in entries of about 200 bytes.
_ENTRIES_PER_OUTLOOK = 5
# So many characters of an expression have to be there before a text counts as inside of it.
_CHARACTERS_OF_EXPRESSION = 2


class Outlook(NamedTuple):
    """The prospects of a partial text.

    status      the states of the clauses; provisional phrases count where they help
    would_fail  whether a clause would be irreversibly unsatisfied if the text ended here
    fraction    the largest matched fraction of a phrase that a clause in S1 wants; for a phrase with `times`,
                the fraction of all required occurrences
    inside      whether such a phrase, or a required expression, is partly written
    wished      the weights of the wishes that are true by now, and parts of those that are partly written
    """

    status: Status
    would_fail: bool
    fraction: float
    inside: bool
    wished: float = 0.0


@dataclass(frozen=True, eq=False)
class CompiledConstraint:
    """A formula's clauses with their matcher, clause states and payment plans."""

    clauses: tuple[Clause, ...]
    matcher: Matcher
    tracker: ClauseTracker
    planner: Planner
    vocabulary: Vocabulary
    _renew: Callable[[], CompiledConstraint] = field(repr=False)
    _advancing: AdvancingTokens = field(repr=False)
    rooms: Rooms | None = None
    wishes: tuple[Prefer, ...] = ()
    _outlooks: BoundedTable[tuple[int, int], Outlook] = field(
        default_factory=lambda: BoundedTable(_KEPT_OUTLOOKS), repr=False
    )

    @property
    def remembered(self) -> int:
        """How much the tables of states, steps and plans hold, in entries of about 200 bytes.

        A state is a number that texts under way refer to, so these tables cannot forget. `renewed` begins
        anew instead.
        """
        outlooks = _ENTRIES_PER_OUTLOOK * len(self._outlooks)
        return self.matcher.remembered + self.planner.remembered + outlooks

    @property
    def size(self) -> int:
        """How large it is before any text, in the same entries."""
        return self.matcher.size

    @property
    def follows_predicates(self) -> bool:
        """Whether it has predicates or wishes beside phrases."""
        return self.matcher.joint is not None

    def for_one_text(self) -> CompiledConstraint:
        """Return the same constraint with no plans found yet, so that a text depends on no other.

        With predicates no two texts share a constraint anyway.
        """
        return self if self.follows_predicates else replace(self, planner=self.planner.for_one_text())

    def renewed(self) -> CompiledConstraint:
        """Return the same constraint with empty tables, for further texts."""
        return self._renew()

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        return self.matcher.phrases

    def status(self, state: int, found: int) -> Status:
        """Return the clauses' status of a partial text; provisional phrases count where they help."""
        return self.tracker.status(found, self.matcher.provisional(state), self.matcher.verdict(state))

    def settled(self, state: int, found: int) -> Status:
        """Return the clauses' status of a partial text as if provisional phrases were absent."""
        return self.tracker.status(found, 0, self.matcher.verdict(state))

    def present(self, state: int, found: int) -> int:
        """Return the phrases and predicates that are true of a text which ends here."""
        return found | self.matcher.provisional(state) | self.matcher.verdict(state).true

    def outlook(self, state: int, found: int) -> Outlook:
        """Return the prospects of a partial text; remember them for all steps, inputs and runs."""
        known = self._outlooks.get((state, found))
        if known is None:
            provisional = self.matcher.provisional(state)
            status = self.status(state, found)
            written = self._written_of_expressions(state)
            known = self._outlooks[state, found] = Outlook(
                status,
                would_fail=bool(provisional) and self._fails_at_end(state, found),
                fraction=max(written, *self._paid_fractions(state, status.wanted), 0.0),
                inside=written > 0 or self.matched_fraction(state, status.wanted) > 0,
                wished=self.wished(state),
            )
        return known

    def _fails_at_end(self, state: int, found: int) -> bool:
        """Return whether provisional phrases, settled by the end of the text, break a clause."""
        settled = found | self.matcher.provisional(state)
        return self.tracker.status(settled, 0, self.matcher.verdict(state)).failed

    def room(self, state: int) -> int:
        """Return how many more words a text may have before it is too long, up to `MUCH_ROOM`."""
        if self.rooms is None:
            return MUCH_ROOM
        return self.rooms.of(self.matcher.position(state).predicates)

    def landing(self, state: int) -> tuple[int, ...]:
        """Return how many characters are missing, where the formula asks for a number; else nothing."""
        if self.rooms is None:
            return ()
        return self.rooms.landing(self.matcher.position(state).predicates)

    @cached_property
    def _expressions(self) -> tuple[tuple[int, float], ...]:
        """The place of every required expression among the predicates, and how far it is from the start."""
        if self.matcher.joint is None:
            return ()
        roots = (clause.root for clause in self.clauses)
        required = {root.atom for root in roots if isinstance(root, Literal) and root.positive}
        places = [place for place, atom in enumerate(self.matcher.joint.atoms) if atom in required]
        start = self.matcher.position(self.matcher.start()).predicates
        return tuple(
            (place, self.planner.distance(place, start))
            for place in places
            if _is_expression(self.matcher.joint.atoms[place])
        )

    def _written_of_expressions(self, state: int) -> float:
        """Return the largest share that is written of a required expression, such as a date.

        One character is none: "2" begins many numbers.
        """
        predicates = self.matcher.position(state).predicates
        largest = 0.0
        for place, whole in self._expressions:
            left = self.planner.distance(place, predicates)
            if 0 < left <= whole - _CHARACTERS_OF_EXPRESSION and not math.isinf(whole):
                largest = max(largest, 1 - left / whole)
        return largest

    @cached_property
    def _wish_places(self) -> tuple[int, ...]:
        """The place of every wish among the predicates."""
        atoms = () if self.matcher.joint is None else self.matcher.joint.atoms
        return tuple(atoms.index(wish) for wish in self.wishes)

    def wished(self, state: int) -> float:
        """Return the weights of the wishes that are true of a text, and of others the matched fraction."""
        verdict, total = self.matcher.verdict(state), 0.0
        for place, wish in zip(self._wish_places, self.wishes, strict=True):
            if verdict.true >> len(self.phrases) + place & 1:
                total += wish.weight
            elif verdict.missing[place]:
                total += wish.weight * self.matched_fraction(state, verdict.missing[place])
        return total

    def met_wishes(self, present: int) -> float:
        """Return the weights of the wishes that are among the true predicates of a finished text."""
        places = zip(self._wish_places, self.wishes, strict=True)
        return sum(wish.weight for place, wish in places if present >> len(self.phrases) + place & 1)

    def matched_fraction(self, state: int, wanted: int) -> float:
        """Return the largest matched fraction of a phrase in the bit set `wanted`."""
        return max(
            (fraction for phrase, fraction in self.matcher.progress(state) if wanted >> phrase & 1),
            default=0.0,
        )

    def _paid_fractions(self, state: int, wanted: int) -> Iterator[float]:
        """Yield the matched fractions of wanted phrases; places so far count for phrases with `times`."""
        counted = wanted & self.matcher.counted_phrases
        progress = self.matcher.progress(state)
        yield from (fraction for phrase, fraction in progress if (wanted & ~counted) >> phrase & 1)
        if counted:
            places = dict(self.matcher.counted(state))
            partial = {phrase: fraction for phrase, fraction in progress if fraction < 1}
            for phrase in bits(counted):
                paid = places.get(phrase, 0) + partial.get(phrase, 0.0)
                yield paid / self.phrases[phrase].times

    def advancing(self, state: int, wanted: int) -> TokenIds:
        """Return the tokens that begin or continue one of the wanted phrases."""
        return self._advancing.of(state, wanted)

    def token_phrases(self, tokens: TokenIds) -> frozenset[Phrase]:
        """Return the phrases with match="tokens" that occur in these tokens, which no text shows."""
        return frozenset(
            self.phrases[index]
            for index, ids in self.matcher.token_ids.items()
            if ids and places_in_tokens(ids, tokens) >= self.phrases[index].times
        )

    @cached_property
    def lower_bound(self) -> int:
        """The least number of tokens of any satisfying text."""
        return max(
            fewest_tokens_needed(self.clauses, self.vocabulary.most_words_in_a_token),
            fewest_tokens_for_lengths(self.clauses, self.vocabulary),
        )

    def upper_bound(self, before: str = "") -> int | None:
        """Return U at the start: tokens that surely suffice; None if the planner finds no plan."""
        plan = self.planner.plan(self.matcher.start(before), 0)
        return None if plan is None else len(plan)

    def require_budget(self, max_new_tokens: int) -> None:
        """Refuse a budget in which no text at all can satisfy the formula."""
        if self.lower_bound > max_new_tokens:
            raise BudgetError(
                f"a budget of {max_new_tokens} tokens is too small: any text that satisfies this formula "
                f"needs at least {self.lower_bound} tokens; raise max_new_tokens or require fewer words"
            )


def compile_clauses(
    clauses: Sequence[Clause], vocabulary: Vocabulary, wishes: Sequence[Prefer] = ()
) -> CompiledConstraint:
    """Compile clauses; the caller has checked that they are consistent."""
    with time_limit():
        return _compiled(clauses, vocabulary, wishes)


def _compiled(
    clauses: Sequence[Clause], vocabulary: Vocabulary, wishes: Sequence[Prefer]
) -> CompiledConstraint:
    atoms = dict.fromkeys(literal.atom for clause in clauses for literal in clause.literals)
    literals = dict.fromkeys(atom for atom in atoms if isinstance(atom, Phrase) and atom.unless is None)
    predicates = {atom: TextAutomaton(machine_of(atom)) for atom in (*atoms, *wishes) if atom not in literals}
    inside = (phrase for automaton in predicates.values() for phrase in automaton.machine.phrases())
    phrases = tuple(dict.fromkeys((*literals, *map(helper_of, inside))))
    helpers = sum(1 << number for number in range(len(literals), len(phrases)))
    tracker = ClauseTracker(clauses, phrases, tuple(predicates), helpers)
    limits = current_limits()
    owed = sum(phrases[number].times - 1 for number in bits(tracker.wanted))
    limits.require("occurrences", owed, "the formula")
    limits.require("automaton_states", sum(len(phrase.text) + 2 for phrase in phrases), "the formula")
    matcher = Matcher(phrases, vocabulary, tracker.wanted, predicates)
    contained = containment(phrases)
    index = {phrase: number for number, phrase in enumerate(phrases)}
    implied = [
        1 << number | sum(1 << index[other] for other in contained.get(phrase, ()) if other != phrase)
        for phrase, number in index.items()
    ] + [1 << number for number in range(len(phrases), len(phrases) + len(predicates))]
    planner = Planner(matcher, tracker, implied)
    _require_spellable(matcher, planner, tracker)
    rooms = Rooms.of_clauses(clauses, matcher.joint)
    renew = partial(compile_clauses, clauses, vocabulary, wishes)
    advancing = AdvancingTokens(matcher)
    return CompiledConstraint(
        tuple(clauses), matcher, tracker, planner, vocabulary, renew, advancing, rooms, tuple(wishes)
    )


def compile_formula(formula: Formula | None, vocabulary: Vocabulary) -> CompiledConstraint:
    """Compile a formula (None: no constraint) for a vocabulary."""
    with time_limit():
        required, wishes = split_wishes(formula)
        clauses = () if required is None else to_clauses(required)
        require_consistent(clauses)
        return compile_clauses(clauses, vocabulary, wishes)


def _is_expression(atom: Atom) -> bool:
    """Return whether a predicate asks for an expression somewhere, or for a word that matches one."""
    if isinstance(atom, UnitCount):
        return atom.notation == "some" and atom.unit == "word" and isinstance(atom.part, Regex)
    return isinstance(atom, Regex) and not atom.whole


def _require_spellable(matcher: Matcher, planner: Planner, tracker: ClauseTracker) -> None:
    """Report clauses that need a phrase which the model has no tokens for."""
    if planner.solvable(matcher.verdict(matcher.start()).true):
        return
    missing = [
        str(phrase)
        for number, phrase in enumerate(matcher.phrases)
        if tracker.wanted >> number & 1 and planner.usual_spelling(number) is None
    ]
    if missing:
        raise UnspellableError(
            f"the model's vocabulary cannot spell {', '.join(missing)}, and without it the formula cannot be "
            "satisfied; use another spelling, or case=fold if only the capitals are missing"
        )
