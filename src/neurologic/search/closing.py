"""How texts come to a proper end where the formula limits their length, or that of their sentences.

A sentence that must end after so many words ends well only if it looks for an end in time, and if what
follows leads there.
"""

from __future__ import annotations

from neurologic.feasibility.compiled_constraint import CompiledConstraint
from neurologic.logic.sentences import ends_sentence
from neurologic.matching.vocabulary import TokenIds
from neurologic.search.hypothesis import Hypothesis
from neurologic.search.sentence_ends import closes_a_word, goes_on
from neurologic.search.settings import SearchSettings

# Words of room at which a text should look for an end.
_CROWDED = 5
# Tokens at the beginning of a text that tell lineages apart, and how likely the next part of a word must be
# where the text may have no further word: otherwise it is an odd word that no one meant.
_LINEAGE = 4
_LIKELY_WORD_PART = -3.0


class Closing:
    """The rules for the ends of one input's texts. A beam makes exceptions for its plans."""

    def __init__(self, constraint: CompiledConstraint, settings: SearchSettings) -> None:
        self._constraint = constraint
        self.in_time = settings.whole_sentences and constraint.rooms is not None
        """Whether the formula limits a length, and sentences should end properly before it."""

    def lineage(self, hypothesis: Hypothesis) -> TokenIds:
        """Return how a text begins, where the formula limits its length; else nothing.

        A sentence that must end after so many words ends well only by luck. Variants of one sentence share
        that luck, so different ones should go on side by side.
        """
        return hypothesis.tokens[:_LINEAGE] if self.in_time else ()

    def is_crowded(self, hypothesis: Hypothesis) -> bool:
        """Return whether a text, or its sentence, is soon too long: it should look for an end."""
        return self._constraint.room(hypothesis.state) <= _CROWDED

    def is_full(self, hypothesis: Hypothesis) -> bool:
        """Return whether one more word would make a text, or its sentence, too long."""
        return self._constraint.room(hypothesis.state) == 0

    def closes_properly(self, hypothesis: Hypothesis, token: int) -> bool:
        """Return whether a token that ends a sentence does so after a word."""
        return closes_a_word(hypothesis.text, self._constraint.vocabulary.pieces[token] or b"")

    def leads_to_end(self, hypothesis: Hypothesis, token: int, logprob: float) -> bool:
        """Return whether a token, which ends no sentence, may follow where room is short.

        A line is not broken in the middle of a sentence, and symbols that add no word, such as rows of
        asterisks, only put off what is owed. Where no further word may follow, only the last word may be
        finished.
        """
        vocabulary = self._constraint.vocabulary
        piece = vocabulary.pieces[token] or b""
        if b"\n" in piece:
            before = hypothesis.text[-80:] + piece.partition(b"\n")[0]
            return ends_sentence(before.decode(errors="ignore"))
        if not self.is_full(hypothesis):
            return goes_on(hypothesis.text, piece)
        in_word = self._constraint.matcher.position(hypothesis.state).in_word
        is_likely = logprob - hypothesis.logprob > _LIKELY_WORD_PART
        return in_word and is_likely and token in vocabulary.word_parts
