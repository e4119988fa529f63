"""The matcher: which phrases occur, token by token, in every segmentation.

There is one immutable automaton per set of phrases and vocabulary. A partial text is in a *state*, a
small integer; `step` reads a token and returns the phrases that this token completes for certain.
The automaton works on the characters that tokens add to the text, so the segmentation of a word does not
matter. It is lifted to the vocabulary lazily: the matcher works out a (state, token) pair once and remembers
it, since a search only ever looks at a few hundred candidates of a step.

A text must stay valid UTF-8 and, where a phrase depends on it, NFC; a token that would break this leads to
`DEAD`. That keeps "�" out of texts and makes the matcher agree with `neurologic.logic.occurrence.occurs`
on every text that a model can write.

Predicates are followed beside the phrases, by an automaton of their own (`matching.predicates`); a state is
a position of the phrases and a state of the predicates, and the steps of both are remembered apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from threading import Lock
from weakref import proxy

from neurologic.bounded_table import BoundedTable
from neurologic.logic.characters import is_digit, is_word_character, normalise
from neurologic.logic.formula import Atom, Phrase
from neurologic.matching.aho_corasick import AhoCorasick
from neurologic.matching.character_reader import CharacterReader, Position, decode_prefix, number_after
from neurologic.matching.clause_tracker import bits
from neurologic.matching.lifting import Lifting
from neurologic.matching.matched_fractions import matched_fractions
from neurologic.matching.nfc_composition import composing_marks, each_composed
from neurologic.matching.patterns import (
    Pattern,
    patterns_of,
    symbols_of,
)
from neurologic.matching.predicates.joint_automaton import DEAD, JointAutomaton
from neurologic.matching.predicates.text_automaton import TextAutomaton
from neurologic.matching.predicates.verdict import NO_VERDICT, Verdict
from neurologic.matching.token_shapes import NO_NUMBER
from neurologic.matching.usual_steps import UsualSteps
from neurologic.matching.vocabulary import TokenIds, Vocabulary

__all__ = ["DEAD", "Matcher"]

_KEPT_RESTS = 10_000  # of phrases that are partly written

# For estimates of memory in entries of about 200 bytes: a node of an automaton, and the bits of the sets of
# phrases, of which a large formula has several per phrase.
_ENTRIES_PER_NODE = 2
_BITS_OF_AN_ENTRY = 500


class Matcher:
    """Tracks `phrases` over a vocabulary; bit i of every bit set stands for phrases[i].

    The bits of `predicates` come after those of the phrases. Phrases inside predicates that are among
    `phrases` lead the search to them.

    `wanted` is the bit set of phrases that some clause wants to occur: the matcher knows partial progress
    for these only. Thread-safe: only tables of remembered results change.
    """

    def __init__(
        self,
        phrases: Sequence[Phrase],
        vocabulary: Vocabulary,
        wanted: int = 0,
        predicates: Mapping[Atom, TextAutomaton] | None = None,
    ) -> None:
        self.phrases = tuple(phrases)
        numbers = {phrase: number for number, phrase in enumerate(self.phrases)}
        self.joint = JointAutomaton(predicates, len(self.phrases), numbers) if predicates else None
        self.vocabulary = vocabulary
        self.token_ids: dict[int, TokenIds] = {}
        patterns: dict[str, list[tuple[Sequence[str], int]]] = {"fold": [], "exact": []}
        self._patterns: dict[int, Pattern] = {}
        self._fractions: dict[int, tuple[float, ...]] = {}
        for index, phrase in enumerate(self.phrases):
            if phrase.match == "tokens":
                # Without ids (the vocabulary cannot spell the phrase) it occurs nowhere.
                self.token_ids[index] = ids = phrase.ids or vocabulary.segment(" " + phrase.text)
                self._fractions[index] = tuple((i + 1) / len(ids) for i in range(len(ids)))
                continue
            variants = patterns_of(phrase)
            self._patterns[index] = variants[0]
            patterns[phrase.case] += [(pattern.symbols, index) for pattern in variants]
            if wanted >> index & 1:
                self._fractions[index] = matched_fractions(phrase, variants[0], vocabulary)
        self._automata = {
            "fold": AhoCorasick(patterns["fold"], wanted),
            "exact": AhoCorasick(patterns["exact"], wanted),
            "tokens": AhoCorasick(((ids, index) for index, ids in self.token_ids.items() if ids), wanted),
        }
        self.counted_phrases = sum(
            1 << index for index, phrase in enumerate(self.phrases) if phrase.times > 1
        )
        self._whole_numbers = sum(
            1 << index for index, phrase in enumerate(self.phrases) if phrase.number_edges[1]
        )
        marks = composing_marks(p for p in self.phrases if p.match != "tokens")
        self._reader = CharacterReader(
            self._automata["fold"],
            self._automata["exact"],
            marks,
            self._whole_numbers,
            follows_numbers=any(any(map(is_digit, phrase.text)) for phrase in self.phrases),
        )
        self.lifting = Lifting(
            vocabulary,
            self.phrases,
            (self._automata["fold"], self._automata["exact"]),
            marks=marks,
            apart=self.counted_phrases,
            whole_numbers=self._whole_numbers,
        )
        self._positions: list[Position] = []
        own = proxy(self)  # an owner that its parts refer to would wait for the garbage collector
        self.usual = UsualSteps(
            vocabulary,
            self.lifting,
            self._positions.__getitem__,
            lambda position: own._intern(position),
            lambda state, token: own._phrase_step(state, token),
            lambda state, token: own._read_alone(state, token),
            follows_numbers=self._reader.follows_numbers,
            follows_tokens=bool(self.token_ids),
        )
        self._states: dict[Position, int] = {}
        self._provisional: list[int] = []
        self._rows: list[dict[int, tuple[int, int]]] = []
        self._bases: list[int] = []  # the state at the same position without predicates
        self._combined: dict[tuple[int, int], int] = {}
        self._rests: BoundedTable[tuple[int, int], bytes | TokenIds] = BoundedTable(_KEPT_RESTS)
        self._progress: dict[int, tuple[tuple[int, float], ...]] = {}
        self._steps = 0
        self._size = 0  # of the positions and of what is known of them
        self._lock = Lock()

    @property
    def remembered(self) -> int:
        """How much the tables hold, in entries of about 200 bytes; about, where threads race."""
        predicates = 0 if self.joint is None else self.joint.remembered
        return self._size + self._steps + len(self._combined) + self.usual.remembered + predicates

    @cached_property
    def size(self) -> int:
        """How large the automata are, in the same entries, before any text."""
        nodes = sum(len(automaton.outputs) for automaton in self._automata.values())
        return _ENTRIES_PER_NODE * nodes + len(self.phrases) ** 2 // _BITS_OF_AN_ENTRY

    # -- states ---------------------------------------------------------------------------------

    def start(self, before: str = "") -> int:
        """Return the state of an empty text directly after `before`."""
        number = NO_NUMBER
        for character in before[-2:] if self._reader.follows_numbers else "":
            number = number_after(number, symbols_of(character))
        return self._intern(
            Position(
                in_word=bool(before) and is_word_character(before[-1]),
                number=number,
                first=self.vocabulary.first_pieces is not None,
                predicates=0 if self.joint is None else self.joint.start(before),
            )
        )

    def position(self, state: int) -> Position:
        return self._positions[state]

    def counted(self, state: int) -> tuple[tuple[int, int], ...]:
        """Return (phrase, places) of the counted phrases, counting an occurrence that would end here."""
        position = self._positions[state]
        return self._settled(position.counts, [self._reader.ending_here(position)])[0]

    def with_counts(self, state: int, counts: tuple[tuple[int, int], ...]) -> int:
        """Return the state at the same position of a text with other counts."""
        position = self._positions[state]
        return state if position.counts == counts else self._intern(position._replace(counts=counts))

    def _intern(self, position: Position) -> int:
        state = self._states.get(position)
        if state is None:
            with self._lock:
                state = self._states.get(position)
                if state is None:
                    state = len(self._positions)
                    provisional = self._settled(position.counts, [self._reader.ending_here(position)])[1]
                    self._provisional.append(provisional)
                    self._rows.append({})
                    self._positions.append(position)
                    self._bases.append(state)
                    self._size += 2 + len(position.counts) // 2
                    self._states[position] = state
        return state

    def with_predicates_of(self, state: int, other: int) -> int:
        """Return the state at the position of one text with the predicates of another."""
        return self._combine(self._base(state), self._positions[other].predicates)

    def _base(self, state: int) -> int:
        """Return the state at the same position that stands for all states of the predicates."""
        base = self._bases[state]
        if base == state and self._positions[state].predicates:
            base = self._bases[state] = self._intern(self._positions[state]._replace(predicates=0))
        return base

    def _combine(self, base: int, predicates: int) -> int:
        known = self._combined.get((base, predicates))
        if known is None:
            known = self._intern(self._positions[base]._replace(predicates=predicates))
            self._combined[base, predicates] = known
        return known

    # -- reading --------------------------------------------------------------------------------

    def step(self, state: int, token: int) -> tuple[int, int]:
        """Return the state after `token`, and the phrases that this token completes for certain."""
        if self.joint is not None:
            return self._joint_step(self.joint, state, token)
        return self._phrase_step(state, token)

    def _phrase_step(self, state: int, token: int) -> tuple[int, int]:
        """Step with the phrases alone; remember what had to be read character by character."""
        known = self._rows[state].get(token) or self.usual.step(state, token)
        return self._read_alone(state, token) if known is None else known

    def _read_alone(self, state: int, token: int) -> tuple[int, int]:
        """Read a token character by character, and remember the step."""
        known = self._rows[state][token] = self._read_token(self._positions[state], token)
        self._steps += 1
        return known

    def _joint_step(self, joint: JointAutomaton, state: int, token: int) -> tuple[int, int]:
        """Step with the phrases and the predicates, each by what it remembers."""
        base = self._base(state)
        known = self._phrase_step(base, token)
        if known[0] == DEAD:
            return known
        position = self._positions[state]
        row = joint.rows[position.predicates]
        after = row.get(token)
        if after is None or position.pending or position.first:
            after = joint.read(position.predicates, each_composed(self._characters(position, token)))
            if not position.pending and not position.first:
                row[token] = after
                self._steps += 1
        if after == DEAD:
            return DEAD, 0
        return self._combine(known[0], after), known[1]

    def _characters(self, position: Position, token: int) -> str:
        """Return the characters that a token completes; the token is known to be text."""
        decoded = decode_prefix(position.pending + (self._piece(position, token) or b""))
        return "" if decoded is None else decoded[0]

    def _piece(self, position: Position, token: int) -> bytes | None:
        pieces = self.vocabulary.pieces
        if position.first and self.vocabulary.first_pieces is not None:
            pieces = self.vocabulary.first_pieces
        return pieces[token] if token < len(pieces) else None

    def read(self, state: int, tokens: TokenIds) -> tuple[int, int] | None:
        """Return the state after several tokens and the phrases they find; None if they are not text."""
        present = 0
        for token in tokens:
            state, found = self.step(state, token)
            if state == DEAD:
                return None
            present |= found
        return state, present

    def _read_token(self, position: Position, token: int) -> tuple[int, int]:
        piece = self._piece(position, token)
        if piece is None:
            return DEAD, 0
        decoded = decode_prefix(position.pending + piece)
        if decoded is None:
            return DEAD, 0
        characters, pending = decoded
        read_so_far = self._reader.read(position, characters)
        if read_so_far is None:
            return DEAD, 0
        position, ending = read_so_far
        tokens = self._automata["tokens"]
        node = tokens.step(position.tokens, token)
        ending.append(tokens.outputs[node])
        counts, found = self._settled(position.counts, ending)
        first = position.first and not piece
        position = position._replace(tokens=node, pending=pending, first=first, counts=counts)
        return self._intern(position), found

    def _settled(
        self, counts: tuple[tuple[int, int], ...], ending: Iterable[int]
    ) -> tuple[tuple[tuple[int, int], ...], int]:
        """Return the counts after more places, and the phrases whose count is now reached.

        `ending` has a bit set of phrases for every place where some end.
        """
        so_far = dict(counts)
        found = 0
        for phrases in ending:
            found |= phrases & ~self.counted_phrases
            for phrase in bits(phrases & self.counted_phrases):
                times = self.phrases[phrase].times
                so_far[phrase] = min(so_far.get(phrase, 0) + 1, times)
                if so_far[phrase] == times:
                    found |= 1 << phrase
        return tuple(sorted(so_far.items())), found

    # -- asking about a state -------------------------------------------------------------------

    def provisional(self, state: int) -> int:
        """Return the phrases that would occur, beyond those already found, if the text ended here."""
        return self._provisional[state]

    def verdict(self, state: int) -> Verdict:
        """Return what is known of the predicates of a partial text."""
        return NO_VERDICT if self.joint is None else self.joint.verdict(self._positions[state].predicates)

    def stage(self, state: int) -> tuple[int, ...]:
        """Return how far a text has come in predicates that count sentences, lines or paragraphs."""
        return () if self.joint is None else self.joint.stage(self._positions[state].predicates)

    def may_end(self, state: int) -> bool:
        """Return whether a text may end here: not in the middle of a character."""
        return not self._positions[state].pending

    def progress(self, state: int) -> tuple[tuple[int, float], ...]:
        """Return the partly written wanted phrases, with the matched fraction of each (above zero only)."""
        known = self._progress.get(state)
        if known is None:
            best: dict[int, float] = {}
            for phrase, matched in self.partial_matches(state):
                fraction = self._fractions[phrase][matched - 1]
                if fraction > best.get(phrase, 0.0):
                    best[phrase] = fraction
            known = self._progress[state] = tuple(best.items())
            self._size += len(known) // 2
        return known

    def partial_matches(self, state: int) -> Iterator[tuple[int, int]]:
        """Yield the partly written wanted phrases, with how many of their symbols (or token ids) match."""
        position = self._positions[state]
        nodes = {"fold": position.folded, "exact": position.exact, "tokens": position.tokens}
        for kind, automaton in self._automata.items():
            for node in automaton.suffixes(nodes[kind]):
                for phrase in automaton.passing[node]:
                    yield phrase, automaton.depths[node]

    def rest(self, phrase: int, matched: int) -> bytes | TokenIds:
        """Return the part of a phrase still to be written after `matched` symbols (or ids)."""
        known = self._rests.get((phrase, matched))
        if known is None:
            known = self._rests[phrase, matched] = self._rest(phrase, matched)
        return known

    def _rest(self, phrase: int, matched: int) -> bytes | TokenIds:
        if phrase in self.token_ids:
            return self.token_ids[phrase][matched:]
        written = self.phrases[phrase].text
        compared = normalise(written, exact_case=self.phrases[phrase].case == "exact")
        # Use the user's own spelling where its characters correspond to the compared ones.
        text = written if len(written) == len(compared) else compared
        return text[self._patterns[phrase].characters[matched - 1] :].encode()
