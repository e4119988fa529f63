"""The step of a whole vocabulary at once: which tokens have their usual effect on a text, and which do not.

Reading a token character by character takes some microseconds, and a search meets hundreds of tokens per
step. Hardly any of them matter to a formula. A plain token (see `token_shapes`) has its usual effect on a
text if

- no phrase begins in it, and no mark that matters to a phrase could change its last character (`touching`),
- its first character does not continue a phrase that is partly written (`Openings`).

Then the text is *blank* after it: no phrase is partly written. All other tokens are read one by one.

Limit: where a phrase consists of token ids (`match="tokens"`), every token is read by itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neurologic.logic.characters import normalise
from neurologic.logic.formula import Phrase
from neurologic.matching.aho_corasick import ROOT, AhoCorasick
from neurologic.matching.nfc_composition import takes_marks
from neurologic.matching.patterns import NUMBER_GOES_ON, SPACE, WORD_END, WORD_START, CharacterSymbols
from neurologic.matching.token_shapes import DIGIT, SEPARATOR
from neurologic.matching.vocabulary import Vocabulary

# Instead of the number of an effect: nobody has read the token yet, or it has to be read for every text.
UNKNOWN, ON_ITS_OWN = -1, -2


class Openings(NamedTuple):
    """What the first character of a token does to a text.

    variant  for every place in `TokenShapes.characters` the place of its effect in `found`; 0 if the token
             has to be read by itself
    found    the phrases that the character completes for certain, by variant
    """

    variant: NDArray[np.uint8]
    found: tuple[int, ...]


class Ending(NamedTuple):
    """How a text ends, as far as the effect of its next character goes.

    nodes    nodes of the automata over characters
    in_word  whether the last character is of a word
    number   the part that it has in a number
    waiting  phrases that end here unless a digit comes next
    """

    nodes: tuple[int, ...]
    in_word: bool
    number: int
    waiting: int


class Lifting:
    """The exceptions of one formula.

    automata  the automata over characters that follow its phrases
    marks     characters that could change a phrase after others
    apart     phrases whose place in a text the usual effect does not tell: those with counts
    whole_numbers
              phrases that end with a number, and wait for what follows a separator
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        phrases: Sequence[Phrase],
        automata: Sequence[AhoCorasick],
        marks: frozenset[str],
        apart: int,
        whole_numbers: int,
    ) -> None:
        self._vocabulary = vocabulary
        self._phrases = phrases
        self._automata = tuple(automata)
        self._marks = marks
        self._apart = apart
        self._whole_numbers = whole_numbers
        self._looked_at: set[int] = set()

    @cached_property
    def touching(self) -> NDArray[np.int32]:
        """For every token the number, from 1, under which its effect is known; 0 if it has the usual one.

        A few more tokens than touch a phrase have numbers. `touches` knows better, and corrects it.
        """
        touching = self._takes_marks.copy()
        index = self._vocabulary.token_index
        for pair, phrases in self._by_beginning.items():
            touching[np.asarray(index.word_start.get(pair, ()), dtype=np.intp)] = True
            if not all(phrase.edges[0] for phrase, _ in phrases):
                touching[np.asarray(index.inside.get(pair, ()), dtype=np.intp)] = True
        return np.where(touching, np.cumsum(touching), 0).astype(np.int32)

    def new_effects(self) -> NDArray[np.int32]:
        """Return a table for the effects of touching tokens, by their numbers, with nothing in it."""
        return np.full(int(self.touching.max(initial=0)) + 1, UNKNOWN, dtype=np.int32)

    def touches(self, token: int) -> bool:
        """Return whether a plain token has to be read by itself, wherever it is."""
        if not self.touching[token]:
            return False
        if token not in self._looked_at:
            self._looked_at.add(token)
            if not self._takes_marks[token] and not self._may_begin_in(token):
                self.touching[token] = 0
        return bool(self.touching[token])

    def _may_begin_in(self, token: int) -> bool:
        """Return whether the text of a token has a phrase in it, or ends with a part of one."""
        text = self._vocabulary.compared(token)
        for start in range(len(text)):
            for _, written in self._by_beginning.get(text[start : start + 2], ()):
                if text.startswith(written, start) or written.startswith(text[start:]):
                    return True
        return False

    @cached_property
    def _takes_marks(self) -> NDArray[np.bool_]:
        """For every token whether a mark that matters could change its last character."""
        if not self._marks:
            return np.zeros(len(self._vocabulary), dtype=np.bool_)
        shapes = self._vocabulary.shapes
        takes = [takes_marks(character, self._marks) for character in shapes.characters]
        return np.array(takes, dtype=np.bool_)[shapes.closing]

    @cached_property
    def _by_beginning(self) -> dict[str, list[tuple[Phrase, str]]]:
        """The phrases, and how they are compared, by the pairs of characters with which they may begin."""
        phrases: dict[str, list[tuple[Phrase, str]]] = defaultdict(list)
        for phrase in self._phrases:
            text = normalise(phrase.text, exact_case=False)
            pairs = self._vocabulary.pairs_with(text) if len(text) == 1 else (text[:1], text[:2])
            for pair in pairs:
                phrases[pair].append((phrase, text))
        return dict(phrases)

    @cached_property
    def no_openings(self) -> Openings:
        """For a text after which every token has to be read by itself."""
        return Openings(np.zeros(len(self._vocabulary.shapes.characters), dtype=np.uint8), (0,))

    def openings(self, ending: Ending) -> Openings:
        """Return the effect of every first character on a text that ends like this."""
        shapes = self._vocabulary.shapes
        variants: dict[int | None, int] = {None: 0}
        of_kind = np.zeros(len(shapes.kinds), dtype=np.uint8)
        own: set[str] = set()
        for place, symbols in enumerate(shapes.kinds):
            if symbols is not None:
                found, continuing = self._effect(ending, symbols)
                of_kind[place] = variants.setdefault(found, len(variants))
                own |= continuing
        variant = of_kind[shapes.kind]
        variant[shapes.places_of(own)] = 0
        return Openings(variant, tuple(found or 0 for found in variants))

    def _effect(self, ending: Ending, symbols: CharacterSymbols) -> tuple[int | None, set[str]]:
        """Return the phrases that a character of this kind completes, and the symbols that do something else.

        None instead of phrases means that all characters of the kind have to be read by themselves.
        """
        boundary = None
        if symbols.is_word != ending.in_word:
            goes_on = ending.number == SEPARATOR and symbols.is_digit
            boundary = NUMBER_GOES_ON if goes_on else WORD_START if symbols.is_word else WORD_END
        found = 0 if symbols.is_digit else ending.waiting
        continuing: set[str] = set()
        ends_here = 0
        for automaton, node in zip(self._automata, ending.nodes, strict=True):
            blank = ROOT
            if boundary is not None:
                node, blank = automaton.step(node, boundary), automaton.step(ROOT, boundary)
                ends_here |= automaton.outputs[node]
            continuing |= _continuing(automaton, node, blank)
        held_back = symbols.separates_digits and ending.number == DIGIT and ends_here & self._whole_numbers
        found |= ends_here
        return (None if held_back or found & self._apart else found), continuing


def _continuing(automaton: AhoCorasick, node: int, blank: int) -> set[str]:
    """Return the symbols that lead from a node elsewhere than from a blank text."""
    usual = set(automaton.suffixes(blank))
    symbols: set[str] = set()
    for suffix in automaton.suffixes(node):
        if suffix not in usual:
            symbols |= automaton.children[suffix].keys()  # type: ignore[arg-type]
    # A run of whitespace is one space: after a matched space further ones change nothing.
    if SPACE in (automaton.symbols[node], automaton.symbols[blank]):
        symbols.add(SPACE)
    return symbols
