"""Coverage: the share of an input's concepts among the lemmas of its output, as a mean over the inputs.

CommonGen's script (Lin et al., 2020) takes the lemma of each token from a tagger. Here the dictionary and the
rules of lemminflect give the lemmas for every part of speech, without a model: "building" has the lemmas
building and build. Concepts are single words in their base form, as CommonGen writes them; case is ignored.

Coverage is not the verdict of a formula: it counts any token with the right lemma and ignores forbidden
words.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from neurologic.experiments.metrics import commongen_tokens
from neurologic.experiments.metrics.base import Corpus, Mean, Numbers
from neurologic.experiments.metrics.optional_packages import UnavailableError, version

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
        return f"mean:inputs|pos:any|{commongen_tokens.signature()}|lemminflect:{version('lemminflect')}"


@lru_cache(maxsize=65536)
def lemmas(word: str) -> frozenset[str]:
    """Return all lemmas of a word in lower case, and the word itself.

    >>> sorted(lemmas("standing")), sorted(lemmas("frisbees"))
    (['stand', 'standing'], ['frisbee', 'frisbees'])
    """
    import lemminflect

    by_tag = lemminflect.getAllLemmas(word)
    if not by_tag and word.isalpha():  # the dictionary has no "frisbee", but the rules know it
        for tag in _PARTS_OF_SPEECH:
            by_tag = by_tag | {tag: lemminflect.getAllLemmasOOV(word, tag).get(tag, ())}
    found = {lemma for lemmas_of_tag in by_tag.values() for lemma in lemmas_of_tag}
    # The dictionary keeps "jeans" and "species" as they are. CommonGen's concepts come from spaCy, which
    # takes them for plurals.
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        found.add(word[:-1])
    return frozenset(found | {word})
