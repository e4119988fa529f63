"""The protocol between the editing engine and an editor."""

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
        """Yield the sentence after each step, changed or not, until nothing is left to try.

        The caller stops when its budget is spent.
        """
