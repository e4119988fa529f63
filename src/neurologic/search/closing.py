"""How texts come to a proper end where the formula limits their length, or that of their sentences.

A sentence that must end after so many words ends well only if it looks for an end in time, and if what
follows leads there.
"""

from __future__ import annotations

from neurologic.feasibility.compiled_constraint import CompiledConstraint
from neurologic.logic.sentences import ends_sentence
from neurologic.matching.vocabulary import TokenIds
from neurologic.search.hypothesis import Hypothesis
from neurologic.search.sentence_ends import (
    closes_a_word,
    glues,
    goes_on,
    is_chain,
    is_loose_sign,
    joins,
    widens_gap,
)
from neurologic.search.settings import SearchSettings

# Words of room at which a text should look for an end, and how unlikely that end may be: "in a" and "unbrid"
# end no sentence.
_CROWDED = 5
_LIKELY_END = -8.0
# How likely a hyphen inside of a word must be: where words are counted, "home-by-the-sea" saves some.
_LIKELY_HYPHEN = -2.0
# How unlikely a token may be where a text has to have an exact number of characters soon: each number of
# characters that are left has places of its own in the beam, which an odd word or sign must not take.
_LIKELY = -9.0
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
        self._has_signs = constraint.rooms is not None and constraint.rooms.of_signs
        self._counts_lines = constraint.rooms is not None and constraint.rooms.of_lines

    def lineage(self, hypothesis: Hypothesis) -> TokenIds:
        """Return how a text begins, where the formula limits its length; else nothing.

        A sentence that must end after so many words ends well only by luck. Variants of one sentence share
        that luck, so different ones should go on side by side.
        """
        if not self.in_time or self.lands(hypothesis.state):
            return ()
        return hypothesis.tokens[:_LINEAGE]

    def lands(self, state: int) -> bool:
        """Return whether a text soon has to have the number of characters that the formula asks for."""
        return bool(self._constraint.landing(state)) and self._constraint.room(state) <= _CROWDED

    def landing(self, state: int) -> tuple[int, ...]:
        """Return how many characters are missing, for texts that land; else nothing.

        Texts of which the same number is missing compete with each other only: which of them finds a word
        that fits, and a sentence that ends with it, nobody knows before.
        """
        return self._constraint.landing(state) if self.in_time and self.lands(state) else ()

    def is_crowded(self, hypothesis: Hypothesis) -> bool:
        """Return whether a text, or its sentence, is soon too long: it should look for an end."""
        return self._constraint.room(hypothesis.state) <= _CROWDED

    def is_full(self, hypothesis: Hypothesis) -> bool:
        """Return whether one more word would make a text, or its sentence, too long."""
        return self._constraint.room(hypothesis.state) == 0

    def closes_properly(self, hypothesis: Hypothesis, token: int, logprob: float) -> bool:
        """Return whether a token that ends a sentence does so after a word, where a sentence may end."""
        if logprob - hypothesis.logprob < _LIKELY_END and self.is_crowded(hypothesis):
            return False
        return closes_a_word(hypothesis.text, self._constraint.vocabulary.pieces[token] or b"")

    def fills_up(self, hypothesis: Hypothesis, token: int, logprob: float) -> bool:
        """Return whether a token chains words that would count as one, such as "the_old_house".

        Or else widens the gap between two words, or puts sign after sign: that fills up, too.
        """
        piece = self._constraint.vocabulary.pieces[token] or b""
        if widens_gap(hypothesis.text, piece):
            return True
        if glues(hypothesis.text, piece):
            return True
        if not self._has_signs and is_loose_sign(hypothesis.text, piece):
            return True
        if not joins(hypothesis.text, piece):
            return False
        return b"_" in piece or logprob - hypothesis.logprob < _LIKELY_HYPHEN or is_chain(hypothesis.text)

    def breaks_line(self, hypothesis: Hypothesis, token: int) -> bool:
        """Return whether a token breaks a line in the middle of a sentence, though nothing asks for lines."""
        piece = self._constraint.vocabulary.pieces[token] or b""
        if b"\n" not in piece or self._counts_lines:
            return False
        before = hypothesis.text[-80:] + piece.partition(b"\n")[0]
        return bool(before.strip()) and not ends_sentence(before.decode(errors="ignore"))

    def leads_to_end(self, hypothesis: Hypothesis, token: int, logprob: float) -> bool:
        """Return whether a token, which ends no sentence, may follow where room is short.

        Symbols that add no word, such as rows of asterisks, only put off what is owed. Where no further word
        may follow, only the last word may be finished.
        """
        vocabulary = self._constraint.vocabulary
        piece = vocabulary.pieces[token] or b""
        if b"\n" in piece:
            return True
        in_word = self._constraint.matcher.position(hypothesis.state).in_word
        goes_on_in_word = in_word and token in vocabulary.word_parts
        is_likely = logprob - hypothesis.logprob > _LIKELY_WORD_PART
        if self.is_full(hypothesis):
            return goes_on_in_word and is_likely
        if self.lands(hypothesis.state) and not is_likely:
            is_word = piece[:1].isspace() and piece[1:].isalpha()
            if not is_word or goes_on_in_word or logprob - hypothesis.logprob < _LIKELY:
                return False
        return goes_on(hypothesis.text, piece)
