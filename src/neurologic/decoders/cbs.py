"""Constrained beam search (Anderson et al., EMNLP 2017).

A finite-state machine whose states say which constraints are satisfied, with a beam of k hypotheses in every
state; phrases of several tokens double the states, by one for texts that are inside of such a phrase. Texts
end in the state in which all constraints are satisfied.

Costs O(N·k·2^C) model calls for C constraints, which may be sets of alternatives. Does not express negatives.
All phrases share the state of being inside of one, where the paper has a state for every place inside of
every phrase: words that are cut into several tokens would multiply the states. A formula whose machine would
have more than `MOST_STATES` states is refused. `rows` shares so many hypotheses out over the states instead.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from neurologic.constraint import CompiledConstraint
from neurologic.decoders.required import RequiredPhrases, fill_banks
from neurologic.decoders.trie import PhraseTrie
from neurologic.errors import ExpressivityError
from neurologic.search.beam import Beam
from neurologic.search.decoder import Decoder, Selection
from neurologic.search.hypothesis import Candidate

MOST_STATES = 128
# A state of the machine: the bit set of unsatisfied clauses, and whether a phrase is under way.
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

    def step(self, beam: Beam, scores: torch.Tensor) -> Selection:
        phrases = RequiredPhrases(beam.constraint)
        trie = PhraseTrie(phrases.tokens)
        machine: dict[State, list[Candidate]] = {}
        for candidate in self.propose(beam, scores, phrases, trie):
            state = (candidate.status.unsatisfied, bool(candidate.memory))
            machine.setdefault(state, []).append(candidate)
        in_order = sorted(machine, key=lambda state: (-state[0].bit_count(), state[1], state[0]))
        return fill_banks([machine[state] for state in in_order], beam.settings)

    def propose(
        self, beam: Beam, scores: torch.Tensor, phrases: RequiredPhrases, trie: PhraseTrie
    ) -> Iterator[Candidate]:
        """For every row its likeliest tokens, and those that lead into another state."""
        most = beam.settings.rows or beam.settings.num_beams
        values, tokens = (one.tolist() for one in scores.topk(min(2 * most, scores.shape[-1]), dim=-1))
        for row, hypothesis in enumerate(beam.hypotheses):
            before = hypothesis.memory or ()
            wanted = beam.constraint.status(hypothesis.state, hypothesis.found).wanted
            unmet = [phrase for phrase in phrases.tokens if wanted >> phrase & 1]
            known = dict(zip(tokens[row], values[row], strict=True))
            for token in sorted({*known, *trie.next_tokens(before, unmet)}):
                logprob = known[token] if token in known else float(scores[row, token])
                if logprob > float("-inf"):
                    candidate = beam.consider(row, token, logprob)
                    if not candidate.fate:
                        open_ = [phrase for phrase in unmet if candidate.status.wanted >> phrase & 1]
                        candidate.memory = trie.advance(before, token, open_)
                        yield candidate
