"""Constrained beam search (Anderson et al., EMNLP 2017).

A finite-state machine has a state for every set of satisfied constraints, and a beam of k hypotheses in every
state; phrases of several tokens double the states, for texts inside such a phrase. Texts end in the state in
which all constraints are satisfied.

Costs O(N·k·2^C) model calls for C constraints, which may be sets of alternatives. Does not express negatives.
All phrases share the state of being inside one, where the paper has a state for every place inside every
phrase: words of several tokens would multiply the states. The decoder refuses a formula that needs more than
`MOST_STATES` states. `rows` sets the number of hypotheses for all states together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from neurologic.decoders.banks import fill_banks
from neurologic.decoders.phrase_trie import PhraseTrie
from neurologic.decoders.required_phrases import RequiredPhrases, RowScores, fetch
from neurologic.errors import ExpressivityError
from neurologic.feasibility.compiled_constraint import CompiledConstraint
from neurologic.search.beam import Beam
from neurologic.search.decoder import Decoder, Selection
from neurologic.search.hypothesis import Candidate, Hypothesis
from neurologic.search.score_matrix import MINUS_INFINITY, ScoreMatrix

MOST_STATES = 128
# A state of the machine: the bit set of unsatisfied clauses, and whether a phrase is partly written.
State = tuple[int, bool]


class ConstrainedBeamSearch(Decoder):
    """A hypothesis remembers its places in the trie of phrases."""

    name = "cbs"

    def require(self, constraint: CompiledConstraint) -> None:
        clauses = len(constraint.clauses)
        has_long_phrases = len(PhraseTrie(RequiredPhrases(constraint).tokens)) > 0
        states = 2 ** (clauses + has_long_phrases)
        if states > MOST_STATES:
            raise ExpressivityError(
                f"the decoder cbs would need {states:,} states for {clauses} clauses, and may have "
                f"{MOST_STATES:,}; use neurologic, whose cost does not grow with the clauses"
            )

    def choose(self, beams: Sequence[Beam], matrix: ScoreMatrix) -> list[Selection]:
        required = [RequiredPhrases(beam.constraint) for beam in beams]
        tries = [PhraseTrie(phrases.tokens) for phrases in required]
        most = 2 * (beams[0].settings.rows or beams[0].settings.num_beams)
        inputs = list(zip(beams, required, tries, strict=True))
        listed = fetch(beams, matrix, most, [partial(_next_tokens, *parts) for parts in inputs])
        return [self._select(*parts, rows) for parts, rows in zip(inputs, listed, strict=True)]

    def _select(
        self, beam: Beam, phrases: RequiredPhrases, trie: PhraseTrie, rows: Sequence[RowScores]
    ) -> Selection:
        machine: dict[State, list[Candidate]] = {}
        for candidate in self._propose(beam, phrases, trie, rows):
            state = (candidate.status.unsatisfied, bool(candidate.memory))
            machine.setdefault(state, []).append(candidate)
        in_order = sorted(machine, key=lambda state: (-state[0].bit_count(), state[1], state[0]))
        return fill_banks([machine[state] for state in in_order], beam.settings)

    def _propose(
        self, beam: Beam, phrases: RequiredPhrases, trie: PhraseTrie, rows: Sequence[RowScores]
    ) -> Iterator[Candidate]:
        """Yield candidates of each row's likeliest tokens, and of those that lead into another state."""
        for row, (hypothesis, scores) in enumerate(zip(beam.hypotheses, rows, strict=True)):
            unmet = _unmet(beam, phrases, hypothesis)
            for token, logprob in sorted((scores.likeliest | scores.others).items()):
                if logprob > MINUS_INFINITY:
                    candidate = beam.consider(row, token, logprob)
                    if not candidate.fate:
                        open_ = [phrase for phrase in unmet if candidate.status.wanted >> phrase & 1]
                        candidate.memory = trie.advance(hypothesis.memory or (), token, open_)
                        yield candidate


def _unmet(beam: Beam, phrases: RequiredPhrases, hypothesis: Hypothesis) -> list[int]:
    """Return the phrases of unsatisfied clauses."""
    wanted = beam.constraint.status(hypothesis.state, hypothesis.found).wanted
    return [phrase for phrase in phrases.tokens if wanted >> phrase & 1]


def _next_tokens(beam: Beam, phrases: RequiredPhrases, trie: PhraseTrie, hypothesis: Hypothesis) -> set[int]:
    return trie.next_tokens(hypothesis.memory or (), _unmet(beam, phrases, hypothesis))
