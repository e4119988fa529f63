"""Right part of speech: the share of an input's concepts that its text uses as the data means them.

"A fall threw a ball." has the word fall, but not as the verb that was asked for; coverage and the clauses of
a formula do not see that. Link-grammar reads each sentence and says what every word is in it: a noun, a
verb, an adjective or an adverb (see `link_parser`). A concept counts if a word with its lemma has its part
of speech. Concepts of which the data does not say the part of speech count with any.

Limits: English only. The parser's best reading may be another than the writer's, and a word that it cannot
link counts as none; so texts that people wrote do not reach 100 either.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from neurologic.experiments.metrics.base import Corpus, Mean, Numbers
from neurologic.experiments.metrics.coverage import lemmas
from neurologic.experiments.metrics.link_parser import answers, parser_settings, sentences
from neurologic.experiments.metrics.optional_packages import UnavailableError, version

# How the marks begin that link-grammar gives to the words of a part of speech, such as "threw.v-d". Plurals
# and prepositions share the mark "p", but no concept is a preposition.
_MARKS = {
    "noun": ("n", "s", "p", "u", "m", "t", "l", "b", "f"),
    "verb": ("v", "g", "q", "w"),
    "adjective": ("a",),
    "adverb": ("e",),
}
# A link: its two words with their marks, and three columns of labels between them.
_LINK = re.compile(r"^ *(?:\(\w\) +)*(?P<left>\S+) +\S+ +\S*--\S*-\S* +\S+ +(?P<right>\S+)$", re.MULTILINE)
_GUESSED = re.compile(r"\[[!?~&].*?\]")


@dataclass(frozen=True)
class TaggedCorpus(Corpus):
    """Texts whose concepts have parts of speech, None where the data does not say."""

    parts_of_speech: tuple[tuple[str | None, ...], ...] = ()


@dataclass(frozen=True)
class RightPartOfSpeech(Mean):
    """Right part of speech with rows (share of the concepts, 1)."""

    name: ClassVar[str] = "right_part_of_speech"
    title: ClassVar[str] = "Right PoS"

    def statistics(self, texts: Corpus) -> Numbers:
        if texts.concepts is None or not isinstance(texts, TaggedCorpus):
            raise UnavailableError("it needs the concepts of each input and their parts of speech")
        if not any(any(tags) for tags in texts.parts_of_speech):
            raise UnavailableError("the data does not say the concepts' parts of speech")
        rows = []
        tagged = zip(_readings(texts.outputs), texts.concepts, texts.parts_of_speech, strict=True)
        for reading, concepts, tags in tagged:
            right = [_is_right(reading, *concept) for concept in zip(concepts, tags, strict=True)]
            rows.append((sum(right) / len(right), 1.0))
        return np.array(rows, dtype=np.float64)

    def settings(self) -> str:
        return f"mean:inputs|{parser_settings()}|lemminflect:{version('lemminflect')}"


# The marks that each lemma of a text has in it.
Reading = dict[str, set[str]]


def _is_right(reading: Reading, concept: str, part_of_speech: str | None) -> bool:
    marks = reading.get(concept.lower(), set())
    allowed = _MARKS.get(part_of_speech or "")
    if allowed is None or "" in marks:
        return bool(marks)
    return any(mark.startswith(allowed) for mark in marks)


def _readings(texts: Sequence[str]) -> Iterator[Reading]:
    """Yield for every text the marks of its lemmas, as the best linkages of its sentences have them."""
    pieces = [sentences(text) for text in texts]
    said = answers([sentence for several in pieces for sentence in several], "-links=1")
    for several in pieces:
        reading: Reading = defaultdict(set)
        for _ in several:
            for word, mark in marked_words(next(said)):
                for lemma in lemmas(word.lower()):
                    reading[lemma].add(mark)
        yield reading


def marked_words(answer: str) -> set[tuple[str, str]]:
    """Return the linked words of the first linkage in an answer of the program, each with its mark.

    A word of which the dictionary knows one use only may have none.

    >>> line = " (m)   fall.s         Ss*s          ----Ss*s---  S               threw.v-d"
    >>> sorted(marked_words(line))
    [('fall', 's'), ('threw', 'v-d')]
    """
    first = answer.partition("Linkage 2")[0]
    words = (word for link in _LINK.finditer(first) for word in link.groups())
    parts = (_GUESSED.sub("", word).partition(".") for word in words)
    return {(text, mark) for text, _, mark in parts if text}
