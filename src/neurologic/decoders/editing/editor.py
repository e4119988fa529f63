"""The protocol between the loop and an editing method."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Protocol

from neurologic.decoders.editing.sentence import Keywords, Sentence
from neurologic.decoders.editing.sentence_scorer import CausalSentenceScorer


class Editor(Protocol):
    """A way of improving a sentence edit by edit."""

    def edits(
        self, start: Sentence, scorer: CausalSentenceScorer, keywords: Keywords, chance: random.Random
    ) -> Iterator[Sentence]:
        """After each step the sentence as it then stands, changed or not; ends where nothing is left to try.

        The caller stops asking when the budget is spent.
        """
