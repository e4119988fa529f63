"""Where a text may be cut, and what becomes of one that has ended."""

from __future__ import annotations

from dataclasses import dataclass, replace

from neurologic.feasibility.compiled_constraint import CompiledConstraint
from neurologic.logic.sentences import ends_sentence
from neurologic.search.finished_texts import normalised
from neurologic.search.hypothesis import Ending, Finished, Hypothesis
from neurologic.search.rules import Rule
from neurologic.search.settings import SearchSettings


@dataclass(frozen=True)
class Endings:
    """The ends of one input's texts.

    opening  given tokens that count as generated ones in all lengths
    """

    constraint: CompiledConstraint
    settings: SearchSettings
    opening: int = 0

    def whole(self, hypothesis: Hypothesis, token: int, rule: Rule) -> Hypothesis | None:
        """Return the longest beginning of a text, before a token that follows it, where it may be cut.

        A full stop ends a sentence only if whitespace follows: the token decides about "3." and "3.5".
        """
        following = self.constraint.vocabulary.pieces[token] or b" "
        apart = following[:1].isspace() or hypothesis.text[-1:].isspace()
        if apart and self.is_whole(hypothesis, rule):
            return replace(hypothesis, whole=None)
        return hypothesis.whole

    def is_whole(self, hypothesis: Hypothesis, rule: Rule) -> bool:
        """Return whether a text ends with a sentence and owes nothing."""
        return (
            self.settings.whole_sentences
            and rule not in (Rule.UNPLANNED, Rule.FREE)
            and len(hypothesis.tokens) + self.opening >= self.settings.min_new_tokens
            and ends_sentence(hypothesis.text[-80:].decode(errors="ignore"))
            and self.constraint.planner.may_end(hypothesis.state, hypothesis.found)
        )

    def finished(self, hypothesis: Hypothesis, ending: Ending) -> Finished:
        """Return a text that has ended; the end settles provisional words."""
        present = self.constraint.present(hypothesis.state, hypothesis.found)
        length, penalty = len(hypothesis.tokens) + self.opening, self.settings.length_penalty
        return Finished(
            tokens=hypothesis.tokens,
            text=hypothesis.text,
            logprob=hypothesis.logprob,
            own=hypothesis.own,
            score=normalised(hypothesis.logprob, length, penalty),
            own_score=normalised(hypothesis.own, length, penalty),
            wished=normalised(self.constraint.met_wishes(present), length, penalty),
            satisfied=self.constraint.tracker.at_end(present).satisfied,
            present=present,
            forced=hypothesis.forced,
            ending=ending,
            rows=hypothesis.rows,
            steps=hypothesis.steps,
            memory=hypothesis.memory,
            is_stump=self._is_stump(hypothesis),
        )

    def _is_stump(self, hypothesis: Hypothesis) -> bool:
        rooms = self.constraint.rooms
        if not self.settings.whole_sentences or rooms is None or not rooms.of_units:
            return False
        return not ends_sentence(hypothesis.text[-80:].decode(errors="ignore"))
