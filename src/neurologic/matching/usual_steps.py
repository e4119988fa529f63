"""The usual steps of a matcher: those that arrays over the vocabulary know, without reading characters.

A token has its usual effect where its first character does not continue a partly written phrase (`openings`).
If no phrase begins in it either, `TokenShapes` has the effect. If one does, the effect is the same on all
*blank* texts that end alike, so it is worked out once for each of these and has a number, for look-ups of
many tokens at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from neurologic.bounded_table import BoundedTable
from neurologic.matching.character_reader import Position
from neurologic.matching.lifting import ON_ITS_OWN, UNKNOWN, Ending, Lifting, Openings
from neurologic.matching.token_shapes import NO_NUMBER, states_after_endings
from neurologic.matching.vocabulary import Vocabulary

# States of which the effects of first characters are remembered: some kilobytes each.
_KEPT = 200
_EFFECTS_OF_AN_ENTRY = 50  # for estimates of memory in entries of about 200 bytes

_Step = tuple[int, int]
_Counts = tuple[tuple[int, int], ...]


class UsualSteps:
    """The usual steps of one matcher. Thread-safe."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        lifting: Lifting,
        position: Callable[[int], Position],
        number: Callable[[Position], int],
        step: Callable[[int, int], _Step],
        read: Callable[[int, int], _Step],
        *,
        follows_numbers: bool,
        follows_tokens: bool,
    ) -> None:
        """Take what the matcher knows of its states.

        position  of a state, and `number` the other way round
        step      of a state with a token, and `read` the same, character by character
        follows_numbers
                  whether the part that a character has in a number matters
        follows_tokens
                  whether some phrases are made of token ids
        """
        self._vocabulary = vocabulary
        self._lifting = lifting
        self._position = position
        self._number = number
        self._step = step
        self._read = read
        self._follows_numbers = follows_numbers
        self._follows_tokens = follows_tokens
        self._openings: BoundedTable[int, Openings] = BoundedTable(_KEPT)
        self._blanks_before: BoundedTable[int, int] = BoundedTable(_KEPT)
        self._blanks: BoundedTable[tuple[int, _Counts], tuple[int, ...]] = BoundedTable(_KEPT)
        self._effects: dict[int, NDArray[np.int32]] = {}
        self._numbered_effects: list[_Step] = []
        self._effect_numbers: dict[_Step, int] = {}
        self._lock = Lock()

    @property
    def remembered(self) -> int:
        """How much the effects hold, in entries of about 200 bytes."""
        effects = list(self._effects.values())
        return sum(map(len, effects)) // _EFFECTS_OF_AN_ENTRY

    def step(self, state: int, token: int) -> _Step | None:
        """Return the step with a token whose effect does not depend on the phrase that is partly written."""
        openings, shapes = self.openings(state), self._vocabulary.shapes
        variant = openings.variant[shapes.opening[token]]
        if not variant:
            return None
        if not self._lifting.touches(token):
            return self.blank_states(state)[shapes.ending[token]], openings.found[variant]
        blank = self.blank_before(state)
        if blank == state:
            known = self._read(state, token)
            self._keep_effect(state, token, known)
            return known
        after, found = self._step(blank, token)
        return after, found | openings.found[variant]

    # -- effects of tokens in which a phrase begins -----------------------------------------------

    def effects(self, blank: int) -> NDArray[np.int32]:
        """Return for tokens that touch a phrase the number of the effect on a blank text.

        It is negative where the effect is unknown, or has to be read for every text. The tokens are numbered
        in `lifting.touching`, the effects in `effect`.
        """
        known = self._effects.get(blank)
        if known is None:
            known = self._effects[blank] = self._lifting.new_effects()
        return known

    def learn_effects(self, blank: int, tokens: NDArray[np.int64]) -> None:
        """Read the tokens whose effect on a blank text is still unknown.

        What a matcher has read before must not show in a search, so a search asks for all that it needs.
        """
        effects, touching = self.effects(blank), self._lifting.touching
        numbers = touching[tokens]
        for token in set(tokens[(effects[numbers] == UNKNOWN) & (numbers > 0)].tolist()):
            if self._lifting.touches(token):
                if self._vocabulary.shapes.opening[token]:
                    self._step(blank, token)
                if effects[touching[token]] == UNKNOWN:
                    effects[touching[token]] = ON_ITS_OWN

    def effect(self, number: int) -> _Step:
        """Return state and phrases found after a token with this effect."""
        return self._numbered_effects[number]

    @property
    def known_effects(self) -> int:
        """How many effects have numbers."""
        return len(self._numbered_effects)

    def _keep_effect(self, blank: int, token: int, effect: _Step) -> None:
        with self._lock:
            number = self._effect_numbers.get(effect)
            if number is None:
                number = len(self._numbered_effects)
                self._numbered_effects.append(effect)
                self._effect_numbers[effect] = number
        self.effects(blank)[self._lifting.touching[token]] = number

    # -- states -----------------------------------------------------------------------------------

    def openings(self, state: int) -> Openings:
        """Return what the first character of a token does to a text."""
        known = self._openings.get(state)
        if known is None:
            position = self._position(state)
            if self._follows_tokens or position.pending or position.first:
                return self._lifting.no_openings
            ending = Ending(
                (position.folded, position.exact), position.in_word, position.number, position.waiting
            )
            known = self._openings[state] = self._lifting.openings(ending)
        return known

    def blank_states(self, state: int) -> Sequence[int]:
        """Return the states after tokens in which no phrase begins, by `TokenShapes.ending`."""
        position = self._position(state)
        key = (position.number, position.counts)
        known = self._blanks.get(key)
        if known is None:
            known = self._blanks[key] = tuple(
                self._number(
                    Position(
                        in_word=in_word,
                        number=number if self._follows_numbers else NO_NUMBER,
                        counts=position.counts,
                    )
                )
                for in_word, number in states_after_endings(position.number)
            )
        return known

    def blank_before(self, state: int) -> int:
        """Return the state of a text that ends the same way, with no phrase partly written."""
        known = self._blanks_before.get(state)
        if known is None:
            position = self._position(state)
            known = self._number(
                Position(in_word=position.in_word, number=position.number, counts=position.counts)
            )
            self._blanks_before[state] = known
        return known
