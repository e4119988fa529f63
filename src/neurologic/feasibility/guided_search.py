"""Plans for formulas with predicates: a depth-first search over moves, the most promising first.

A *move* is a short token sequence: a missing phrase, a filler word, punctuation, a line break, a character of
an expression, the rest of a phrase that is partly written. Each move is read through the matcher. What it
leads to is ranked by an estimate of the moves still needed: for every unsatisfied clause the cheapest way to
satisfy it, where the guides know how far each predicate is from the value that it should have.

The search finds a plan in all formulas that a plan of these moves satisfies, unless it runs out of patience.
It is incomplete for formulas that need other words: an expression such as /[^aeiou]{20}/ inside of a word, or
two expressions that only a text between the moves satisfies.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

from neurologic.feasibility.guide import Guide
from neurologic.feasibility.spelling import spellings
from neurologic.logic.clauses import Literal, Node
from neurologic.logic.formula import Atom, Phrase
from neurologic.matching.clause_tracker import ClauseTracker, bits
from neurologic.matching.matcher import Matcher
from neurologic.matching.predicates.joint_automaton import JointAutomaton, helper_of
from neurologic.matching.vocabulary import TokenIds

# Short words that go anywhere, for where a text needs more words; several, since a formula may forbid some.
_FILLERS = (" it", " and", " so", " the", " I", " to", " do", " a", " is", " on", " we", " of", " go", " up")
_KEPT_FILLERS = 4
_PUNCTUATION = (".", ",", "\n", "\n\n", " ", "?", "!", ";", ":", '"', "-")
_USUAL_PUNCTUATION = (".",)
_RUNS = (5, 20)  # fillers in a row, so that long texts take few moves
# Vocabularies with so few tokens are toys; every token of theirs is a move.
_TOY = 64
_CONTINUATIONS = 12  # tokens that make another word of an unfinished one
# Moves that bring a text no nearer to its end: so many in the search for the first plan, and for a later one.
_PATIENCE = 400
_LATER_PATIENCE = 6
# Texts that are further than this from their end fit into no budget.
_MOST_MOVES = 3000


# How often a plan is tried without some of its moves.
_TRIES_TO_SHORTEN = 40

Moves: TypeAlias = tuple[TokenIds, ...]


class Reached(NamedTuple):
    """A text after a move: its state, phrases, and about how many moves are left."""

    left: float
    tokens: TokenIds
    state: int
    found: int


class GuidedSearch:
    """Searches plans for one matcher and its clauses.

    read     returns state and phrases after tokens; None where they are not text or break a clause for good
    may_end  returns whether a text may end
    """

    def __init__(
        self,
        matcher: Matcher,
        joint: JointAutomaton,
        tracker: ClauseTracker,
        ways: Sequence[Sequence[TokenIds]],
        read: Callable[[int, int, TokenIds], tuple[int, int] | None],
        may_end: Callable[[int, int], bool],
    ) -> None:
        self._matcher = matcher
        self._joint = joint
        self._tracker = tracker
        self._ways = ways
        self._read = read
        self._may_end = may_end
        self._bits: dict[Atom, int] = {atom: bit for bit, atom in enumerate((*matcher.phrases, *joint.atoms))}
        self._spelled: dict[bytes, tuple[TokenIds, ...]] = {}
        self._patience = _PATIENCE
        self._estimates: dict[tuple[int, int, int], float] = {}
        self.filler: TokenIds = ()
        self._spare_moves: tuple[TokenIds, ...] = ()
        self._runs: dict[TokenIds, int] = {}
        self._moves = self._all_moves()
        self._guides = [
            Guide(automaton, self._moves_of(automaton.machine.texts(), automaton.machine.phrases()))
            for automaton in joint.automata
        ]

    # -- moves ----------------------------------------------------------------------------------

    def _spell(self, text: str) -> tuple[TokenIds, ...]:
        data = text.encode()
        known = self._spelled.get(data)
        if known is None:
            known = self._spelled[data] = tuple(spellings(data, self._matcher.vocabulary))
        return known

    def _all_moves(self) -> tuple[TokenIds, ...]:
        """Return the moves that may help anywhere; of moves that help alike, the first is taken."""
        vocabulary = self._matcher.vocabulary
        texts = (text for automaton in self._joint.automata for text in automaton.machine.texts())
        usual = [way for ways in self._ways for way in ways[:2]]
        for text in dict.fromkeys((*texts, *_USUAL_PUNCTUATION)):
            usual += self._spell(text)[:1]
        if len(vocabulary) <= _TOY:
            usual += [(token,) for token, piece in enumerate(vocabulary.pieces) if piece]
        fillers = self._fillers(usual)
        if fillers:
            self.filler = fillers[0]
            self._runs = {self.filler * run: run for run in _RUNS}
        self._spare_moves = tuple(fillers[2:])
        moves = [*fillers[:2], *self._runs, *usual]
        self._spare_moves += tuple(way for text in _PUNCTUATION for way in self._spell(text)[:1])
        return tuple(dict.fromkeys(moves))

    def _fillers(self, openings: Sequence[TokenIds]) -> list[TokenIds]:
        """Return short words that may open a text; where none may, as with bullets, those that may follow."""
        start = self._matcher.start(), 0
        ways = [way for text in _FILLERS for way in self._spell(text)[:1]]
        fillers = [way for way in ways if self._read(*start, way) is not None]
        if not fillers:
            opened = [after for way in openings if (after := self._read(*start, way)) is not None]
            fillers = [way for way in ways if any(self._read(*after, way) is not None for after in opened)]
        return fillers[:_KEPT_FILLERS]

    def _moves_of(self, texts: Iterable[str], phrases: Iterable[Phrase]) -> tuple[str, ...]:
        """Return the moves of one predicate's guide, as texts."""
        vocabulary = self._matcher.vocabulary
        helpful = [self._bits.get(helper) for helper in map(helper_of, phrases)]
        written = [
            vocabulary.decode_inside(way) for bit in helpful if bit is not None for way in self._ways[bit][:2]
        ]
        moves = [piece.decode(errors="ignore") for piece in written]
        moves += [vocabulary.decode_inside(self.filler).decode(errors="ignore") or " x"]
        moves += [*texts, *_PUNCTUATION[:6]]
        if len(vocabulary) <= _TOY:
            moves += [piece.decode(errors="ignore") for piece in vocabulary.pieces if piece]
        return tuple(dict.fromkeys(filter(None, moves)))

    def _extra_moves(self, state: int, found: int) -> Iterator[TokenIds]:
        """Yield moves that only this text has: the rest of a phrase, another word of an unfinished one."""
        position = self._matcher.position(state)
        wanted = self._tracker.status(
            found, self._matcher.provisional(state), self._matcher.verdict(state)
        ).wanted
        for phrase, matched in self._matcher.partial_matches(state):
            rest = self._matcher.rest(phrase, matched)
            if not wanted >> phrase & 1 or not rest:
                continue
            if isinstance(rest, tuple):
                yield rest
            elif rest.startswith(position.pending):
                yield from spellings(rest.removeprefix(position.pending), self._matcher.vocabulary)
        if position.pending:
            yield from ((token,) for byte in range(0x80, 0xC0) for token in self._bytes(byte))
        elif position.in_word:
            vocabulary = self._matcher.vocabulary
            tokens = vocabulary.digits if position.waiting else vocabulary.word_continuations
            yield from ((token,) for token in tokens[:_CONTINUATIONS])

    def _bytes(self, byte: int) -> TokenIds:
        token = self._matcher.vocabulary.token_of.get(bytes([byte]))
        return () if token is None else (token,)

    # -- searching ------------------------------------------------------------------------------

    def search(self, state: int, found: int) -> TokenIds | None:
        """Return a plan; None if it finds none.

        Where the usual moves are not enough for the first plan, less usual ones are used from then on.
        """
        if self._may_end(state, found):
            return ()
        if self.moves_left(state, found) > _MOST_MOVES:
            return None
        plan = self._search(state, found)
        if plan is None and self._spare_moves and self._patience == _PATIENCE:
            self._moves = tuple(dict.fromkeys(self._moves + self._spare_moves))
            self._spare_moves = ()
            plan = self._search(state, found)
        if plan is not None:
            self._patience = _LATER_PATIENCE
        return plan

    def _search(self, state: int, found: int) -> TokenIds | None:
        stack: list[tuple[Moves, Iterator[Reached]]] = [((), iter(self._after(state, found, is_first=True)))]
        seen = {(state, found)}
        patience, nearest = self._patience, self.moves_left(state, found)
        while stack and patience and len(seen) < _MOST_MOVES:
            before, attempts = stack[-1]
            reached = next(attempts, None)
            if reached is None:
                stack.pop()
                continue
            if (reached.state, reached.found) in seen:
                continue
            seen.add((reached.state, reached.found))
            moves = (*before, reached.tokens)
            if not reached.left and self._may_end(reached.state, reached.found):
                return self._shortened(state, found, moves)
            patience -= reached.left >= nearest
            nearest = min(nearest, reached.left)
            stack.append((moves, iter(self._after(reached.state, reached.found))))
        return None

    def _shortened(self, state: int, found: int, moves: Moves) -> TokenIds:
        """Return a plan without the moves that it can do without, long runs of them first.

        The search goes straight for what it takes to be near. So a plan may fill a paragraph before it begins
        the one that it could have begun at once.
        """
        tries, size = _TRIES_TO_SHORTEN, len(moves) // 2
        while size and tries:
            start = 0
            while start + size <= len(moves) and tries:
                tries -= 1
                shorter = moves[:start] + moves[start + size :]
                reached = self._read(state, found, _joined(shorter))
                if reached is not None and self._may_end(*reached):
                    moves = shorter
                else:
                    start += max(1, size // 2)
            size //= 2
        return _joined(moves)

    def _after(self, state: int, found: int, *, is_first: bool = False) -> list[Reached]:
        """Return the texts after every move, the most promising first.

        A run of fillers is as many moves as it has fillers, and near the end comes after single ones: a word
        that must be the last one needs its place.
        """
        moves = (*self._extra_moves(state, found), *self._moves) if is_first else self._moves
        reached: list[Reached] = []
        for tokens in moves:
            after = self._read(state, found, tokens)
            if after is not None:
                left = self.moves_left(*after)
                if not math.isinf(left):
                    reached.append(Reached(left, tokens, *after))
        reached.sort(key=self._rank)
        return reached

    def _rank(self, text: Reached) -> tuple[float, float, int]:
        moves = self._runs.get(text.tokens, 1)
        is_near = moves > 1 and moves > text.left
        return text.left + moves + is_near, text.left, len(text.tokens)

    def moves_left(self, state: int, found: int) -> float:
        """Return about how many moves a text needs until it may end; infinite if none suffice."""
        predicates = self._matcher.position(state).predicates
        key = (found, self._matcher.provisional(state), predicates)
        known = self._estimates.get(key)
        if known is None:
            present = found | key[1] | self._joint.verdict(predicates).true
            states = self._joint.states(predicates)
            roots = (
                self._tracker.clauses[number].root
                for number in bits(self._tracker.at_end(present).unsatisfied)
            )
            known = sum(self._cost(root, present, found, states) for root in roots)
            if known and not math.isinf(known):
                known += self._to_say_again(present, states)
            self._estimates[key] = known
        return known

    def distance(self, predicate: int, predicates: int) -> float:
        """Return about how many moves make a predicate true in a state of all of them."""
        return self._guides[predicate].distance(self._joint.states(predicates)[predicate], True)

    def _to_say_again(self, present: int, states: tuple[int, ...]) -> float:
        """Return about how many moves make true again what one more word undoes.

        A text that goes on gains nothing by a last word that does not stay the last.
        """
        word = self._matcher.vocabulary.decode_inside(self.filler).decode(errors="ignore")
        first, again = len(self._matcher.phrases), 0.0
        for place, (automaton, state) in enumerate(zip(self._joint.automata, states, strict=True)):
            if word and present >> (first + place) & 1:
                cost = self._guides[place].distance(automaton.read(state, word), True)
                again += 0.0 if math.isinf(cost) else cost
        return again

    def _cost(self, node: Node, present: int, found: int, states: tuple[int, ...]) -> float:
        if not isinstance(node, Literal):
            costs = sorted(self._cost(part, present, found, states) for part in node.parts)
            return sum(costs[: node.needed])
        bit = self._bits[node.atom]
        if bool(present >> bit & 1) == node.positive:
            return 0.0
        first = len(self._matcher.phrases)
        if bit >= first:
            return self._guides[bit - first].distance(states[bit - first], node.positive)
        if node.positive:
            return float(self._matcher.phrases[bit].times) if self._ways[bit] else math.inf
        return math.inf if found >> bit & 1 else 1.0


def _joined(moves: Moves) -> TokenIds:
    return tuple(chain.from_iterable(moves))
