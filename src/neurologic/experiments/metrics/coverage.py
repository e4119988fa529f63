"""Coverage: the share of an input's concepts among the lemmas of its output, as a mean over the inputs.

CommonGen's script (Lin et al., 2020) asks a tagger for the lemma of each token. Here every part of speech
counts, by the dictionary and the rules of lemminflect, so no model is needed: "building" has the lemmas
building and build. Concepts are single words in their base form, as CommonGen writes them; case is ignored.

This is not the verdict of a formula: it counts any word with the right lemma, in the text as it is
tokenised, and it says nothing of forbidden words.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from neurologic.experiments.metrics import tokens
from neurologic.experiments.metrics.base import Corpus, Mean, Numbers
from neurologic.experiments.metrics.requirements import UnavailableError, version

_PARTS_OF_SPEECH = ("NOUN", "VERB", "ADJ", "ADV")


@dataclass(frozen=True)
class Coverage(Mean):
    """Coverage with rows (share of the concepts, 1)."""

    name: ClassVar[str] = "coverage"
    title: ClassVar[str] = "Coverage"

    def statistics(self, texts: Corpus) -> Numbers:
        if texts.concepts is None:
            raise UnavailableError("coverage needs the concepts of each input")
        rows = []
        for output, concepts in zip(texts.output_tokens, texts.concepts, strict=True):
            found = frozenset[str]().union(*(lemmas(token.lower()) for token in output))
            wanted = {concept.lower() for concept in concepts}
            rows.append((len(wanted & found) / len(wanted), 1.0))
        return np.array(rows, dtype=np.float64)

    def settings(self) -> str:
        return f"mean:inputs|pos:any|{tokens.signature()}|lemminflect:{version('lemminflect')}"


@lru_cache(maxsize=65536)
def lemmas(word: str) -> frozenset[str]:
    """All lemmas of a word in lower case, itself among them.

    >>> sorted(lemmas("standing")), sorted(lemmas("frisbees"))
    (['stand', 'standing'], ['frisbee', 'frisbees'])
    """
    import lemminflect

    by_tag = lemminflect.getAllLemmas(word)
    if not by_tag and word.isalpha():  # the dictionary has no "frisbee", but rules for such words
        for tag in _PARTS_OF_SPEECH:
            by_tag = by_tag | {tag: lemminflect.getAllLemmasOOV(word, tag).get(tag, ())}
    found = {lemma for several in by_tag.values() for lemma in several}
    # The dictionary has "jeans" and "species" as they are; spaCy, which chose CommonGen's concepts, takes
    # them for plurals.
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        found.add(word[:-1])
    return frozenset(found | {word})
