"""The wording that a search keeps out of texts: repeats, echoes of the prompt, lists, unwanted phrases.

These are habits of language models that a formula does not speak of. A beam asks here, and makes exceptions
for what a required phrase or a payment plan needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from neurologic.feasibility.compiled_constraint import CompiledConstraint
from neurologic.matching.clause_tracker import bits
from neurologic.matching.vocabulary import TokenIds
from neurologic.search.enumerations import PhraseRun
from neurologic.search.hypothesis import Hypothesis
from neurologic.search.ngrams import Ngrams
from neurologic.search.settings import SearchSettings
from neurologic.search.unwanted_phrases import Unwanted

# How many required phrases may stand side by side with nothing between them.
_LONGEST_CLUMP = 2
# Of so many required phrases, two in a row with a comma must not open a sentence.
_HEADING = 3
# What may stand before the first word of a text.
_BEFORE_OPENINGS = b" \n\t\"'*_\xe2\x80\x9c"


class Wording:
    """The rules for the wording of one input's texts."""

    def __init__(
        self,
        constraint: CompiledConstraint,
        settings: SearchSettings,
        *,
        start: int,
        earlier: TokenIds = (),
        prompts: Sequence[TokenIds] = (),
        openings: Sequence[str] = (),
        unwanted: Sequence[Unwanted] = (),
    ) -> None:
        """Take the matcher's state at the start of the text; `Beam` explains the other arguments."""
        self._constraint = constraint
        self._earlier = Ngrams(earlier, settings.no_repeat_ngram_size)
        self._echoes = [Ngrams(prompt, settings.no_echo_size) for prompt in prompts]
        self._unwanted = unwanted
        self._openings = tuple(opening.encode() for opening in openings)
        # A space, a quotation mark or a few asterisks may come before the first word.
        self._longest_opening = max(map(len, self._openings), default=-4) + 4
        self._limits_runs = settings.max_run > 0
        # All of three required phrases in a row are a list; three of more may be a natural enumeration.
        unsatisfied = constraint.status(start, 0).unsatisfied
        required = sum(bool(constraint.clauses[number].required_phrases) for number in bits(unsatisfied))
        self._longest_run = max(2, settings.max_run - (required <= settings.max_run))
        # Of two required phrases, one may well open a sentence: "Tuesday, the mayor …".
        self._may_head = required < _HEADING

    def repeating_tokens(self, tokens: TokenIds) -> Iterable[int]:
        """Yield the tokens that would repeat an n-gram, or too long a run of a prompt."""
        ends = self._constraint.vocabulary.end_ids  # a text may end where its prompt does
        echoed = (token for echo in self._echoes for token in echo.earlier_after(tokens) if token not in ends)
        return chain(self._earlier.repeated_after(tokens), echoed)

    def unwanted_tokens(self, text: bytes) -> Iterable[int]:
        """Yield the tokens with which a text would have an unwanted phrase."""
        return chain.from_iterable(unwanted.tokens_after(text) for unwanted in self._unwanted)

    def may_open_badly(self, text: bytes) -> bool:
        """Return whether a text is a part of a bad beginning, which the next token may complete."""
        if len(text) > self._longest_opening:
            return False
        begun = text.lstrip(_BEFORE_OPENINGS).lower()
        return any(opening.startswith(begun) for opening in self._openings)

    def open_badly(self, begun: bytes, pieces: Sequence[bytes]) -> list[bool]:
        """Return with which of some pieces a text would begin as it must not."""
        begun = begun.lstrip(_BEFORE_OPENINGS).lower()
        if not begun:
            return [piece.lstrip(_BEFORE_OPENINGS).lower().startswith(self._openings) for piece in pieces]
        rests = tuple(opening.removeprefix(begun) for opening in self._openings if opening.startswith(begun))
        return [piece.lower().startswith(rests) for piece in pieces]

    def is_list(self, run: PhraseRun) -> bool:
        """Return whether too many required phrases stand in a row."""
        if not self._limits_runs:
            return False
        is_long = run.length > self._longest_run or run.clump > _LONGEST_CLUMP
        return is_long or (run.heads_sentence and not self._may_head)

    def run_after(self, hypothesis: Hypothesis, text: bytes, token: int, state: int) -> PhraseRun:
        """Return the required phrases in a row after a token that leads to this text and state."""
        matcher, required = self._constraint.matcher, self._constraint.tracker.wanted
        if not required:
            return hypothesis.run
        settled = matcher.step(hypothesis.state, token)[1] & ~matcher.provisional(hypothesis.state)
        here = (matcher.provisional(state) | settled) & required
        if not here:
            return hypothesis.run
        return hypothesis.run.with_phrase(
            text, [self._constraint.phrases[phrase].text for phrase in bits(here)]
        )
